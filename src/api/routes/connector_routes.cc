// SPDX-License-Identifier: Apache-2.0
#include "api/routes/connector_routes.h"

#include "api/forms/fields.h"
#include "connectors/errors.h"

namespace cairn::api {
namespace {

constexpr std::string_view index_of_connectors = ".elastic-connectors-v1";
constexpr std::string_view index_of_jobs = ".elastic-connectors-sync-jobs-v1";
constexpr std::int64_t connector_window_max = 10'000;

enum class Needs { read, write };

/// The columns that all rows of connectors share.
gate::Route row(std::string method, std::string path, std::string operation, Needs needs,
                std::string summary, bool job = false) {
  const bool writes = needs == Needs::write;
  return {.method = method,
          .path = std::move(path),
          .operation = std::move(operation),
          .cluster = writes ? std::vector<std::string>{"manage_connector"}
                            : std::vector<std::string>{"monitor_connector"},
          .index_privilege = writes ? "write" : "read",
          .fixed_index = std::string(job ? index_of_jobs : index_of_connectors),
          .stability = gate::Stability::beta,
          .since = "8.12.0",
          .summary = std::move(summary)};
}

Reply changed(bool yes) {
  return Reply::json(Json::object({{"result", yes ? "updated" : "noop"}}));
}

Reply acknowledged() { return Reply::json(Json::object({{"acknowledged", true}})); }

Json count_and_results(std::size_t count, std::vector<Json> results) {
  return Json::object({{"count", static_cast<std::int64_t>(count)},
                       {"results", Json(Json::Array(std::move(results)))}});
}

struct PageBounds {
  std::size_t from = 0;
  std::size_t size = 100;
};

Result<PageBounds> page_bounds(const Call& call) {
  CAIRN_TRY(const auto from, call.integer("from", 0));
  CAIRN_TRY(const auto size, call.integer("size", 100));
  if (from < 0 || size < 0) return connectors::invalid("[from] and [size] must not be negative");
  if (from + size > connector_window_max)
    return connectors::bad_argument("[from] + [size] must be at most " +
                                    std::to_string(connector_window_max) + ", got " +
                                    std::to_string(from + size));
  return PageBounds{static_cast<std::size_t>(from), static_cast<std::size_t>(size)};
}

const std::vector<gate::Parameter> window_parameters = {
    {"from", "integer", "Results to skip; 0 where absent."},
    {"size", "integer", "Results to give; 100 where absent."}};

std::vector<gate::Parameter> with_window(std::vector<gate::Parameter> more) {
  more.insert(more.begin(), window_parameters.begin(), window_parameters.end());
  return more;
}

// --- connectors

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
  CAIRN_TRY(const PageBounds bounds, page_bounds(call));
  CAIRN_TRY(const bool deleted, call.flag("include_deleted", false));
  CAIRN_TRY(auto page, service.records().list({.from = bounds.from,
                                               .size = bounds.size,
                                               .index_names = call.list("index_name"),
                                               .names = call.list("connector_name"),
                                               .service_types = call.list("service_type"),
                                               .query = call.query("query").value_or(""),
                                               .include_deleted = deleted},
                                              call.deadline()));
  return Reply::json(count_and_results(page.count, std::move(page.results)));
}

Result<Reply> delete_connector(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool hard, call.flag("hard", false));
  CAIRN_TRY(const bool jobs, call.flag("delete_sync_jobs", false));
  CAIRN_CHECK(service.remove_connector(call.path("connector_id"), hard, jobs, call.deadline()));
  return acknowledged();
}

Result<Reply> check_in(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.records().check_in(call.path("connector_id"), call.deadline()));
  return changed(true);
}

