// SPDX-License-Identifier: Apache-2.0
// The rows of inference and their handlers.
#include "api/routes/inference_routes.h"

#include <array>
#include <utility>

#include "api/forms/fields.h"
#include "api/routes/cluster/system_routes.h"
#include "api/routes/text_routes.h"

namespace cairn::api {
namespace {

using inference::Endpoint;
using inference::TaskType;

constexpr std::string_view all = "_all";

/// Tasks that have rows of their own, so that each operation of the interface is a row.
constexpr std::array tasks_with_rows{TaskType::sparse_embedding, TaskType::text_embedding,
                                     TaskType::rerank};

std::string path_of(TaskType task) {
  return "/_inference/" + std::string(inference::name_of(task)) + "/{inference_id}";
}

/// The columns that all rows of inference share.
gate::Route row(std::string method, std::string path, std::string operation, std::string action,
                std::string summary) {
  const bool reads = method == "GET" || method == "POST";
  return {.method = method,
          .path = std::move(path),
          .operation = std::move(operation),
          .cluster = {reads ? "monitor_inference" : "manage_inference"},
          .reads = reads,
          .since = "8.11.0",
          .summary = std::move(summary),
          .action = std::move(action)};
}

/// The task that the path names, if it names one: as a parameter, or in the path of the row.
Result<std::optional<TaskType>> task_of(const Call& call) {
  for (const TaskType task : tasks_with_rows) {
    if (call.route().path == path_of(task)) return std::optional<TaskType>(task);
  }
  const std::string& name = call.path("task_type");
  if (name.empty()) return std::optional<TaskType>();
  CAIRN_TRY(const TaskType task, inference::parse_task_type(name));
  return std::optional<TaskType>(task);
}

Json list_of(const std::vector<Endpoint>& endpoints, const inference::Service& service) {
  Json list = Json::array();
  for (const Endpoint& endpoint : endpoints) list.push(service.show(endpoint));
  return Json::object({{"endpoints", std::move(list)}});
}

Result<Reply> put(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  CAIRN_TRY(const std::int64_t wait_ms, call.time("timeout", service.options().create_timeout_ms));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const Endpoint endpoint,
            service.put_endpoint(task, call.path("inference_id"), body, wait_ms, call.deadline()));
  Reply reply = Reply::json(service.show(endpoint));
  if (const std::string advice = service.advice(endpoint); !advice.empty()) {
    // Clients show what calls itself so, and nothing else.
    reply.headers.set("Warning",
                      "299 Elasticsearch-" + std::string(platform_version) + " \"" + advice + "\"");
  }
  return reply;
}

Result<Reply> update(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(const Endpoint endpoint,
            service.update_endpoint(task, call.path("inference_id"), body, call.deadline()));
  return Reply::json(service.show(endpoint));
}

Result<Reply> get(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  const std::string& id = call.path("inference_id");
  if (id.empty() || id == all || id == "*") {
    return Reply::json(list_of(service.list_endpoints(task), service));
  }
  CAIRN_TRY(Endpoint endpoint, service.get_endpoint(id, task));
  return Reply::json(list_of({std::move(endpoint)}, service));
}

Result<Reply> remove(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  CAIRN_TRY(const bool dry_run, call.flag("dry_run", false));
  CAIRN_TRY(const bool force, call.flag("force", false));
  CAIRN_TRY(const auto report, service.delete_endpoint(task, call.path("inference_id"), dry_run,
                                                       force, call.deadline()));
  Json out = inference::to_json(report);
  if (!dry_run) return Reply::json(std::move(out));
  out.set("dry_run", true);
  out.set("would", Json::object({{"be_refused", !force && !report.error_message.empty()},
                                 {"indices", Json::array_of(report.indexes)},
                                 {"pipelines", Json::array_of(report.pipelines)}}));
  Reply reply = Reply::json(std::move(out));
  reply.tried = true;
  return reply;
}

Result<Reply> services(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  CAIRN_TRY(Json body, service.services(task, call.deadline()));
  return Reply::json(std::move(body));
}

/// Fields that are null count as absent.
Result<inference::InferFields> read_fields(Fields& body) {
  inference::InferFields out;
  if (!body.is_null("input")) {
    CAIRN_TRY(out.input, body.strings("input"));
  }
  if (!body.is_null("query")) {
    CAIRN_TRY(out.query, body.string("query"));
  }
  if (!body.is_null("input_type")) {
    CAIRN_TRY(out.input_type, body.string("input_type"));
  }
  if (!body.is_null("return_documents")) {
    CAIRN_TRY(out.return_documents, body.boolean("return_documents"));
  }
  if (!body.is_null("top_n")) {
    CAIRN_TRY(out.top_n, body.integer("top_n"));
  }
  if (!body.is_null("task_settings")) {
    CAIRN_TRY(const Json* settings, body.object("task_settings"));
    if (settings != nullptr) out.task_settings = *settings;
  }
  return out;
}

Result<Reply> infer(Call& call, inference::Service& service) {
  CAIRN_TRY(const auto task, task_of(call));
  // Faults of an unknown endpoint's body are told first, as before.
  const auto endpoint = service.get_endpoint(call.path("inference_id"));
  if (endpoint.ok() && gives_texts(endpoint->task) && (!task || *task == endpoint->task))
    return answer_text(call, service, *endpoint);
  CAIRN_TRY(const Json json, call.body());
  Fields body(json, "inference");
  CAIRN_TRY(inference::InferFields fields, read_fields(body));
  std::int64_t timeout_ms = service.options().infer_timeout_ms;
  if (!body.is_null("timeout")) {
    CAIRN_TRY(const auto asked, body.time_ms("timeout"));
    timeout_ms = asked.value_or(timeout_ms);
  }
  CAIRN_CHECK(body.finish());
  CAIRN_TRY(timeout_ms, call.time("timeout", timeout_ms));
  CAIRN_TRY(inference::InferRequest request,
            service.check(task, call.path("inference_id"), std::move(fields)));
  request.timeout_ms = timeout_ms;
  const os::Deadline deadline =
      timeout_ms <= 0 ? call.deadline() : call.deadline().sooner_ms(timeout_ms);
  CAIRN_TRY(const inference::InferResult result, service.infer(request, deadline));
  return Reply::raw_json(inference::render(result));
}

using Method = Result<Reply> (*)(Call&, inference::Service&);

/// Adds a row for the path without a task, one for the path with it, and those of single tasks.
void add_rows(Router& router, ServiceRef<inference::Service> service, gate::Route route,
              std::string_view rest, Method method) {
  for (const TaskType task : tasks_with_rows) {
    gate::Route one = route;
    one.path = path_of(task);
    if (route.method == "POST")
      one.operation = "inference." + std::string(inference::name_of(task));
    if (rest.empty()) {
      router.add(std::move(one), [service, method](Call& call) { return method(call, *service); });
    }
  }
  for (const std::string_view task : {"", "/{task_type}"}) {
    gate::Route one = route;
    one.path = "/_inference" + std::string(task) + "/{inference_id}" + std::string(rest);
    router.add(std::move(one), [service, method](Call& call) { return method(call, *service); });
  }
}

}  // namespace

