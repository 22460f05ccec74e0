// SPDX-License-Identifier: Apache-2.0
// The rows of trained models and their handlers.
#include "api/routes/ml_routes.h"

#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

constexpr std::int64_t model_window_max = 10'000;
const std::string models_path = "/_ml/trained_models";

gate::Route row(std::string method, std::string path, std::string operation, std::string action,
                std::string since, std::string summary) {
  const bool reads = method == "GET";
  return {.method = method,
          .path = std::move(path),
          .operation = std::move(operation),
          .cluster = {reads ? "monitor_ml" : "manage_ml"},
          .since = std::move(since),
          .summary = std::move(summary),
          .action = std::move(action)};
}

const std::vector<gate::Parameter>& list_parameters() {
  static const std::vector<gate::Parameter> parameters{
      {"allow_no_match", "boolean", "Whether a wildcard may fit nothing. Default true."},
      {"from", "integer", "Rows to pass over. Default 0."},
      {"size", "integer", "Rows to show. Default 100."}};
  return parameters;
}

Result<inference::ModelQuery> query_of(const Call& call) {
  inference::ModelQuery out{.expression = call.path("model_id")};
  CAIRN_TRY(out.allow_no_match, call.flag("allow_no_match", true));
  CAIRN_TRY(const std::int64_t from, call.integer("from", 0));
  CAIRN_TRY(const std::int64_t size, call.integer("size", 100));
  if (from < 0) return illegal_argument("Parameter [from] cannot be < 0");
  if (size < 0) return illegal_argument("Parameter [size] cannot be < 0");
  if (from > model_window_max || size > model_window_max || from + size > model_window_max) {
    return illegal_argument("The sum of parameters [from] and [size] cannot be higher than " +
                            std::to_string(model_window_max) + ".");
  }
  out.from = static_cast<std::size_t>(from);
  out.size = static_cast<std::size_t>(size);
  return out;
}

Result<Reply> list_models(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto query, query_of(call));
  bool definition_status = false;
  for (const std::string& part : call.list("include")) {
    if (part != "definition_status") {
      return illegal_argument("[include] must be [definition_status], got [" + part + "]");
    }
    definition_status = true;
  }
  CAIRN_TRY(Json body, service.trained_models(query, definition_status, call.deadline()));
  return Reply::json(std::move(body));
}

Result<Reply> model_stats(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto query, query_of(call));
  CAIRN_TRY(Json body, service.trained_model_stats(query, call.deadline()));
  return Reply::json(std::move(body));
}

/// The adaptive allocations of a body, where it has them.
Result<std::optional<inference::AdaptiveAllocations>> adaptive_of(Fields& body) {
  std::optional<inference::AdaptiveAllocations> out;
  if (body.is_null("adaptive_allocations")) return out;
  CAIRN_TRY(const Json* settings, body.object("adaptive_allocations"));
  if (settings != nullptr) {
    CAIRN_TRY(out, inference::parse_adaptive_allocations(*settings));
  }
  return out;
}

