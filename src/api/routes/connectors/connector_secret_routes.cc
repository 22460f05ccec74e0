// SPDX-License-Identifier: Apache-2.0
#include "api/forms/fields.h"
#include "api/routes/connectors/connector_table.h"
#include "connectors/errors.h"

namespace cairn::api {
namespace {

Result<std::string> value_in(Call& call) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_secret_request");
  CAIRN_TRY(std::string value, fields.required_string("value"));
  CAIRN_CHECK(fields.finish());
  if (value.empty()) return connectors::invalid("[value] must not be empty");
  return value;
}

Result<Reply> create_secret(Call& call, connectors::Service& service) {
  CAIRN_TRY(const std::string value, value_in(call));
  CAIRN_TRY(const std::string id, service.secrets().create(value, call.deadline()));
  return Reply::json(Json::object({{"id", id}}));
}

Result<Reply> put_secret(Call& call, connectors::Service& service) {
  CAIRN_TRY(const std::string value, value_in(call));
  CAIRN_TRY(const bool created, service.secrets().put(call.path("id"), value, call.deadline()));
  return Reply::json(Json::object({{"result", created ? "created" : "updated"}}));
}

Result<Reply> get_secret(Call& call, connectors::Service& service) {
  CAIRN_TRY(const std::string value, service.secrets().get(call.path("id"), call.deadline()));
  return Reply::json(Json::object({{"id", call.path("id")}, {"value", value}}));
}

Result<Reply> delete_secret(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.secrets().remove(call.path("id"), call.deadline()));
  return Reply::json(Json::object({{"deleted", true}}));
}

}  // namespace

void add_connector_secrets(ConnectorTable& table) {
  const std::string all = "/_connector/_secret", one = all + "/{id}";
  // Values are shown in the clear, so rights on the records of connectors do not reach here.
  const auto secret = [](std::string method, const std::string& path, std::string operation,
                         bool writes, std::string summary) {
    return gate::Route{.method = std::move(method),
                       .path = path,
                       .operation = std::move(operation),
                       .cluster = {writes ? "write_connector_secrets" : "read_connector_secrets"},
                       .stability = gate::Stability::experimental,
                       .since = "8.13.0",
                       .summary = std::move(summary)};
  };
  auto create = secret("POST", all, "connector.secret_post", true, "Keeps a secret.");
  create.body_required = true;
  table.add(std::move(create), create_secret);
  auto put = secret("PUT", one, "connector.secret_put", true, "Keeps a secret under this id.");
  put.body_required = true;
  table.add(std::move(put), put_secret);
  table.add(secret("GET", one, "connector.secret_get", false, "Gives a secret."), get_secret);
  table.add(secret("DELETE", one, "connector.secret_delete", true, "Deletes a secret."),
            delete_secret);
}

}  // namespace cairn::api
