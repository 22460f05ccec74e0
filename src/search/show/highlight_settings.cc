// SPDX-License-Identifier: Apache-2.0
// Reading the `highlight` of a request.
#include <algorithm>

#include "search/errors.h"
#include "search/reader.h"
#include "search/show/highlight.h"

namespace cairn::search {
namespace {

Status read_count(Reader& in, std::string_view name, std::size_t& out) {
  CAIRN_TRY(const auto value, in.integer(name));
  if (value && *value < 0)
    return in.fault(
        name, "[" + std::string(name) + "] must not be negative, found " + std::to_string(*value));
  if (value) out = static_cast<std::size_t>(*value);
  return ok_status();
}

Status read_tag(Reader& in, std::string_view name, std::string& out) {
  CAIRN_TRY(const auto tags, in.texts(name));
  if (tags && !tags->empty()) out = tags->front();
  return ok_status();
}

/// What may stand at the top and in each field.
Status read_settings(Reader& in, HighlightField& field) {
  CAIRN_CHECK(read_tag(in, "pre_tags", field.pre_tag));
  CAIRN_CHECK(read_tag(in, "post_tags", field.post_tag));
  CAIRN_CHECK(read_count(in, "fragment_size", field.fragment_size));
  CAIRN_CHECK(read_count(in, "number_of_fragments", field.number_of_fragments));
  CAIRN_CHECK(read_count(in, "no_match_size", field.no_match_size));
  field.fragment_size = std::max<std::size_t>(field.fragment_size, 1);
  CAIRN_TRY(const auto order, in.text("order"));
  if (order) field.by_score = *order == "score";
  CAIRN_TRY(field.require_field_match,
            in.boolean_or("require_field_match", field.require_field_match));
  CAIRN_TRY(const auto type, in.text("type"));
  if (type && *type != "unified" && *type != "plain" && *type != "fvh" && *type != "semantic")
    return illegal_argument("unknown highlighter type [" + *type + "] for the field [" +
                            field.pattern + "]");
  CAIRN_TRY(const Json* query, in.object("highlight_query"));
  if (query != nullptr) field.query = *query;
  // Ways to cut a text that the platform's highlighters choose between; here there is one.
  for (const auto name :
       {"boundary_scanner", "boundary_scanner_locale", "boundary_chars", "fragmenter",
        "fragment_offset", "phrase_limit", "boundary_max_scan", "max_analyzed_offset"})
    CAIRN_CHECK(in.text(name));
  return ok_status();
}

}  // namespace

Result<Highlight> parse_highlight(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "highlight", "[highlight] must be an object");
  Reader in(json, text, "highlight", "highlight", Reader::Style::strict);
  HighlightField base;
  CAIRN_CHECK(read_settings(in, base));
  CAIRN_TRY(const auto encoder, in.text("encoder"));
  base.encode_html = encoder && *encoder == "html";
  CAIRN_TRY(const auto schema, in.text("tags_schema"));
  if (schema && *schema == "styled") base.pre_tag = "<em class=\"hlt1\">";
  const Json* fields = in.any("fields");
  CAIRN_CHECK(in.finish());
  Highlight out;
  const auto add = [&](const std::string& name, const Json& settings) -> Status {
    HighlightField field = base;
    field.pattern = name;
    if (!settings.is_object())
      return parsing_error(text, "highlight.fields." + name, "[" + name + "] must be an object");
    Reader inner(settings, text, "highlight.fields." + name, "highlight_field",
                 Reader::Style::strict);
    CAIRN_CHECK(read_settings(inner, field));
    CAIRN_CHECK(inner.finish());
    out.fields.push_back(std::move(field));
    return ok_status();
  };
  if (fields == nullptr) return out;
  if (fields->is_object()) {
    for (const auto& [name, settings] : fields->as_object()) CAIRN_CHECK(add(name, settings));
  } else if (fields->is_array()) {
    for (const Json& element : fields->as_array()) {
      if (!element.is_object() || element.as_object().size() != 1)
        return illegal_argument("[highlight] can support maximum 1 field per array element");
      const auto& [name, settings] = element.as_object().front();
      CAIRN_CHECK(add(name, settings));
    }
  } else {
    return parsing_error(text, "highlight.fields", "[fields] must be an object or an array");
  }
  return out;
}

}  // namespace cairn::search
