// SPDX-License-Identifier: Apache-2.0
#include "auth/keys/document_query.h"

#include "auth/errors.h"
#include "format/mustache.h"

namespace cairn::auth {
namespace {

constexpr std::size_t query_bytes_max = 64u << 10;  // as JSON
constexpr std::size_t query_depth_max = 50;

Error wrong_query(const std::string& why) {
  return illegal_argument("failed to parse field 'query' of an index privilege: " + why);
}

Result<Json> query_object(Json query) {
  if (!query.is_object() || query.as_object().size() != 1)
    return wrong_query("it must be an object with one query, or a template of one");
  if (query.dump().size() > query_bytes_max)
    return wrong_query("it may not be larger than " + std::to_string(query_bytes_max) + " bytes");
  return query;
}

Result<Json> query_text(std::string_view text) {
  auto parsed = parse_json(text, {.depth = query_depth_max});
  if (!parsed.ok()) return wrong_query(parsed.error().message);
  return query_object(*std::move(parsed));
}

Result<Json> fill_in(const Json& wanted, const Json& user) {
  if (!wanted.is_object()) return wrong_query("[template] must be an object");
  const Json* source = nullptr;
  Json values = Json::object();
  for (const auto& [member, value] : wanted.as_object()) {
    if (member == "source" && (value.is_string() || value.is_object()))
      source = &value;
    else if (member == "params" && value.is_object())
      values = value;
    else if (member != "lang" || !value.is_string() || value.as_string() != "mustache")
      return wrong_query("[template] takes [source], a text or an object, [params], an object, and "
                         "[lang], which is [mustache]; not [" + member + "]");
  }
  if (source == nullptr) return wrong_query("[template] needs a [source]");
  // Last, so that no parameter passes for it.
  values.set("_user", user);
  const std::string text = source->is_string() ? source->as_string() : source->dump();
  const MustacheLimits limits{.output_bytes = query_bytes_max};
  CAIRN_TRY(const Mustache read, Mustache::parse(text, limits));
  CAIRN_TRY(const std::string filled, read.render(values, MustacheEscape::json, limits));
  return query_text(filled);
}

}  // namespace

Json user_of_templates(std::string_view username, const Json& metadata) {
  return Json::object({{"username", username},
                       {"full_name", Json()},
                       {"email", Json()},
                       {"roles", Json::array()},
                       {"metadata", metadata.is_object() ? metadata : Json::object()}});
}

Result<Json> read_document_query(const Json& given, const Json& user) {
  if (given.is_string()) {
    auto parsed = parse_json(given.as_string(), {.depth = query_depth_max});
    if (!parsed.ok()) return wrong_query(parsed.error().message);
    // Text of text would never end.
    if (!parsed->is_object()) return query_object(*std::move(parsed));
    return read_document_query(*parsed, user);
  }
  const bool is_template =
      given.is_object() && given.as_object().size() == 1 && given.find("template") != nullptr;
  return is_template ? fill_in(*given.find("template"), user) : query_object(given);
}

}  // namespace cairn::auth
