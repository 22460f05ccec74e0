// SPDX-License-Identifier: Apache-2.0
// Opening the service, looking things up, and the step of scaling.
#include "inference/service.h"

#include <algorithm>
#include <array>
#include <utility>

#include "inference/errors.h"
#include "inference/quotes/quotation.h"
#include "inference/service_impl.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

constexpr std::string_view endpoint_prefix = "endpoints/";
constexpr std::string_view deployment_prefix = "deployments/";
constexpr std::int64_t tick_ms = 1'000;  // how often it is looked whether scaling is due

struct Preconfigured {
  std::string_view id;
  TaskType task;
  std::string_view service;
  std::string_view deployment_id;
};

/// The first three are the ids that clients and documents of the search platform know; the others
/// say what they are, and those of one kind share a deployment.
constexpr std::array<Preconfigured, 8> preconfigured{{
    {".elser-2-elasticsearch", TaskType::sparse_embedding, "elasticsearch",
     ".elser-2-elasticsearch"},
    {".multilingual-e5-small-elasticsearch", TaskType::text_embedding, "elasticsearch",
     ".multilingual-e5-small-elasticsearch"},
    {".rerank-v1-elasticsearch", TaskType::rerank, "elasticsearch", ".rerank-v1-elasticsearch"},
    {".cairn-sparse", TaskType::sparse_embedding, "cairn", ".elser-2-elasticsearch"},
    {".cairn-dense", TaskType::text_embedding, "cairn", ".multilingual-e5-small-elasticsearch"},
    {".cairn-rerank", TaskType::rerank, "cairn", ".rerank-v1-elasticsearch"},
    {".cairn-chat", TaskType::chat_completion, "cairn", ".cairn-chat"},
    {".cairn-completion", TaskType::completion, "cairn", ".cairn-chat"},
}};

Result<Json> read_record(store::Store& records, const std::string& key,
                         const os::Deadline& deadline, std::string& etag) {
  CAIRN_TRY(const store::Object object, records.get(key, deadline));
  etag = object.info.etag;
  return parse_json(object.bytes);
}

void log_bad_record(const std::string& key, const Error& error) {
  os::log(os::LogLevel::error, "inference", "record_unreadable",
          {{"key", key}, {"reason", error.message}});
}

}  // namespace

ChangeLock::ChangeLock(Mutex& changes) : changes_(changes) {
  const os::Blocking blocking;
  changes_.lock();
}

Error endpoint_not_found(std::string_view id) {
  return not_found("Inference endpoint not found [" + std::string(id) + "]");
}

Error other_task(TaskType requested, TaskType actual) {
  return bad_request("Requested task type [" + std::string(name_of(requested)) +
                     "] does not match the inference endpoint's task type [" +
                     std::string(name_of(actual)) + "]");
}

Error incompatible_task(TaskType requested, TaskType actual) {
  return bad_request("Incompatible task_type, the requested type [" +
                     std::string(name_of(requested)) + "] does not match the model type [" +
                     std::string(name_of(actual)) + "]");
}

Error model_not_found(std::string_view model_id) {
  return not_found("No known trained model with model_id [" + std::string(model_id) + "]");
}

DeploymentSettings settings_for(const Endpoint& endpoint, const Options& options) {
  DeploymentSettings out;
  out.deployment_id = endpoint.deployment_id;
  out.model_id = endpoint.model_id;
  out.threads_per_allocation = endpoint.num_threads;
  out.number_of_allocations = endpoint.num_allocations.value_or(1);
  out.adaptive_allocations = endpoint.adaptive_allocations;
  if (out.is_adaptive()) {
    out.number_of_allocations = std::max<std::int64_t>(
        1, endpoint.adaptive_allocations->min_number_of_allocations.value_or(0));
  }
  out.queue_capacity = options.queue_capacity;
  if (endpoint.owns_deployment || endpoint.preconfigured) out.owner = endpoint.deployment_id;
  return out;
}

