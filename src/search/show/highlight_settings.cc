// SPDX-License-Identifier: Apache-2.0
// Reading the `highlight` of a request.
#include <algorithm>

#include "base/strings.h"
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
  CAIRN_TRY(const auto tags, in.strings(name));
  if (tags && !tags->empty()) out = tags->front();
  return ok_status();
}

Status read_analyzed(Reader& in, HighlightField& field) {
  CAIRN_TRY(const auto most, in.integer("max_analyzed_offset"));
  if (!most || *most == -1) return ok_status();  // as the index has it
  if (*most < 1)
    return illegal_argument("[max_analyzed_offset] must be a positive integer, or -1");
  field.analyzed = static_cast<std::size_t>(*most);
  return ok_status();
}

/// Ways to cut a text between which the platform's highlighters choose: here there is one, by
/// sentences. What only another highlighter than the default heeds changes nothing there either.
Status read_cuts(Reader& in) {
  CAIRN_TRY(const auto scanner, in.string("boundary_scanner"));
  if (scanner && lower_ascii(*scanner) != "sentence")
    return not_offered("boundary_scanner [" + *scanner + "]", "texts are cut by [sentence]");
  CAIRN_TRY(const auto fragmenter, in.string("fragmenter"));
  if (fragmenter && *fragmenter != "span")
    return not_offered("fragmenter [" + *fragmenter + "]", "texts are cut as by [span]");
  CAIRN_TRY(const auto offset, in.integer("fragment_offset"));
  if (offset && *offset != 0)
    return not_offered("fragment_offset", "fragments begin where their sentence does");
  for (const auto name : {"boundary_scanner_locale", "boundary_chars"}) CAIRN_CHECK(in.string(name));
  for (const auto name : {"phrase_limit", "boundary_max_scan"}) CAIRN_CHECK(in.integer(name));
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
  CAIRN_TRY(const auto order, in.string("order"));
  if (order && *order != "score" && *order != "none")
    return in.fault("order", "[order] must be [score] or [none], found [" + *order + "]");
  if (order) field.by_score = *order == "score";
  CAIRN_TRY(field.require_field_match,
            in.boolean_or("require_field_match", field.require_field_match));
  CAIRN_TRY(const auto type, in.string("type"));
  if (type && *type != "unified" && *type != "plain" && *type != "fvh" && *type != "semantic")
    return illegal_argument("unknown highlighter type [" + *type + "] for the field [" +
                            field.pattern + "]");
  CAIRN_TRY(const Json* query, in.object("highlight_query"));
  if (query != nullptr) field.query = *query;
  CAIRN_CHECK(read_analyzed(in, field));
  return read_cuts(in);
}

}  // namespace

Result<Highlight> parse_highlight(std::string_view text, const Json& json) {
  if (!json.is_object()) return parsing_error(text, "highlight", "[highlight] must be an object");
  Reader in(json, text, "highlight", "highlight", Reader::Style::strict);
  HighlightField base;
  CAIRN_CHECK(read_settings(in, base));
  CAIRN_TRY(const auto encoder, in.string("encoder"));
  base.encode_html = encoder && *encoder == "html";
  CAIRN_TRY(const auto schema, in.string("tags_schema"));
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