Result<Reply> start(Call& call, inference::Service& service) {
  inference::StartDeployment params{.model_id = call.path("model_id")};
  params.deployment_id = call.query("deployment_id");
  if (call.query("number_of_allocations")) {
    CAIRN_TRY(params.number_of_allocations, call.integer("number_of_allocations", 1));
  }
  CAIRN_TRY(params.threads_per_allocation, call.integer("threads_per_allocation", 1));
  CAIRN_TRY(params.queue_capacity,
            call.integer("queue_capacity", service.options().queue_capacity));
  params.priority = call.query("priority").value_or(params.priority);
  params.wait_for = call.query("wait_for").value_or(params.wait_for);
  CAIRN_TRY(params.timeout_ms, call.time("timeout", params.timeout_ms));
  CAIRN_TRY(const auto json, call.optional_body());
  if (json) {
    Fields body(*json, "start_trained_model_deployment_request");
    CAIRN_TRY(params.adaptive_allocations, adaptive_of(body));
    CAIRN_CHECK(body.finish());
  }
  CAIRN_TRY(Json out, service.start_deployment(params, call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> stop(Call& call, inference::Service& service) {
  CAIRN_TRY(const bool allow_no_match, call.flag("allow_no_match", true));
  CAIRN_TRY(const bool force, call.flag("force", false));
  CAIRN_TRY(Json out,
            service.stop_deployment(call.path("model_id"), allow_no_match, force, call.deadline()));
  return Reply::json(std::move(out));
}

Result<Reply> update_deployment(Call& call, inference::Service& service) {
  inference::UpdateDeployment params;
  if (call.query("number_of_allocations")) {
    CAIRN_TRY(params.number_of_allocations, call.integer("number_of_allocations", 1));
  }
  CAIRN_TRY(const auto json, call.optional_body());
  if (json) {
    Fields body(*json, "update_trained_model_deployment_request");
    if (!body.is_null("number_of_allocations") && body.has("number_of_allocations")) {
      CAIRN_TRY(params.number_of_allocations, body.integer("number_of_allocations"));
    }
    CAIRN_TRY(params.adaptive_allocations, adaptive_of(body));
    CAIRN_CHECK(body.finish());
  }
  CAIRN_TRY(Json out, service.update_deployment(call.path("model_id"), params, call.deadline()));
  return Reply::json(std::move(out));
}

}  // namespace

void add_ml_routes(Router& router, ServiceRef<inference::Service> service) {
  const auto add = [&](gate::Route route, auto method) {
    router.add(std::move(route), [service, method](Call& call) { return method(call, *service); });
  };
  const std::string one = models_path + "/{model_id}";
  for (const std::string& path : {models_path, one}) {
    gate::Route route =
        row("GET", path, "ml.get_trained_models", "cluster:monitor/xpack/ml/inference/get",
            "7.10.0", "Lists the models of the model store.");
    route.query = list_parameters();
    route.query.push_back({"include", "list", "definition_status: show that files are complete."});
    add(route, list_models);
    route = row("GET", path + "/_stats", "ml.get_trained_models_stats",
                "cluster:monitor/xpack/ml/inference/stats/get", "7.10.0",
                "Shows deployments: state, allocations, progress of loading, counters.");
    route.query = list_parameters();
    add(route, model_stats);
  }
  gate::Route route =
      row("POST", one + "/deployment/_start", "ml.start_trained_model_deployment",
          "cluster:admin/xpack/ml/trained_models/deployment/start", "8.0.0", "Deploys a model.");
  route.query = {{"deployment_id", "string", "Default: the id of the model."},
                 {"number_of_allocations", "integer", "Batches that run at a time. Default 1."},
                 {"threads_per_allocation", "integer", "A power of 2, at most 32. Default 1."},
                 {"queue_capacity", "integer", "Inputs that may wait. Default 1024."},
                 {"priority", "string", "normal or low."},
                 {"timeout", "time", "How long to wait for the start. Default 20s."},
                 {"wait_for", "string", "started, starting or fully_allocated."}};
  add(route, start);
  route =
      row("POST", one + "/deployment/_stop", "ml.stop_trained_model_deployment",
          "cluster:admin/xpack/ml/trained_models/deployment/stop", "8.0.0", "Stops deployments.");
  route.query = {{"allow_no_match", "boolean", "Whether a wildcard may fit nothing. Default true."},
                 {"force", "boolean", "Stop although inference endpoints use it."}};
  add(route, stop);
  route = row("POST", one + "/deployment/_update", "ml.update_trained_model_deployment",
              "cluster:admin/xpack/ml/trained_models/deployment/update", "8.6.0",
              "Changes the allocations of a deployment.");
  route.query = {{"number_of_allocations", "integer", "Batches that run at a time."}};
  add(route, update_deployment);
}

}  // namespace cairn::api