Service::Impl::Impl(store::Store& r, ModelSource& m, os::Pool& c, const os::Clock& k, Options o,
                    net::ClientOptions client)
    : records(r),
      models(m),
      cpu(c),
      clock(k),
      options(std::move(o)),
      remotes(std::make_unique<RemoteModels>(std::move(client), k)),
      fetchers({.name = "model-fetch", .threads = options.fetchers, .queue = 1'024}),
      loaders({.name = "model-load", .threads = options.loaders, .queue = 1'024}) {}

std::optional<Endpoint> Service::Impl::find(std::string_view id) const {
  const MutexLock lock(mutex);
  const auto at = endpoints.find(id);
  if (at == endpoints.end()) return std::nullopt;
  return at->second.endpoint;
}

std::shared_ptr<Deployment> Service::Impl::find_deployment(std::string_view id) const {
  const MutexLock lock(mutex);
  const auto at = deployments.find(id);
  return at == deployments.end() ? nullptr : at->second;
}

Service::Impl::Deployments Service::Impl::all_deployments() const {
  const MutexLock lock(mutex);
  return deployments;
}

std::shared_ptr<WorkerNodes> Service::Impl::worker_nodes() const {
  const MutexLock lock(mutex);
  return workers;
}

std::vector<std::string> Service::Impl::users_of(std::string_view deployment_id) const {
  const MutexLock lock(mutex);
  std::vector<std::string> out;
  for (const auto& [id, kept] : endpoints) {
    if (kept.endpoint.deployment_id == deployment_id) out.push_back(id);
  }
  return out;
}

Endpoint Service::Impl::shown(Endpoint endpoint) const {
  const auto deployment = find_deployment(endpoint.deployment_id);
  if (deployment == nullptr) return endpoint;
  const DeploymentSettings live = deployment->settings();
  endpoint.num_allocations = live.number_of_allocations;
  if (!endpoint.owns_deployment) {
    endpoint.num_threads = live.threads_per_allocation;
    endpoint.adaptive_allocations = live.adaptive_allocations;
  }
  if (const auto model = deployment->model(); model && endpoint.task == TaskType::text_embedding) {
    endpoint.dimensions = model->dimensions();
    endpoint.similarity =
        similarity_of(endpoint.element_type, std::string(model->similarity()));
  }
  if (const auto model = deployment->model(); model && endpoint.preconfigured)
    endpoint.quotes = gives_texts(endpoint.task) && model->quotes();
  return endpoint;
}

std::string_view Service::Impl::resolve_alias(std::string_view model_id) const {
  for (const auto& [alias, model] : options.model_aliases) {
    if (alias == model_id) return model;
  }
  return {};
}

Result<ModelInfo> Service::Impl::find_model(std::string_view model_id,
                                            const os::Deadline& deadline) const {
  Result<ModelInfo> info = models.describe(model_id, deadline);
  if (info.ok() || info.error().kind != ErrorKind::not_found) return info;
  if (const std::string_view stand_in = resolve_alias(model_id); !stand_in.empty())
    return models.describe(stand_in, deadline);
  const std::string_view own = model_that_quotes_as(model_id);
  if (own.empty()) return model_not_found(model_id);
  info = models.describe(own, deadline);
  if (info.ok() ? info->quotes : info.error().kind != ErrorKind::not_found) return info;
  return model_not_found(model_id);
}

Result<ModelInfo> Service::Impl::discover_model(std::string_view model_id,
                                                const os::Deadline& wait,
                                                const os::Deadline& deadline) const {
  Result<ModelInfo> here = find_model(model_id, deadline);
  if (here.ok() || here.error().kind != ErrorKind::not_found) return here;
  const os::Blocking blocking;
  for (std::int64_t pause_ms = 250;; pause_ms = std::min<std::int64_t>(pause_ms * 2, 10'000)) {
    Result<ModelInfo> info = models.discover(model_id, deadline);
    if (info.ok() || info.error().kind != ErrorKind::unavailable) return info;
    if (os::sleep_ms(pause_ms, wait)) continue;
    CAIRN_CHECK(deadline.check("asking for model [" + std::string(model_id) + "]"));
    Error unknown = model_not_found(model_id);
    unknown.message += ", and " + info.error().message;
    unknown.cause = std::make_shared<const Error>(std::move(info).error());
    return unknown;
  }
}

void Service::Impl::add_preconfigured(const os::Deadline& deadline) {
  const Result<ModelInfo> model = find_model(options.default_model, deadline);
  if (!model.ok()) {
    os::log(os::LogLevel::warn, "inference", "default_model_missing",
            {{"model_id", options.default_model}, {"reason", model.error().message}});
  }
  const MutexLock lock(mutex);
  for (const Preconfigured& one : preconfigured) {
    Endpoint endpoint;
    endpoint.inference_id = one.id;
    endpoint.task = one.task;
    endpoint.service = one.service;
    endpoint.model_id = options.default_model;
    endpoint.deployment_id = one.deployment_id;
    endpoint.owns_deployment = one.id == one.deployment_id;
    endpoint.adaptive_allocations =
        AdaptiveAllocations{.enabled = true,
                            .min_number_of_allocations = 0,
                            .max_number_of_allocations = options.adaptive_max};
    if (one.task == TaskType::sparse_embedding || one.task == TaskType::text_embedding)
      endpoint.chunking_settings.emplace();
    endpoint.quotes = gives_texts(one.task) && model.ok() && model->quotes;
    if (one.task == TaskType::text_embedding && model.ok()) {
      endpoint.dimensions = model->dimensions;
      endpoint.similarity = model->similarity;
    }
    endpoint.preconfigured = true;
    endpoints[endpoint.inference_id] = Kept{.endpoint = endpoint};
  }
}

Status Service::Impl::read_endpoints(const os::Deadline& deadline) {
  return store::for_each_object(
      records, endpoint_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        Kept kept;
        const Result<Json> record = read_record(records, info.key, deadline, kept.etag);
        if (!record.ok() && record.error().kind != ErrorKind::invalid_argument) {
          return record.error();
        }
        Result<Endpoint> endpoint = record.ok() ? from_record(*record) : record.error();
        if (!endpoint.ok()) {
          log_bad_record(info.key, endpoint.error());
          return ok_status();
        }
        kept.endpoint = std::move(endpoint).value();
        const MutexLock lock(mutex);
        endpoints[kept.endpoint.inference_id] = std::move(kept);
        return ok_status();
      });
}

Status Service::Impl::read_deployments(const os::Deadline& deadline) {
  return store::for_each_object(
      records, deployment_prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        std::string etag;
        const Result<Json> record = read_record(records, info.key, deadline, etag);
        if (!record.ok() && record.error().kind != ErrorKind::invalid_argument) {
          return record.error();
        }
        Result<DeploymentSettings> settings =
            record.ok() ? deployment_from_record(*record) : record.error();
        if (!settings.ok()) {
          log_bad_record(info.key, settings.error());
          return ok_status();
        }
        // Left behind by a deletion or a creation that was cut.
        if (!settings->owner.empty() && users_of(settings->deployment_id).empty()) {
          const auto removed = records.remove(info.key, deadline);
          // Whoever only reads the store leaves it there.
          if (!removed.ok() && removed.error().kind != ErrorKind::permission_denied)
            return removed.error();
          return ok_status();
        }
        if (settings->is_adaptive()) {
          settings->number_of_allocations = std::max<std::int64_t>(
              1, settings->adaptive_allocations->min_number_of_allocations.value_or(0));
        }
        add_deployment(std::move(settings).value())->start();
        return ok_status();
      });
}

Service::Service(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Service>> Service::open(store::Store& records, ModelSource& models,
                                               os::Pool& cpu, const os::Clock& clock,
                                               Options options, const os::Deadline& deadline) {
  CAIRN_CHECK(options.validate());
  CAIRN_TRY(auto client, remote_client_options(options.remote_allowed_hosts));
  auto impl = std::make_unique<Impl>(records, models, cpu, clock, std::move(options),
                                     std::move(client));
  impl->add_preconfigured(deadline);
  CAIRN_CHECK(impl->read_endpoints(deadline));
  CAIRN_CHECK(impl->read_deployments(deadline));
  auto service = std::unique_ptr<Service>(new Service(std::move(impl)));
  if (service->impl_->options.background) {
    const auto ticks = [raw = service.get()](const std::stop_token& stop) {
      const os::Deadline forever = os::Deadline::never(stop);
      while (os::sleep_ms(tick_ms, forever)) raw->tick();
    };
    CAIRN_TRY(service->impl_->ticker, os::Thread::start_stoppable({.name = "cairn-models"}, ticks));
  }
  return service;
}

Service::~Service() {
  impl_->ticker.request_stop();
  impl_->ticker.join();
  const auto deployments = impl_->all_deployments();
  for (const auto& [id, deployment] : deployments) deployment->stop();
  // Batches that other nodes run end with the calls for them.
  for (const auto& [id, deployment] : deployments) deployment->set_places({});
  impl_->workers.reset();
}

void Service::set_nodes(OtherNodes nodes) {
  const MutexLock lock(impl_->mutex);
  impl_->workers = std::make_shared<WorkerNodes>(std::move(nodes), impl_->clock);
}

void Service::set_references(References references) { impl_->references = std::move(references); }

void Service::set_key_seal(KeySeal keys) { impl_->remotes->set_key_seal(std::move(keys)); }

const Options& Service::options() const { return impl_->options; }

Result<Endpoint> Service::get_endpoint(std::string_view id, std::optional<TaskType> task) const {
  std::optional<Endpoint> endpoint = impl_->find(id);
  if (!endpoint) return endpoint_not_found(id);
  if (task && *task != endpoint->task) return other_task(*task, endpoint->task);
  return impl_->shown(*std::move(endpoint));
}

std::vector<Endpoint> Service::list_endpoints(std::optional<TaskType> task) const {
  std::vector<Endpoint> out;
  {
    const MutexLock lock(impl_->mutex);
    for (const auto& [id, kept] : impl_->endpoints) {
      if (!task || *task == kept.endpoint.task) out.push_back(kept.endpoint);
    }
  }
  for (Endpoint& endpoint : out) endpoint = impl_->shown(std::move(endpoint));
  return out;
}

Json Service::show(const Endpoint& endpoint) const {
  Json out = to_json(endpoint);
  const auto deployment = impl_->find_deployment(endpoint.deployment_id);
  if (deployment == nullptr) return out;
  if (Json progress = deployment->progress(); !progress.is_null()) {
    out.set("deployment", std::move(progress));
  }
  return out;
}

void Service::tick() {
  const auto deployments = impl_->all_deployments();
  for (const auto& [id, deployment] : deployments) deployment->scale();
  if (const auto workers = impl_->worker_nodes()) workers->look(deployments);
}

}  // namespace cairn::inference
