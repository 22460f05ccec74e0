// SPDX-License-Identifier: Apache-2.0
#include "api/routes/connectors/connector_routes.h"

#include "api/dry_run.h"
#include "api/forms/fields.h"
#include "api/routes/connectors/connector_table.h"
#include "connectors/errors.h"

namespace cairn::api {
namespace {

Result<Reply> put_connector(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_put_request");
  connectors::PutConnector put;
  const auto optional_text = [&](std::string_view name) -> Result<std::optional<std::string>> {
    if (fields.is_null(name)) return std::optional<std::string>();
    return fields.string(name);
  };
  CAIRN_TRY(put.description, optional_text("description"));
  CAIRN_TRY(put.index_name, optional_text("index_name"));
  CAIRN_TRY(put.is_native, fields.boolean_or("is_native", false));
  CAIRN_TRY(put.language, optional_text("language"));
  CAIRN_TRY(put.name, optional_text("name"));
  CAIRN_TRY(put.service_type, optional_text("service_type"));
  CAIRN_CHECK(fields.finish());
  const std::string& id = call.path("connector_id");
  CAIRN_TRY(const auto result, service.records().put(id.empty() ? std::nullopt : std::optional(id),
                                                     put, call.deadline()));
  return Reply::json(
      Json::object({{"result", result.created ? "created" : "updated"}, {"id", result.id}}));
}

Result<Reply> get_connector(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool deleted, call.flag("include_deleted", false));
  CAIRN_TRY(Json record,
            service.records().get(call.path("connector_id"), deleted, call.deadline()));
  return Reply::json(std::move(record));
}

Result<Reply> list_connectors(Call& call, connectors::Service& service) {
  CAIRN_TRY(const ConnectorWindow bounds, connector_window(call));
  CAIRN_TRY(const bool deleted, call.flag("include_deleted", false));
  CAIRN_TRY(auto page, service.records().list({.from = bounds.from,
                                               .size = bounds.size,
                                               .index_names = call.list("index_name"),
                                               .names = call.list("connector_name"),
                                               .service_types = call.list("service_type"),
                                               .query = call.query("query").value_or(""),
                                               .include_deleted = deleted},
                                              call.deadline()));
  return Reply::json(counted_results(page.count, std::move(page.results)));
}

/// The record and its jobs; the index and its documents stay.
Result<Json> removal_of_connector(const Call& call, connectors::Service& service, bool hard,
                                  bool with_jobs) {
  const std::string& id = call.path("connector_id");
  CAIRN_TRY(const Json record, service.records().get(id, hard, call.deadline()));
  CAIRN_TRY(const auto all,
            service.jobs().list({.size = 0, .connector_id = id}, call.deadline()));
  CAIRN_TRY(const auto running,
            service.jobs().list({.size = 0, .status = "in_progress", .connector_id = id},
                                call.deadline()));
  const auto count = [](std::size_t jobs) { return static_cast<std::int64_t>(jobs); };
  const Json* index = record.find("index_name");
  return Json::object({{"connector", id},
                       {"record_stays", !hard},
                       {"sync_jobs", count(with_jobs ? all.count : 0)},
                       {"sync_jobs_that_stay", count(with_jobs ? 0 : all.count)},
                       {"running_sync_jobs", count(running.count)},
                       {"index_that_stays", index == nullptr ? Json() : *index}});
}

Result<Reply> delete_connector(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool hard, call.flag("hard", false));
  CAIRN_TRY(const bool jobs, call.flag("delete_sync_jobs", false));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(Json gone, removal_of_connector(call, service, hard, jobs));
    return would(std::move(gone));
  }
  CAIRN_CHECK(service.remove_connector(call.path("connector_id"), hard, jobs, call.deadline()));
  return connector_done();
}

Result<Reply> check_in(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.records().check_in(call.path("connector_id"), call.deadline()));
  return connector_changed(true);
}

Result<Reply> pause(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool other, service.pause(call.path("connector_id"), call.deadline()));
  return connector_changed(other);
}

