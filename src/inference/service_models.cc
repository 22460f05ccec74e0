// SPDX-License-Identifier: Apache-2.0
// The trained-model API: models, statistics, and deployments started by hand.
#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "format/time.h"
#include "inference/errors.h"
#include "inference/service_impl.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t largest_queue = 1'000'000;

bool is_wildcard(std::string_view token) {
  return token.empty() || token == "_all" || token.find('*') != std::string_view::npos;
}

bool fits(std::string_view token, std::string_view id) {
  return token.empty() || token == "_all" || wildcard_match(token, id);
}

/// One line of a list: a model, and one deployment of it or none.
struct Row {
  ModelInfo model;
  std::shared_ptr<Deployment> deployment;
  std::string deployment_id;
};

template <class Element>
std::vector<Element> page_of(std::vector<Element> all, const ModelQuery& query) {
  const std::size_t from = std::min(query.from, all.size());
  const std::size_t count = std::min(query.size, all.size() - from);
  return {std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(from)),
          std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(from + count))};
}

/// Keeps what an expression names. Errors: not_found for an id that fits nothing.
template <class Element, class Names>
Result<std::vector<Element>> select(std::vector<Element> all, const ModelQuery& query,
                                    const Names& names) {
  std::vector<bool> kept(all.size(), false);
  for (const std::string_view part : split(query.expression, ',')) {
    const std::string_view token = trim(part);
    bool found = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<std::string> of_row = names(all[i]);
      const bool hit = std::any_of(of_row.begin(), of_row.end(),
                                   [&](const std::string& name) { return fits(token, name); });
      if (hit) kept[i] = found = true;
    }
    if (!found && !(is_wildcard(token) && query.allow_no_match)) return model_not_found(token);
  }
  std::vector<Element> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept[i]) out.push_back(std::move(all[i]));
  }
  return out;
}

Json inference_config(const ModelInfo& model) {
  Json out = Json::object();
  if (model.supports(TaskType::sparse_embedding)) out.set("text_expansion", Json::object());
  if (model.supports(TaskType::text_embedding)) {
    out.set("text_embedding",
            Json::object({{"embedding_size", static_cast<std::int64_t>(model.dimensions)}}));
  }
  if (model.supports(TaskType::rerank)) out.set("text_similarity", Json::object());
  return out;
}

Json config_of(const ModelInfo& model, bool definition_status) {
  Json out = Json::object({{"model_id", model.model_id},
                           {"model_type", model.model_type},
                           {"create_time", model.created_ms},
                           {"model_size_bytes", model.size_bytes},
                           {"description", model.description},
                           {"tags", Json::array()},
                           {"input", Json::object({{"field_names", Json::array({"text_field"})}})},
                           {"inference_config", inference_config(model)}});
  if (definition_status) out.set("fully_defined", true);
  return out;
}

Json stats_of(const Row& row, const os::Clock& clock) {
  const auto loaded = row.deployment ? row.deployment->model() : nullptr;
  const std::uint64_t memory = loaded ? loaded->size_bytes() : row.model.size_bytes;
  Json out =
      Json::object({{"model_id", row.model.model_id},
                    {"model_size_stats", Json::object({{"model_size_bytes", row.model.size_bytes},
                                                       {"required_native_memory_bytes", memory}})},
                    {"pipeline_count", 0}});
  if (row.deployment == nullptr) return out;
  Json deployment = row.deployment->stats();
  out.set("inference_stats",
          Json::object({{"failure_count", deployment.int_or("error_count")},
                        {"inference_count", deployment.int_or("inference_count")},
                        {"cache_miss_count", 0},
                        {"missing_all_fields_count", 0},
                        {"timestamp", clock.unix_ms()}}));
  out.set("deployment_stats", std::move(deployment));
  return out;
}

