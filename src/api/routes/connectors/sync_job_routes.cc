// SPDX-License-Identifier: Apache-2.0
#include "api/forms/fields.h"
#include "api/routes/connectors/connector_table.h"
#include "connectors/errors.h"

namespace cairn::api {
namespace {

Result<Reply> create_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_sync_job_post_request");
  connectors::CreateSyncJob params;
  CAIRN_TRY(params.connector_id, fields.required_string("id"));
  CAIRN_TRY(params.job_type, fields.string_or("job_type", "full"));
  CAIRN_TRY(params.trigger_method, fields.string_or("trigger_method", "on_demand"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const std::string id, service.create_job(params, call.deadline()));
  return Reply::json(Json::object({{"id", id}}), 201);
}

Result<Reply> get_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(Json job, service.jobs().get(call.path("connector_sync_job_id"), call.deadline()));
  return Reply::json(std::move(job));
}

Result<Reply> list_jobs(Call& call, connectors::Service& service) {
  CAIRN_TRY(const ConnectorWindow bounds, connector_window(call));
  CAIRN_TRY(auto page, service.jobs().list({.from = bounds.from,
                                            .size = bounds.size,
                                            .status = call.query("status").value_or(""),
                                            .connector_id = call.query("connector_id").value_or(""),
                                            .job_types = call.list("job_type")},
                                           call.deadline()));
  return Reply::json(counted_results(page.count, std::move(page.results)));
}

Result<Reply> delete_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().remove(call.path("connector_sync_job_id"), call.deadline()));
  return connector_done();
}

Result<Reply> cancel_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().cancel(call.path("connector_sync_job_id"), call.deadline()));
  return connector_changed(true);
}

Result<Reply> check_in_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().check_in(call.path("connector_sync_job_id"), call.deadline()));
  return connector_changed(true);
}

Result<Reply> claim_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_claim_sync_job_request");
  CAIRN_TRY(const std::string worker, fields.required_string("worker_hostname"));
  const Json* cursor = fields.any("sync_cursor");
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(
      service.jobs().claim(call.path("connector_sync_job_id"), worker, cursor, call.deadline()));
  return connector_changed(true);
}

Result<Reply> fail_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_sync_job_error_request");
  CAIRN_TRY(const std::string error, fields.required_string("error"));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(service.jobs().fail(call.path("connector_sync_job_id"), error, call.deadline()));
  return connector_changed(true);
}

Result<Reply> complete_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.complete_job(call.path("connector_sync_job_id"), call.deadline()));
  return connector_changed(true);
}

Result<Reply> set_job_stats(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_sync_job_update_ingestion_stats_request");
  for (const auto name : {"deleted_document_count", "indexed_document_count",
                          "indexed_document_volume", "total_document_count"}) {
    CAIRN_TRY(const auto value, fields.integer(name));
    if (!value && std::string_view(name) != "total_document_count")
      return connectors::invalid("Required [" + std::string(name) + "]");
    if (value.value_or(0) < 0)
      return connectors::invalid("[" + std::string(name) + "] cannot be negative");
  }
  CAIRN_CHECK(fields.string("last_seen"));
  CAIRN_CHECK(fields.object("metadata"));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(service.jobs().set_stats(call.path("connector_sync_job_id"), body, call.deadline()));
  return connector_changed(true);
}

}  // namespace

void add_sync_jobs(ConnectorTable& table) {
  const std::string all = "/_connector/_sync_job";
  const std::string one = all + "/{connector_sync_job_id}";
  auto create = connector_row("POST", all, "connector.sync_job_post", ConnectorNeeds::write,
                              "Creates a sync job.", true);
  create.content = true;
  create.body_required = true;
  table.add(std::move(create), create_job);
  table.add(connector_row("GET", one, "connector.sync_job_get", ConnectorNeeds::read,
                          "Gives a sync job.", true),
            get_job);
  auto list = connector_row("GET", all, "connector.sync_job_list", ConnectorNeeds::read,
                            "Lists sync jobs.", true);
  list.query = with_connector_window({{"status", "string", "Only in this state."},
                                      {"connector_id", "string", "Only of this connector."},
                                      {"job_type", "list", "Only of these types."}});
  table.add(std::move(list), list_jobs);
  table.add(connector_row("DELETE", one, "connector.sync_job_delete", ConnectorNeeds::write,
                          "Deletes a sync job.", true),
            delete_job);
  struct Update {
    const char *tail, *operation, *summary;
    ConnectorFace face;
    bool body;
  };
  const Update updates[] = {
      {"_cancel", "connector.sync_job_cancel", "Ends a sync job.", cancel_job, false},
      {"_check_in", "connector.sync_job_check_in", "Notes a sign of life.", check_in_job, false},
      {"_claim", "connector.sync_job_claim", "Takes a job for a worker.", claim_job, true},
      {"_complete", "connector.sync_job_complete", "Ends a sync job well.", complete_job, false},
      {"_error", "connector.sync_job_error", "Ends a job with an error.", fail_job, true},
      {"_stats", "connector.sync_job_update_stats", "Sets the figures of a job.", set_job_stats,
       true},
  };
  for (const auto& update : updates) {
    auto route = connector_row("PUT", one + "/" + update.tail, update.operation,
                               ConnectorNeeds::write, update.summary, true);
    route.body_required = update.body;
    table.add(std::move(route), update.face);
  }
}

}  // namespace cairn::api