Result<Reply> resume(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool other, service.resume(call.path("connector_id"), call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_name(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_name_request");
  CAIRN_CHECK(fields.string("name"));
  CAIRN_CHECK(fields.string("description"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_name(call.path("connector_id"), body, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_index_name(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_index_name_request");
  std::optional<std::string> index;
  if (!fields.is_null("index_name")) CAIRN_CHECK(fields.required_string("index_name"));
  if (const Json* value = fields.any("index_name"); value != nullptr && value->is_string())
    index = value->as_string();
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_index_name(call.path("connector_id"), index, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_configuration(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_configuration_request");
  const Json* configuration = nullptr;
  const Json* values = nullptr;
  if (!fields.is_null("configuration")) {
    CAIRN_TRY(configuration, fields.object("configuration"));
  }
  if (!fields.is_null("values")) {
    CAIRN_TRY(values, fields.object("values"));
  }
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_configuration(call.path("connector_id"), configuration, values,
                                                call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_scheduling(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_scheduling_request");
  CAIRN_TRY(const Json* scheduling, fields.required_object("scheduling"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other, service.records().set_scheduling(call.path("connector_id"),
                                                               *scheduling, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_pipeline(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_pipeline_request");
  CAIRN_TRY(const Json* pipeline, fields.required_object("pipeline"));
  CAIRN_CHECK(fields.finish());
  Fields inner = fields.nested(*pipeline, "pipeline", "connector_ingest_pipeline");
  CAIRN_CHECK(inner.required_string("name"));
  for (const auto* name : {"extract_binary_content", "reduce_whitespace", "run_ml_inference"}) {
    CAIRN_TRY(const auto value, inner.boolean(name));
    if (!value) return connectors::invalid("Required [pipeline." + std::string(name) + "]");
  }
  CAIRN_CHECK(inner.finish());
  CAIRN_TRY(const bool other,
            service.records().set_pipeline(call.path("connector_id"), *pipeline, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_filtering(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_filtering_request");
  CAIRN_TRY(const Json* filtering, fields.array("filtering"));
  CAIRN_TRY(const Json* rules, fields.array("rules"));
  CAIRN_TRY(const Json* snippet, fields.object("advanced_snippet"));
  CAIRN_CHECK(fields.finish());
  if (filtering != nullptr && (rules != nullptr || snippet != nullptr))
    return connectors::invalid(
        "[filtering] and [rules] or [advanced_snippet] cannot both be provided in the same "
        "request.");
  const std::string& id = call.path("connector_id");
  CAIRN_TRY(const bool other,
            filtering != nullptr
                ? service.records().set_filtering(id, *filtering, call.deadline())
                : service.records().edit_filtering(id, rules, snippet, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_filtering_validation(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_filtering_validation_request");
  CAIRN_TRY(const Json* validation, fields.required_object("validation"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other, service.records().set_filtering_validation(
                                  call.path("connector_id"), *validation, call.deadline()));
  return connector_changed(other);
}

Result<Reply> activate_filtering(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool other,
            service.records().activate_filtering(call.path("connector_id"), call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_features(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_features_request");
  CAIRN_TRY(const Json* features, fields.required_object("features"));
  CAIRN_CHECK(fields.finish());
  Fields inner = fields.nested(*features, "features", "connector_features");
  const auto check_enabled = [](Fields& where, std::string_view name) -> Status {
    CAIRN_TRY(const Json* feature, where.object(name));
    if (feature == nullptr) return ok_status();
    Fields one = where.nested(*feature, name, "connector_feature_enabled");
    CAIRN_TRY(const auto enabled, one.boolean("enabled"));
    if (!enabled) return connectors::invalid("Required [" + std::string(name) + ".enabled]");
    return one.finish();
  };
  for (const auto* name :
       {"document_level_security", "incremental_sync", "native_connector_api_keys"})
    CAIRN_CHECK(check_enabled(inner, name));
  CAIRN_TRY(const Json* rules, inner.object("sync_rules"));
  if (rules != nullptr) {
    Fields kinds = inner.nested(*rules, "sync_rules", "connector_sync_rules_features");
    for (const auto* name : {"advanced", "basic"}) CAIRN_CHECK(check_enabled(kinds, name));
    CAIRN_CHECK(kinds.finish());
  }
  CAIRN_CHECK(inner.finish());
  CAIRN_TRY(const bool other,
            service.records().set_members(call.path("connector_id"), body, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_status(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_status_request");
  CAIRN_TRY(const std::string status, fields.required_string("status"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_status(call.path("connector_id"), status, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_error(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_error_request");
  std::optional<std::string> error;
  if (!fields.is_null("error")) {
    CAIRN_TRY(error, fields.required_string("error"));
  }
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_error(call.path("connector_id"), error, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_service_type(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_service_type_request");
  CAIRN_TRY(const std::string type, fields.required_string("service_type"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_service_type(call.path("connector_id"), type, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_native(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_native_request");
  CAIRN_TRY(const auto native, fields.boolean("is_native"));
  CAIRN_CHECK(fields.finish());
  if (!native) return connectors::invalid("Required [is_native]");
  CAIRN_TRY(const bool other,
            service.records().set_native(call.path("connector_id"), *native, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_api_key_id(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_api_key_id_request");
  for (const auto name : {"api_key_id", "api_key_secret_id"})
    if (!fields.is_null(name)) CAIRN_CHECK(fields.string(name));
  CAIRN_CHECK(fields.finish());
  if (body.as_object().empty())
    return connectors::invalid("At least one of [api_key_id, api_key_secret_id] must be specified");
  CAIRN_TRY(const bool other,
            service.records().set_members(call.path("connector_id"), body, call.deadline()));
  return connector_changed(other);
}

Result<Reply> set_last_sync(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_last_sync_request");
  for (const auto name :
       {"last_access_control_sync_error", "last_access_control_sync_scheduled_at",
        "last_access_control_sync_status", "last_incremental_sync_scheduled_at", "last_seen",
        "last_sync_error", "last_sync_scheduled_at", "last_sync_status", "last_synced"})
    if (!fields.is_null(name)) CAIRN_CHECK(fields.string(name));
  for (const auto name : {"last_deleted_document_count", "last_indexed_document_count"})
    if (!fields.is_null(name)) CAIRN_CHECK(fields.integer(name));
  (void)fields.any("sync_cursor");
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_last_sync(call.path("connector_id"), body, call.deadline()));
  return connector_changed(other);
}

void add_records(ConnectorTable& table) {
  const std::string one = "/_connector/{connector_id}";
  for (const auto& [method, path, operation] :
       {std::tuple{"PUT", std::string("/_connector"), "connector.put"},
        std::tuple{"PUT", one, "connector.put"},
        std::tuple{"POST", std::string("/_connector"), "connector.post"}}) {
    auto route = connector_row(method, path, operation, ConnectorNeeds::write,
                               "Creates or replaces a connector.");
    route.content = true;
    table.add(std::move(route), put_connector);
  }
  auto get = connector_row("GET", one, "connector.get", ConnectorNeeds::read, "Gives a connector.");
  get.query = {{"include_deleted", "boolean", "Also one that was deleted and kept."}};
  table.add(std::move(get), get_connector);
  auto list = connector_row("GET", "/_connector", "connector.list", ConnectorNeeds::read,
                            "Lists connectors.");
  list.query =
      with_connector_window({{"index_name", "list", "Only with one of these indices."},
                             {"connector_name", "list", "Only with one of these names."},
                             {"service_type", "list", "Only with one of these types."},
                             {"query", "string", "A part of index name, name or description."},
                             {"include_deleted", "boolean", "Also those deleted and kept."}});
  table.add(std::move(list), list_connectors);
  auto remove = connector_row("DELETE", one, "connector.delete", ConnectorNeeds::write,
                              "Deletes a connector.");
  remove.query = {{"delete_sync_jobs", "boolean", "Its sync jobs too."},
                  {"hard", "boolean", "Keep no record."},
                  dry_run_parameter};
  table.add(std::move(remove), delete_connector);
}

void add_updates(ConnectorTable& table) {
  struct Update {
    const char *tail, *operation, *summary;
    ConnectorFace face;
  };
  const Update updates[] = {
      {"_name", "connector.update_name", "Sets name and description.", set_name},
      {"_index_name", "connector.update_index_name", "Sets the index.", set_index_name},
      {"_configuration", "connector.update_configuration",
       "Sets the configuration, or values of it.", set_configuration},
      {"_scheduling", "connector.update_scheduling", "Sets schedules.", set_scheduling},
      {"_filtering", "connector.update_filtering", "Sets sync rules, or edits their draft.",
       set_filtering},
      {"_filtering/_validation", "connector.update_filtering_validation",
       "Says whether the draft of the sync rules is valid.", set_filtering_validation},
      {"_features", "connector.update_features", "Says what its service can do.", set_features},
      {"_pipeline", "connector.update_pipeline", "Sets the ingest pipeline.", set_pipeline},
      {"_status", "connector.update_status", "Moves the status.", set_status},
      {"_error", "connector.update_error", "Sets or clears the error.", set_error},
      {"_service_type", "connector.update_service_type", "Sets the kind of source.",
       set_service_type},
      {"_native", "connector.update_native", "Says who manages it.", set_native},
      {"_api_key_id", "connector.update_api_key_id", "Names its key.", set_api_key_id},
      {"_last_sync", "connector.last_sync", "Sets the figures of the last sync.", set_last_sync},
  };
  for (const auto& update : updates) {
    auto route = connector_row("PUT", std::string("/_connector/{connector_id}/") + update.tail,
                               update.operation, ConnectorNeeds::write, update.summary);
    route.body_required = true;
    table.add(std::move(route), update.face);
  }
  table.add(connector_row("PUT", "/_connector/{connector_id}/_filtering/_activate",
                          "connector.update_active_filtering", ConnectorNeeds::write,
                          "Makes the draft of the sync rules the ones that hold."),
            activate_filtering);
  table.add(connector_row("PUT", "/_connector/{connector_id}/_check_in", "connector.check_in",
                          ConnectorNeeds::write, "Notes a sign of life."),
            check_in);
  table.add(connector_row("POST", "/_connector/{connector_id}/_pause", "connector.pause",
                          ConnectorNeeds::write,
                          "Lets its sync jobs and schedules rest; one that runs is suspended."),
            pause);
  table.add(connector_row("POST", "/_connector/{connector_id}/_resume", "connector.resume",
                          ConnectorNeeds::write, "Ends a pause: what was suspended goes on."),
            resume);
}

}  // namespace

void add_connector_routes(Router& router, ServiceRef<connectors::Service> service,
                          ServiceRef<auth::Keys> keys) {
  ConnectorTable table(router, service);
  add_records(table);
  add_updates(table);
  add_connector_sources(table);
  add_connector_key_events(router, service, keys);
  add_connector_secrets(table);
  add_sync_jobs(table);
}

}  // namespace cairn::api
