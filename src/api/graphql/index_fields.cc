// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"

namespace cairn::api {
namespace {

/// A row of the table of indices as the type has it.
Json index_of_row(const Json& row) {
  static constexpr std::pair<const char*, const char*> members[] = {
      {"health", "health"},           {"status", "status"},        {"uuid", "uuid"},
      {"docs.count", "documents"},    {"docs.deleted", "deleted"}, {"store.size", "bytes"},
      {"segments.count", "segments"},
  };
  const std::string name = row.string_or("index");
  Json out = Json::object({{"name", name}});
  for (const auto& [from, to] : members)
    if (const std::string text = row.string_or(from); !text.empty()) out.set(to, text);
  // The table has times as text of milliseconds; a DateTime is made of a number.
  if (auto created = parse_json(row.string_or("creation.date")); created.ok())
    out.set("created", std::move(*created));
  return as_node(std::move(out), "Index", name);
}

Result<Json::Array> rows_of(const graphql::FieldCall& field, const std::string& names) {
  Target target("/_cat/indices/" + Target::segment(names));
  target.set("format", "json")
      .set("bytes", "b")
      .set("h",
           "health,status,index,uuid,docs.count,docs.deleted,store.size,segments.count,creation."
           "date");
  CAIRN_TRY(const Json rows, ask(field, target));
  Json::Array out;
  if (rows.is_array())
    for (const Json& row : rows.as_array()) out.push_back(index_of_row(row));
  std::sort(out.begin(), out.end(),
            [](const Json& a, const Json& b) { return a.string_or("name") < b.string_or("name"); });
  return out;
}

Result<Json> resolve_indices(const graphql::FieldCall& field) {
  CAIRN_TRY(auto all, rows_of(field, field.arguments.string_or("pattern", "*")));
  return page_of_list(field, std::move(all), [](const Json& one) { return one.string_or("name"); });
}

/// A member of what GET /{index}/{part} says about the index of the source.
graphql::Resolver part_of_index(std::string path, std::string member) {
  return [path, member](const graphql::FieldCall& field) -> Result<Json> {
    const std::string name = field.source.string_or("name");
    CAIRN_TRY(const Json answer, ask(field, Target("/" + Target::segment(name) + path)));
    const Json* const index = answer.find(name);
    const Json* const part = index == nullptr ? nullptr : index->find(member);
    return part == nullptr ? Json() : *part;
  };
}

Result<Json> resolve_document(const graphql::FieldCall& field) {
  Target target("/" + Target::segment(field.source.string_or("name")) + "/_doc/" +
                Target::segment(field.arguments.string_or("id")));
  if (const std::string routing = field.arguments.string_or("routing"); !routing.empty())
    target.set("routing", routing);
  auto answer = ask(field, target);
  if (answer.ok() || answer.error().kind != ErrorKind::not_found ||
      answer.error().code == "index_not_found_exception")
    return answer;
  return Error{ErrorKind::not_found, "resource_not_found_exception",
               "there is no document [" + field.arguments.string_or("id") + "] in [" +
                   field.source.string_or("name") + "]"};
}

Result<Json> resolve_count(const graphql::FieldCall& field) {
  const Json* const query = field.arguments.find("query");
  Json body = Json::object();
  if (query != nullptr && !query->is_null()) body.set("query", *query);
  CAIRN_TRY(const Json answer,
            ask(field, "POST",
                Target("/" + Target::segment(field.source.string_or("name")) + "/_count"), body));
  return Json(answer.int_or("count"));
}

Result<Json> resolve_member(const graphql::FieldCall& field) {
  const Json* const source = field.source.find("_source");
  const Json* const member =
      source == nullptr ? nullptr : source->find_path(field.arguments.string_or("path"));
  return member == nullptr ? Json() : *member;
}

}  // namespace

Result<Json> resolve_index(const graphql::FieldCall& field, const std::string& name) {
  if (name.empty() || name.find_first_of("*,") != std::string::npos)
    return Error{ErrorKind::not_found, "index_not_found_exception",
                 "no such index [" + name + "]: one name is wanted"};
  CAIRN_TRY(auto rows, rows_of(field, name));
  if (rows.empty())
    return Error{ErrorKind::not_found, "index_not_found_exception", "no such index [" + name + "]"};
  return std::move(rows.front());
}

Status bind_index_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "index", [](const graphql::FieldCall& field) {
    return resolve_index(field, field.arguments.string_or("name"));
  }));
  CAIRN_CHECK(schema.bind("Query", "indices", resolve_indices));
  CAIRN_CHECK(schema.bind("Index", "mappings", part_of_index("/_mapping", "mappings")));
  CAIRN_CHECK(schema.bind("Index", "settings", part_of_index("/_settings", "settings")));
  CAIRN_CHECK(schema.bind("Index", "aliases", part_of_index("/_alias", "aliases")));
  CAIRN_CHECK(schema.bind("Index", "document", resolve_document));
  CAIRN_CHECK(schema.bind("Index", "count", resolve_count));
  CAIRN_CHECK(schema.bind("Document", "field", resolve_member));
  return schema.bind("Hit", "field", resolve_member);
}

}  // namespace cairn::api