Status check_start(const StartDeployment& params) {
  Faults faults;
  const bool adaptive = params.adaptive_allocations && params.adaptive_allocations->enabled;
  if (params.number_of_allocations && *params.number_of_allocations < 1) {
    faults.add("[number_of_allocations] must be a positive integer");
  }
  if (params.number_of_allocations && adaptive) {
    faults.add("[number_of_allocations] cannot be set if adaptive allocations is enabled");
  }
  if (params.queue_capacity < 1) faults.add("[queue_capacity] must be a positive integer");
  if (params.queue_capacity > largest_queue) {
    faults.add("[queue_capacity] must be less than 1000000");
  }
  if (params.priority != "normal" && params.priority != "low") {
    faults.add("[priority] must be one of [low, normal], got [" + params.priority + "]");
  }
  if (params.priority == "low" && params.threads_per_allocation > 1) {
    faults.add("[threads_per_allocation] must be 1 when [priority] is low");
  }
  if (params.priority == "low" && params.number_of_allocations.value_or(1) > 1) {
    faults.add("[number_of_allocations] must be 1 when [priority] is low");
  }
  if (params.wait_for != "started" && params.wait_for != "starting" &&
      params.wait_for != "fully_allocated") {
    faults.add("[wait_for] must be one of [started, starting, fully_allocated], got [" +
               params.wait_for + "]");
  }
  if (!faults.none()) return faults.error("action_request_validation_exception");
  return check_threads_per_allocation(params.threads_per_allocation);
}

Json assignment_body(const Deployment& deployment) {
  return Json::object({{"assignment", deployment.assignment()}});
}

}  // namespace

Status Service::Impl::check_allocations(std::optional<std::int64_t> number,
                                        const std::optional<AdaptiveAllocations>& adaptive,
                                        std::string_view doing) const {
  std::int64_t wanted = number.value_or(1);
  if (adaptive && adaptive->enabled) {
    wanted = std::max(wanted, adaptive->min_number_of_allocations.value_or(0));
  }
  const auto nodes = worker_nodes();
  const std::int64_t most = options.most_allocations(nodes ? nodes->processors() : 0);
  if (wanted <= most) return ok_status();
  return status_error(ErrorKind::rate_limited,
                      "Could not " + std::string(doing) +
                          " deployment because there are not enough resources to provide all "
                          "requested allocations: [" +
                          std::to_string(wanted) +
                          "] were requested, and a deployment has at most [" +
                          std::to_string(most) + "] here");
}

bool ModelInfo::supports(TaskType task) const {
  return std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

Result<Json> Service::trained_models(const ModelQuery& query, bool include_definition_status,
                                     const os::Deadline& deadline) const {
  CAIRN_TRY(std::vector<ModelInfo> all, impl_->models.list(deadline));
  CAIRN_TRY(std::vector<ModelInfo> chosen,
            select(std::move(all), query, [&](const ModelInfo& model) {
              std::vector<std::string> names{model.model_id};
              for (const auto& [alias, id] : impl_->options.model_aliases) {
                if (id == model.model_id) names.push_back(alias);
              }
              return names;
            }));
  const auto count = static_cast<std::int64_t>(chosen.size());
  Json configs = Json::array();
  for (const ModelInfo& model : page_of(std::move(chosen), query)) {
    configs.push(config_of(model, include_definition_status));
  }
  return Json::object({{"count", count}, {"trained_model_configs", std::move(configs)}});
}

Result<Json> Service::trained_model_stats(const ModelQuery& query,
                                          const os::Deadline& deadline) const {
  CAIRN_TRY(const std::vector<ModelInfo> models, impl_->models.list(deadline));
  std::vector<Row> rows;
  for (const auto& [id, deployment] : impl_->all_deployments()) {
    const std::string model_id = deployment->settings().model_id;
    const auto model = std::find_if(models.begin(), models.end(), [&](const ModelInfo& info) {
      return info.model_id == model_id;
    });
    rows.push_back({.model = model != models.end() ? *model : ModelInfo{.model_id = model_id},
                    .deployment = deployment,
                    .deployment_id = id});
  }
  for (const ModelInfo& model : models) {
    const bool deployed = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return row.model.model_id == model.model_id;
    });
    if (!deployed) rows.push_back({.model = model, .deployment = nullptr, .deployment_id = {}});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.model.model_id, a.deployment_id) <
           std::tie(b.model.model_id, b.deployment_id);
  });
  CAIRN_TRY(std::vector<Row> chosen, select(std::move(rows), query, [&](const Row& row) {
              std::vector<std::string> names{row.model.model_id};
              if (row.deployment) names.push_back(row.deployment_id);
              for (const auto& [alias, id] : impl_->options.model_aliases) {
                if (id == row.model.model_id) names.push_back(alias);
              }
              return names;
            }));
  const auto count = static_cast<std::int64_t>(chosen.size());
  Json stats = Json::array();
  for (const Row& row : page_of(std::move(chosen), query)) {
    stats.push(stats_of(row, impl_->clock));
  }
  return Json::object({{"count", count}, {"trained_model_stats", std::move(stats)}});
}