Result<Reply> set_name(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_name_request");
  CAIRN_CHECK(fields.string("name"));
  CAIRN_CHECK(fields.string("description"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_name(call.path("connector_id"), body, call.deadline()));
  return changed(other);
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
  return changed(other);
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
  return changed(other);
}

Result<Reply> set_scheduling(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_scheduling_request");
  CAIRN_TRY(const Json* scheduling, fields.required_object("scheduling"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other, service.records().set_scheduling(call.path("connector_id"),
                                                               *scheduling, call.deadline()));
  return changed(other);
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
  return changed(other);
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
  return changed(other);
}

Result<Reply> set_filtering_validation(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_filtering_validation_request");
  CAIRN_TRY(const Json* validation, fields.required_object("validation"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other, service.records().set_filtering_validation(
                                  call.path("connector_id"), *validation, call.deadline()));
  return changed(other);
}

Result<Reply> activate_filtering(Call& call, connectors::Service& service) {
  CAIRN_TRY(const bool other,
            service.records().activate_filtering(call.path("connector_id"), call.deadline()));
  return changed(other);
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
  return changed(other);
}

Result<Reply> set_status(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_status_request");
  CAIRN_TRY(const std::string status, fields.required_string("status"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_status(call.path("connector_id"), status, call.deadline()));
  return changed(other);
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
  return changed(other);
}

Result<Reply> set_service_type(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_service_type_request");
  CAIRN_TRY(const std::string type, fields.required_string("service_type"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool other,
            service.records().set_service_type(call.path("connector_id"), type, call.deadline()));
  return changed(other);
}

Result<Reply> set_native(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_update_native_request");
  CAIRN_TRY(const auto native, fields.boolean("is_native"));
  CAIRN_CHECK(fields.finish());
  if (!native) return connectors::invalid("Required [is_native]");
  CAIRN_TRY(const bool other,
            service.records().set_native(call.path("connector_id"), *native, call.deadline()));
  return changed(other);
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
  return changed(other);
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
  return changed(other);
}

// --- secrets of connector services

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

// --- a look at the source

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
  CAIRN_TRY(const PageBounds bounds, page_bounds(call));
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

// --- sync jobs

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
  CAIRN_TRY(const PageBounds bounds, page_bounds(call));
  CAIRN_TRY(auto page, service.jobs().list({.from = bounds.from,
                                            .size = bounds.size,
                                            .status = call.query("status").value_or(""),
                                            .connector_id = call.query("connector_id").value_or(""),
                                            .job_types = call.list("job_type")},
                                           call.deadline()));
  return Reply::json(count_and_results(page.count, std::move(page.results)));
}

Result<Reply> delete_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().remove(call.path("connector_sync_job_id"), call.deadline()));
  return acknowledged();
}

Result<Reply> cancel_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().cancel(call.path("connector_sync_job_id"), call.deadline()));
  return changed(true);
}

Result<Reply> check_in_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.jobs().check_in(call.path("connector_sync_job_id"), call.deadline()));
  return changed(true);
}

Result<Reply> claim_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_claim_sync_job_request");
  CAIRN_TRY(const std::string worker, fields.required_string("worker_hostname"));
  const Json* cursor = fields.any("sync_cursor");
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(
      service.jobs().claim(call.path("connector_sync_job_id"), worker, cursor, call.deadline()));
  return changed(true);
}

Result<Reply> fail_job(Call& call, connectors::Service& service) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "connector_sync_job_error_request");
  CAIRN_TRY(const std::string error, fields.required_string("error"));
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(service.jobs().fail(call.path("connector_sync_job_id"), error, call.deadline()));
  return changed(true);
}

Result<Reply> complete_job(Call& call, connectors::Service& service) {
  CAIRN_CHECK(service.complete_job(call.path("connector_sync_job_id"), call.deadline()));
  return changed(true);
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
  return changed(true);
}

using ConnectorFace = Result<Reply> (*)(Call&, connectors::Service&);

class ConnectorTable {
 public:
  ConnectorTable(Router& router, ServiceRef<connectors::Service> service)
      : router_(router), service_(service) {}
  void add(gate::Route route, ConnectorFace face) {
    router_.add(std::move(route),
                [face, service = service_](Call& call) { return face(call, *service); });
  }

 private:
  Router& router_;
  ServiceRef<connectors::Service> service_;
};

