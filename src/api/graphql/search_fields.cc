// SPDX-License-Identifier: Apache-2.0
// Searches as connections: a page is what from and size of the search say.
#include "api/forms/error_json.h"
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

/// The search of the arguments, without its page. Errors: a member that the arguments say already.
Result<Json> search_body(const graphql::FieldCall& field) {
  const Json* const more = field.arguments.find("body");
  if (more != nullptr && !more->is_null() && !more->is_object())
    return illegal_argument("[body] must be an object: the members of a search");
  Json out = more != nullptr && more->is_object() ? *more : Json::object();
  for (const char* const name : {"from", "size", "search_after"})
    if (out.find(name) != nullptr)
      return illegal_argument("[body." + std::string(name) +
                              "] is not taken: [first] and [after] say which page");
  for (const char* const name : {"query", "retriever", "sort"}) {
    const Json* const value = field.arguments.find(name);
    if (value == nullptr || value->is_null()) continue;
    if (out.find(name) != nullptr)
      return illegal_argument("[" + std::string(name) +
                              "] is given twice, as an argument and in [body]");
    out.set(name, *value);
  }
  // Counting all that matches costs more than the first pages, so it is done where it is asked for.
  if (field.selects("totalCount") && out.find("retriever") == nullptr &&
      out.find("track_total_hits") == nullptr)
    out.set("track_total_hits", true);
  return out;
}

Result<Json> search_in(const graphql::FieldCall& field, const std::string& indices) {
  CAIRN_TRY(const Json body, search_body(field));
  Json answer;
  const auto fetch = [&](std::int64_t from, std::int64_t size) -> Result<Window> {
    Json page = body;
    page.set("from", from);
    page.set("size", field.arguments.int_or("first") == 0 ? 0 : size);
    const Target target(indices.empty() ? "/_search" : "/" + Target::segment(indices) + "/_search");
    CAIRN_TRY(answer, ask(field, "POST", target, page));
    Window out;
    if (Json* const hits = answer.find("hits")) {
      if (const Json* const total = hits->find("total"))
        out.total = total->is_integer() ? total->as_int() : total->int_or("value");
      if (Json* const list = hits->find("hits"); list != nullptr && list->is_array())
        out.items = std::move(list->as_array());
    }
    // Where totals are not counted, what came says as much as is known.
    out.total = std::max(out.total, from + static_cast<std::int64_t>(out.items.size()));
    return out;
  };
  CAIRN_TRY(Json out, page_of_windows(field, fetch));
  static constexpr std::pair<const char*, const char*> members[] = {
      {"took", "took"},
      {"timed_out", "timedOut"},
      {"aggregations", "aggregations"},
      {"suggest", "suggest"}};
  for (const auto& [from, to] : members)
    if (Json* const value = answer.find(from)) out.set(to, std::move(*value));
  if (const Json* const score = answer.find_path("hits.max_score")) out.set("maxScore", *score);
  return out;
}

}  // namespace

Status bind_search_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "search", [](const graphql::FieldCall& field) -> Result<Json> {
    std::vector<std::string> names;
    if (const Json* const given = field.arguments.find("index"); given && given->is_array())
      for (const Json& one : given->as_array()) names.push_back(one.as_string());
    return search_in(field, join(names, ","));
  }));
  return schema.bind("Index", "search", [](const graphql::FieldCall& field) {
    return search_in(field, field.source.string_or("name"));
  });
}

}  // namespace cairn::api
