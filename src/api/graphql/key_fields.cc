// SPDX-License-Identifier: Apache-2.0
// API keys, never with a secret, and accounts of the object storage.
#include "api/graphql/rest.h"
#include "api/graphql/type_resolvers.h"

namespace cairn::api {
namespace {

Result<Json::Array> keys_at(const graphql::FieldCall& field, const Target& target) {
  CAIRN_TRY(Json answer, ask(field, target));
  Json::Array out;
  if (Json* const keys = answer.find("api_keys"); keys != nullptr && keys->is_array())
    for (Json& one : keys->as_array()) {
      const std::string id = one.string_or("id");
      out.push_back(as_node(std::move(one), "ApiKey", id));
    }
  return out;
}

Result<Json> resolve_keys(const graphql::FieldCall& field) {
  Target target("/_security/api_key");
  if (field.arguments.bool_or("owner")) target.set("owner", "true");
  if (field.arguments.bool_or("active")) target.set("active_only", "true");
  CAIRN_TRY(auto all, keys_at(field, target));
  return page_of_list(field, std::move(all), [](const Json& one) { return one.string_or("id_"); });
}

Result<Json> resolve_accounts(const graphql::FieldCall& field) {
  CAIRN_TRY(Json answer, ask(field, Target("/_security/object_account")));
  Json* const accounts = answer.find("accounts");
  return page_of_list(
      field,
      accounts != nullptr && accounts->is_array() ? std::move(accounts->as_array()) : Json::Array(),
      [](const Json& one) { return one.string_or("id"); });
}

}  // namespace

Result<Json> resolve_api_key(const graphql::FieldCall& field, const std::string& id) {
  CAIRN_TRY(auto found, keys_at(field, Target("/_security/api_key").set("id", id)));
  if (found.size() == 1) return std::move(found.front());
  return Error{ErrorKind::not_found, "resource_not_found_exception",
               "there is no API key [" + id + "]"};
}

Status bind_key_fields(graphql::Schema& schema) {
  CAIRN_CHECK(schema.bind("Query", "apiKey", [](const graphql::FieldCall& field) {
    return resolve_api_key(field, field.arguments.string_or("id"));
  }));
  CAIRN_CHECK(schema.bind("Query", "apiKeys", resolve_keys));
  return schema.bind("Query", "objectAccounts", resolve_accounts);
}

}  // namespace cairn::api