void add_records(ConnectorTable& table) {
  const std::string one = "/_connector/{connector_id}";
  for (const auto& [method, path, operation] :
       {std::tuple{"PUT", std::string("/_connector"), "connector.put"},
        std::tuple{"PUT", one, "connector.put"},
        std::tuple{"POST", std::string("/_connector"), "connector.post"}}) {
    auto route = row(method, path, operation, Needs::write, "Creates or replaces a connector.");
    route.content = true;
    table.add(std::move(route), put_connector);
  }
  auto get = row("GET", one, "connector.get", Needs::read, "Gives a connector.");
  get.query = {{"include_deleted", "boolean", "Also one that was deleted and kept."}};
  table.add(std::move(get), get_connector);
  auto list = row("GET", "/_connector", "connector.list", Needs::read, "Lists connectors.");
  list.query = with_window({{"index_name", "list", "Only with one of these indices."},
                            {"connector_name", "list", "Only with one of these names."},
                            {"service_type", "list", "Only with one of these types."},
                            {"query", "string", "A part of index name, name or description."},
                            {"include_deleted", "boolean", "Also those deleted and kept."}});
  table.add(std::move(list), list_connectors);
  auto remove = row("DELETE", one, "connector.delete", Needs::write, "Deletes a connector.");
  remove.query = {{"delete_sync_jobs", "boolean", "Its sync jobs too."},
                  {"hard", "boolean", "Keep no record."}};
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
    auto route = row("PUT", std::string("/_connector/{connector_id}/") + update.tail,
                     update.operation, Needs::write, update.summary);
    route.body_required = true;
    table.add(std::move(route), update.face);
  }
  table.add(row("PUT", "/_connector/{connector_id}/_filtering/_activate",
                "connector.update_active_filtering", Needs::write,
                "Makes the draft of the sync rules the ones that hold."),
            activate_filtering);
  table.add(row("PUT", "/_connector/{connector_id}/_check_in", "connector.check_in", Needs::write,
                "Notes a sign of life."),
            check_in);
}

void add_secrets(ConnectorTable& table) {
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
    auto route = row("POST", std::string("/_connector/{connector_id}/") + look.tail, look.operation,
                     Needs::write, look.summary);
    route.computes = true;
    if (look.face == preview_source)
      route.query = {{"size", "integer", "Documents to give, at most 100; 10 where absent."}};
    table.add(std::move(route), look.face);
  }
}

void add_problems(ConnectorTable& table) {
  auto route = row("GET", "/_connector/{connector_id}/_problems", "connector.problems", Needs::read,
                   "Lists what the last sync could not read, with the reasons.");
  route.query = with_window({});
  table.add(std::move(route), list_problems);
}

void add_jobs(ConnectorTable& table) {
  const std::string all = "/_connector/_sync_job";
  const std::string one = all + "/{connector_sync_job_id}";
  auto create =
      row("POST", all, "connector.sync_job_post", Needs::write, "Creates a sync job.", true);
  create.content = true;
  create.body_required = true;
  table.add(std::move(create), create_job);
  table.add(row("GET", one, "connector.sync_job_get", Needs::read, "Gives a sync job.", true),
            get_job);
  auto list = row("GET", all, "connector.sync_job_list", Needs::read, "Lists sync jobs.", true);
  list.query = with_window({{"status", "string", "Only in this state."},
                            {"connector_id", "string", "Only of this connector."},
                            {"job_type", "list", "Only of these types."}});
  table.add(std::move(list), list_jobs);
  table.add(
      row("DELETE", one, "connector.sync_job_delete", Needs::write, "Deletes a sync job.", true),
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
    auto route =
        row("PUT", one + "/" + update.tail, update.operation, Needs::write, update.summary, true);
    route.body_required = update.body;
    table.add(std::move(route), update.face);
  }
}

}  // namespace

void add_connector_routes(Router& router, ServiceRef<connectors::Service> service) {
  ConnectorTable table(router, service);
  add_records(table);
  add_updates(table);
  add_looks(table);
  add_problems(table);
  add_secrets(table);
  add_jobs(table);
}

}  // namespace cairn::api