Result<Json> Service::start_deployment(const StartDeployment& params,
                                       const os::Deadline& deadline) {
  Impl& s = *impl_;
  CAIRN_CHECK(check_start(params));
  CAIRN_CHECK(
      s.check_allocations(params.number_of_allocations, params.adaptive_allocations, "start"));
  const os::Deadline limit =
      params.timeout_ms < 0 ? deadline : deadline.sooner_ms(params.timeout_ms);
  CAIRN_TRY(const ModelInfo model, s.discover_model(params.model_id, limit, deadline));
  DeploymentSettings settings;
  settings.deployment_id = params.deployment_id.value_or(model.model_id);
  settings.model_id = model.model_id;
  settings.threads_per_allocation = params.threads_per_allocation;
  settings.number_of_allocations = params.number_of_allocations.value_or(1);
  settings.adaptive_allocations = params.adaptive_allocations;
  if (settings.is_adaptive()) {
    settings.number_of_allocations = std::max<std::int64_t>(
        1, settings.adaptive_allocations->min_number_of_allocations.value_or(0));
  }
  settings.queue_capacity = params.queue_capacity;
  settings.priority = params.priority;
  if (settings.deployment_id != model.model_id) {
    CAIRN_CHECK(check_inference_id(settings.deployment_id));
  }
  std::shared_ptr<Deployment> deployment;
  {
    const ChangeLock change(s.changes);
    if (s.find_deployment(settings.deployment_id) != nullptr) {
      return bad_request(
          "Could not start model deployment because an existing deployment with the same id [" +
          settings.deployment_id + "] exist");
    }
    if (s.find(settings.deployment_id)) {
      return bad_request("Deployment IDs must be unique. Requested deployment ID [" +
                         settings.deployment_id + "] matches an existing inference endpoint ID");
    }
    CAIRN_CHECK(s.write_deployment(settings, deadline));
    deployment = s.add_deployment(std::move(settings));
    deployment->start();
  }
  if (params.wait_for == "starting") return assignment_body(*deployment);
  const Status started = deployment->wait_started(limit);
  if (started.ok()) return assignment_body(*deployment);
  if (deadline.stopped() || started.error().kind != ErrorKind::timeout || !limit.passed()) {
    return started.error();
  }
  return s.deployment_timeout(*deployment, params.timeout_ms);
}

Result<Json> Service::stop_deployment(std::string_view expression, bool allow_no_match, bool force,
                                      const os::Deadline& deadline) {
  Impl& s = *impl_;
  const ChangeLock change(s.changes);
  std::vector<std::shared_ptr<Deployment>> all;
  for (const auto& [id, deployment] : s.all_deployments()) all.push_back(deployment);
  const ModelQuery query{.expression = std::string(expression), .allow_no_match = allow_no_match};
  CAIRN_TRY(const auto chosen, select(all, query, [&](const auto& deployment) {
              const DeploymentSettings settings = deployment->settings();
              return std::vector<std::string>{settings.deployment_id, settings.model_id};
            }));
  for (const auto& deployment : chosen) {
    const DeploymentSettings settings = deployment->settings();
    const std::vector<std::string> users = s.users_of(settings.deployment_id);
    if (force || users.empty()) continue;
    const bool owned = !settings.owner.empty() && s.find(settings.owner);
    return status_error(ErrorKind::conflict,
                        "Cannot stop deployment [" + settings.deployment_id + "] as it " +
                            (owned ? "was created by inference endpoint [" + settings.owner
                                   : "is used by inference endpoint [" + users.front()) +
                            "]; use force to stop the deployment");
  }
  for (const auto& deployment : chosen) {
    CAIRN_CHECK(s.remove_deployment(deployment->settings().deployment_id, deadline));
  }
  return Json::object({{"stopped", true}});
}

