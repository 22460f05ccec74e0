// SPDX-License-Identifier: Apache-2.0
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/routes/connectors/connector_table.h"
#include "auth/keys/keys.h"
#include "base/strings.h"
#include "connectors/errors.h"
#include "gate/identify.h"

namespace cairn::api {
namespace {

constexpr std::int64_t preview_documents = 10, preview_documents_max = 100;

Result<Reply> test_source(Call& call, connectors::Service& service) {
  CAIRN_TRY(Json answer, service.test_source(call.path("connector_id"), call.deadline()));
  return Reply::json(std::move(answer));
}

Result<Reply> preview_source(Call& call, connectors::Service& service) {
  CAIRN_TRY(const auto size, call.integer("size", preview_documents));
  if (size < 1 || size > preview_documents_max)
    return connectors::bad_argument("[size] must be 1 to " + std::to_string(preview_documents_max) +
                                    ", got " + std::to_string(size));
  CAIRN_TRY(Json answer, service.preview(call.path("connector_id"), static_cast<std::size_t>(size),
                                         call.deadline()));
  return Reply::json(std::move(answer));
}

Result<Reply> count_source(Call& call, connectors::Service& service) {
  CAIRN_TRY(Json answer, service.count_source(call.path("connector_id"), call.deadline()));
  return Reply::json(std::move(answer));
}

Result<Reply> list_problems(Call& call, connectors::Service& service) {
  CAIRN_TRY(const ConnectorWindow bounds, connector_window(call));
  CAIRN_TRY(const auto page,
            service.problems(call.path("connector_id"), bounds.from, bounds.size, call.deadline()));
  Json results = Json::array();
  for (const auto& one : page.problems)
    results.push(Json::object(
        {{"path", one.path}, {"kind", connectors::name_of(one.kind)}, {"reason", one.reason}}));
  return Reply::json(Json::object({{"count", page.count},
                                   {"job_id", page.job_id.empty() ? Json() : Json(page.job_id)},
                                   {"results", std::move(results)}}));
}

Result<Reply> take_event(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const bool concerns,
            service.take_event(call.path("connector_id"), body, call.deadline()));
  return connector_changed(concerns);
}

void add_events(ConnectorTable& table) {
  auto route = connector_row("POST", "/_connector/{connector_id}/_event", "connector.event",
                             ConnectorNeeds::write,
                             "Takes word of changes in the source; a sync follows soon.");
  route.cluster = {"send_connector_events"};
  route.body_required = true;
  table.add(std::move(route), take_event);
}

/// Who the key in the query is of. Stores that can send no header field have nowhere else to put
/// it.
Result<std::shared_ptr<const auth::Key>> key_in_query(const Call& call, const auth::Keys& keys) {
  const auto given = call.query("api_key");
  if (!given) return illegal_argument("the query must have [api_key], an API key");
  const auto parts = auth::decode_key(trim(*given));
  if (!parts)
    return gate::unable_to_authenticate(
        "[api_key] of the query must be an API key as it was given: base64 of id:api_key");
  auto key = keys.verify(parts->id, parts->secret);
  if (!key.ok()) return gate::unable_to_authenticate(key.error().message);
  return key;
}

Result<Reply> take_event_by_key(Call& call, connectors::Service& service, const auth::Keys& keys) {
  CAIRN_CHECK(call.sign_in(key_in_query(call, keys)));
  if (!call.caller().may_cluster("send_connector_events"))
    return Error{ErrorKind::permission_denied, "security_exception",
                 "the API key in the query has not the cluster privilege "
                 "[send_connector_events]"};
  return take_event(call, service);
}

/// They reach out with what the connector holds, so they need the right to change it.
void add_looks(ConnectorTable& table) {
  struct Look {
    const char *tail, *operation, *summary;
    ConnectorFace face;
  };
  const Look looks[] = {
      {"_test", "connector.test", "Tests whether the source can be read.", test_source},
      {"_preview", "connector.preview", "Gives some documents of the source, and writes none.",
       preview_source},
      {"_dry_run", "connector.dry_run", "Counts what a sync would do, and does nothing.",
       count_source},
  };
  for (const auto& look : looks) {
    auto route = connector_row("POST", std::string("/_connector/{connector_id}/") + look.tail,
                               look.operation, ConnectorNeeds::write, look.summary);
    route.computes = true;
    if (look.face == preview_source)
      route.query = {{"size", "integer", "Documents to give, at most 100; 10 where absent."}};
    table.add(std::move(route), look.face);
  }
}

void add_problems(ConnectorTable& table) {
  auto route = connector_row("GET", "/_connector/{connector_id}/_problems", "connector.problems",
                             ConnectorNeeds::read,
                             "Lists what the last sync could not read, with the reasons.");
  route.query = with_connector_window({});
  table.add(std::move(route), list_problems);
}

}  // namespace

void add_connector_key_events(Router& router, ServiceRef<connectors::Service> service,
                              ServiceRef<auth::Keys> keys) {
  router.add({.method = "POST",
              .path = "/_connector/{connector_id}/_event/_by_key",
              .operation = "connector.event_by_key",
              .open = true,
              .signs_in = true,
              .stability = gate::Stability::beta,
              .since = "8.12.0",
              .query = {{"api_key", "string", "An API key with send_connector_events."}},
              .summary = "The same for stores that send no header fields: with a key in the query.",
              .body_required = true},
             [service, keys](Call& call) { return take_event_by_key(call, *service, *keys); });
}

void add_connector_sources(ConnectorTable& table) {
  add_looks(table);
  add_problems(table);
  add_events(table);
}

}  // namespace cairn::api
