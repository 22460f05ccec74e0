// SPDX-License-Identifier: Apache-2.0
#include "search/search_template.h"

#include <utility>

#include "search/errors.h"
#include "search/reader.h"

namespace cairn::search {
namespace {

Status take_template(Reader& in, TemplateRequest& out) {
  CAIRN_TRY(auto id, in.string("id"));
  const Json* source = in.any("source");
  if (id && source != nullptr)
    return illegal_argument("a template has an [id] or a [source], and not both");
  if (id && id->empty()) return validation_error("template's script type is missing");
  if (!id && source == nullptr) return validation_error("template is missing");
  if (id) {
    out.id = std::move(*id);
    return ok_status();
  }
  CAIRN_TRY(out.source, index::template_source(*source, "the template of this request"));
  return ok_status();
}

/// The message tells a position in a text that the caller has not seen.
Error not_json(Error error, const std::string& made) {
  constexpr std::size_t shown = 1'000;
  error.message += "; the template made [" + made.substr(0, shown) +
                   (made.size() > shown ? "…]" : "]");
  return error;
}

}  // namespace

Result<TemplateRequest> read_template(std::string_view text, const std::string& path,
                                      const Json& json) {
  if (!json.is_object()) return parsing_error(text, path, "a template must be an object");
  Reader in(json, text, path, "template", Reader::Style::strict);
  TemplateRequest out;
  CAIRN_CHECK(take_template(in, out));
  CAIRN_CHECK(in.finish());
  return out;
}

Result<TemplateRequest> read_template_request(std::string_view text) {
  CAIRN_TRY(const Json json, parse_json(text, {.unique_names = true}));
  if (!json.is_object()) return parsing_error(text, "", "a search template must be an object");
  Reader in(json, text, "", "search_template", Reader::Style::strict);
  TemplateRequest out;
  CAIRN_CHECK(take_template(in, out));
  CAIRN_TRY(const Json* values, in.object("params"));
  CAIRN_TRY(out.explain, in.boolean_or("explain", false));
  CAIRN_TRY(out.profile, in.boolean_or("profile", false));
  CAIRN_CHECK(in.finish());
  if (values != nullptr) out.values = *values;
  return out;
}

Result<Json> render_search(const TemplateRequest& request, const FindTemplate& find) {
  index::StoredScript script{.source = request.source};
  if (!request.id.empty()) {
    if (!find) return illegal_argument("kept templates cannot be named here");
    CAIRN_TRY(script, find(request.id));
    if (script.lang != "mustache")
      return illegal_argument("the stored script [" + request.id + "] is of the language [" +
                              script.lang + "]: templates are in [mustache]");
  }
  CAIRN_TRY(const Mustache read, Mustache::parse(script.source));
  CAIRN_TRY(const std::string made, read.render(request.values, script.escape()));
  auto json = parse_json(made, {.unique_names = true});
  if (!json.ok()) return not_json(std::move(json).error(), made);
  if (!json->is_object())
    return illegal_argument("a search template must make an object, but it made [" +
                            made.substr(0, 100) + "]");
  if (request.explain) json->set("explain", true);
  if (request.profile) json->set("profile", true);
  return json;
}

}  // namespace cairn::search