Result<Json> Service::update_deployment(std::string_view id, const UpdateDeployment& params,
                                        const os::Deadline& deadline) {
  Impl& s = *impl_;
  const ChangeLock change(s.changes);
  const auto deployment = s.find_deployment(id);
  if (deployment == nullptr) {
    return not_found("deployment for model with id [" + std::string(id) + "] not found");
  }
  const DeploymentSettings before = deployment->settings();
  Faults faults;
  if (params.number_of_allocations && *params.number_of_allocations < 1) {
    faults.add("[number_of_allocations] must be a positive integer");
  }
  if (!params.number_of_allocations && !params.adaptive_allocations) {
    faults.add("one of [number_of_allocations, adaptive_allocations] must be set");
  }
  const auto& adaptive =
      params.adaptive_allocations ? params.adaptive_allocations : before.adaptive_allocations;
  if (params.number_of_allocations && adaptive && adaptive->enabled) {
    faults.add("[number_of_allocations] cannot be set if adaptive allocations is enabled");
  }
  if (!faults.none()) return faults.error("validation_exception");
  if (!before.owner.empty() && s.find(before.owner)) {
    return status_error(ErrorKind::conflict,
                        "Cannot update deployment [" + std::string(id) +
                            "] as it was created by inference endpoint [" + before.owner +
                            "]. This model deployment must be updated through the inference API.");
  }
  CAIRN_CHECK(
      s.check_allocations(params.number_of_allocations, params.adaptive_allocations, "update"));
  DeploymentSettings after = before;
  if (params.number_of_allocations) after.number_of_allocations = *params.number_of_allocations;
  after.adaptive_allocations = adaptive;
  CAIRN_CHECK(s.write_deployment(after, deadline));
  deployment->set_allocations(params.number_of_allocations, params.adaptive_allocations);
  return assignment_body(*deployment);
}

Result<Json> Service::services(std::optional<TaskType> task, const os::Deadline& deadline) const {
  CAIRN_TRY(const std::vector<ModelInfo> models, impl_->models.list(deadline));
  std::vector<TaskType> tasks;
  for (const TaskType one : {TaskType::rerank, TaskType::sparse_embedding, TaskType::text_embedding,
                             TaskType::completion, TaskType::chat_completion}) {
    const bool offered = std::any_of(models.begin(), models.end(),
                                     [&](const ModelInfo& model) { return model.supports(one); });
    if (offered) tasks.push_back(one);
  }
  const auto setting = [&](const char* label, const char* type, const char* description,
                           bool required, bool updatable) {
    Json names = Json::array();
    for (const TaskType one : tasks) names.push(name_of(one));
    return Json::object({{"description", description},
                         {"label", label},
                         {"required", required},
                         {"sensitive", false},
                         {"updatable", updatable},
                         {"type", type},
                         {"supported_task_types", std::move(names)}});
  };
  const Json configurations = Json::object(
      {{"model_id", setting("Model ID", "str", "The model that runs.", true, false)},
       {"num_allocations",
        setting("Number of allocations", "int", "Batches that may run at a time.", false, true)},
       {"num_threads",
        setting("Number of threads", "int",
                "Threads over which one batch is split: a power of 2, at most 32.", true, false)},
       {"element_type",
        setting("Element type", "str", "Numbers of dense vectors: float, byte or bit.", false,
                false)}});
  Json out = Json::array();
  for (const auto& [id, name] :
       {std::pair<const char*, const char*>{"cairn", "Cairn"}, {"elasticsearch", "Cairn"}}) {
    Json names = Json::array();
    bool fitting = !task;
    for (const TaskType one : tasks) {
      names.push(name_of(one));
      fitting = fitting || one == *task;
    }
    if (!fitting) continue;
    out.push(Json::object({{"service", id},
                           {"name", name},
                           {"task_types", std::move(names)},
                           {"configurations", configurations}}));
  }
  add_remote_services(out, task);
  return out;
}

}  // namespace cairn::inference