void add_inference_call_routes(Router& router, ServiceRef<inference::Service> service) {
  gate::Route route = row("POST", "", "inference.inference", "cluster:monitor/xpack/inference/post",
                          "Runs an inference endpoint on one or more inputs.");
  route.body_required = true;
  route.waits = true;
  route.query = {{"timeout", "time",
                  "How long to wait for the result; -1 for ever, 0 only what can run at once. "
                  "Default 30s."}};
  add_rows(router, service, route, "", infer);
}

void add_inference_routes(Router& router, ServiceRef<inference::Service> service) {
  const std::string admin = "cluster:admin/xpack/inference/";
  const std::string monitor = "cluster:monitor/xpack/inference/";
  gate::Route route = row("PUT", "", "inference.put", admin + "put",
                          "Creates an inference endpoint and deploys its model. The task types "
                          "completion and chat_completion, and services other than the built-in "
                          "one, are extensions.");
  route.since = "8.13.0";
  route.body_required = true;
  route.query = {{"timeout", "time",
                  "How long to wait for the deployment; -1 for ever, 0 not at all. Default 30s."}};
  add_rows(router, service, route, "", put);

  route = row("PUT", "", "inference.update", admin + "update",
              "Changes the allocations and task settings of an inference endpoint.");
  route.since = "8.17.0";
  route.body_required = true;
  add_rows(router, service, route, "/_update", update);

  route = row("DELETE", "", "inference.delete", admin + "delete",
              "Deletes an inference endpoint and the deployment that it made.");
  route.query = {{"dry_run", "boolean", "Only tell what uses the endpoint."},
                 {"force", "boolean", "Delete it although it is used."}};
  add_rows(router, service, route, "", remove);

  route = row("GET", "", "inference.get", monitor + "get",
              "Shows one inference endpoint, or all of a task with _all.");
  add_rows(router, service, route, "", get);
  route.path = "/_inference";
  router.add(route, [service](Call& call) { return get(call, *service); });

  add_inference_call_routes(router, service);
  route = row("GET", "/_inference/_services", "inference.get_services", monitor + "services/get",
              "Lists the services that endpoints can name, and their settings.");
  router.add(route, [service](Call& call) { return services(call, *service); });
  route.path = "/_inference/_services/{task_type}";
  router.add(route, [service](Call& call) { return services(call, *service); });
}

}  // namespace cairn::api
