// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"

namespace cairn::api {
namespace {

Result<Json::Array> repositories_at(const graphql::FieldCall& field, const std::string& path) {
  CAIRN_TRY(const Json answer, ask(field, Target(path)));
  Json::Array out;
  if (answer.is_object())
    for (const auto& [name, repository] : answer.as_object()) {
      Json one = repository;
      one.set("name", name);
      out.push_back(as_node(std::move(one), "Repository", name));
    }
  return out;
}

Result<Json::Array> snapshots_at(const graphql::FieldCall& field, const std::string& names) {
  const std::string repository = field.source.string_or("name");
  CAIRN_TRY(Json answer, ask(field, Target("/_snapshot/" + Target::segment(repository) + "/" +
                                           Target::segment(names))));
  Json* const list = answer.find("snapshots");
  return list != nullptr && list->is_array() ? std::move(list->as_array()) : Json::Array();
}

Result<Json> resolve_repositories(const graphql::FieldCall& field) {
  CAIRN_TRY(auto all, repositories_at(field, "/_snapshot"));
  return page_of_list(field, std::move(all), [](const Json& one) { return one.string_or("name"); });
}

Result<Json> resolve_snapshots(const graphql::FieldCall& field) {
  CAIRN_TRY(auto all, snapshots_at(field, "_all"));
  return page_of_list(field, std::move(all), [](const Json& one) { return one.string_or("uuid"); });
}

Result<Json> resolve_snapshot(const graphql::FieldCall& field) {
  const std::string name = field.arguments.string_or("name");
  CAIRN_TRY(auto found, snapshots_at(field, name));
  if (found.size() == 1) return std::move(found.front());
  return Error{ErrorKind::not_found, "snapshot_missing_exception",
               "[" + field.source.string_or("name") + ":" + name + "] is missing"};
}

}  // namespace

Result<Json> resolve_repository(const graphql::FieldCall& field, const std::string& name) {
  CAIRN_TRY(auto found, repositories_at(field, "/_snapshot/" + Target::segment(name)));
  if (found.size() == 1) return std::move(found.front());
  return Error{ErrorKind::not_found, "repository_missing_exception", "[" + name + "] missing"};
}

Status bind_snapshot_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "repository", [](const graphql::FieldCall& field) {
    return resolve_repository(field, field.arguments.string_or("name"));
  }));
  CAIRN_CHECK(schema.bind("Query", "repositories", resolve_repositories));
  CAIRN_CHECK(schema.bind("Repository", "snapshots", resolve_snapshots));
  return schema.bind("Repository", "snapshot", resolve_snapshot);
}

}  // namespace cairn::api
