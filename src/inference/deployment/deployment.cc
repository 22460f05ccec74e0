// SPDX-License-Identifier: Apache-2.0
// Starting, stopping and scaling a deployment.
#include "inference/deployment/deployment.h"

#include <algorithm>
#include <utility>

#include "inference/deployment/deployment_impl.h"
#include "inference/errors.h"
#include "os/log.h"
#include "os/threads/blocking.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::size_t bytes_of_a_token = 8;

os::MetricLabels labels(const DeploymentSettings& settings) {
  return {{"model_id", os::shown_name("model", settings.model_id)}};
}

/// One token more than a token.
Status warm_up_texts(const TextModel& model, const os::Deadline& deadline) {
  CAIRN_TRY(const std::unique_ptr<StepModel> steps, model.steps(SIZE_MAX));
  KvSequence sequence;
  const std::uint32_t id = 0;
  const StepInput one{.sequence = &sequence, .ids = {&id, 1}, .output = StepOutput::logits};
  return steps->step({&one, 1}, deadline);
}

}  // namespace

std::string_view name_of(DeploymentState state) {
  switch (state) {
    case DeploymentState::starting:
      return "starting";
    case DeploymentState::started:
      return "started";
    case DeploymentState::stopping:
      return "stopping";
    case DeploymentState::failed:
      return "failed";
  }
  return "unknown";
}

Json to_record(const DeploymentSettings& settings) {
  Json out = Json::object({{"format", 1},
                           {"deployment_id", settings.deployment_id},
                           {"model_id", settings.model_id},
                           {"threads_per_allocation", settings.threads_per_allocation},
                           {"number_of_allocations", settings.number_of_allocations},
                           {"queue_capacity", settings.queue_capacity},
                           {"priority", settings.priority},
                           {"owner", settings.owner}});
  if (settings.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*settings.adaptive_allocations));
  }
  return out;
}

Result<DeploymentSettings> deployment_from_record(const Json& record) {
  DeploymentSettings out;
  out.deployment_id = record.string_or("deployment_id");
  out.model_id = record.string_or("model_id");
  if (out.deployment_id.empty() || out.model_id.empty()) {
    return Error{.kind = ErrorKind::corrupt,
                 .message = "the record of a deployment holds no deployment_id or no model_id"};
  }
  out.threads_per_allocation = record.int_or("threads_per_allocation", 1);
  out.number_of_allocations = record.int_or("number_of_allocations", 1);
  out.queue_capacity = record.int_or("queue_capacity", out.queue_capacity);
  out.priority = record.string_or("priority", out.priority);
  out.owner = record.string_or("owner");
  if (const Json* adaptive = record.find("adaptive_allocations")) {
    CAIRN_TRY(out.adaptive_allocations, parse_adaptive_allocations(*adaptive));
  }
  return out;
}

Deployment::Impl::Impl(DeploymentSettings s, ModelSource& m, os::Pool& c, os::Pool& l, os::Pool& f,
                       const os::Clock& k, const Options& o)
    : models(m),
      cpu(c),
      loaders(l),
      fetchers(f),
      clock(k),
      options(o),
      created_ms(k.unix_ms()),
      inputs_metric(os::metrics().counter("cairn_inference_inputs_total",
                                          "Inputs that models have run", labels(s))),
      errors_metric(os::metrics().counter("cairn_inference_errors_total",
                                          "Inputs that a model failed on", labels(s))),
      rejected_metric(os::metrics().counter("cairn_inference_rejected_total",
                                            "Calls refused since the queue was full", labels(s))),
      timeouts_metric(os::metrics().counter("cairn_inference_timeouts_total",
                                            "Calls whose time ended before a result", labels(s))),
      cpu_metric(os::metrics().seconds("cairn_inference_cpu_seconds_total",
                                       "CPU time of models, whoever asked", labels(s))),
      batch_metric(os::metrics().histogram("cairn_inference_batch_seconds",
                                           "Time of one batch on an allocation", labels(s))),
      settings(std::move(s)),
      sampled_ns(k.steady_ns()),
      last_request_ns(sampled_ns) {}

Deployment::Deployment(DeploymentSettings settings, ModelSource& models, os::Pool& cpu,
                       os::Pool& loaders, os::Pool& fetchers, const os::Clock& clock,
                       const Options& options)
    : impl_(std::make_shared<Impl>(std::move(settings), models, cpu, loaders, fetchers, clock,
                                   options)) {}

Deployment::~Deployment() { stop(); }

void Deployment::start() {
  const MutexLock lock(impl_->mutex);
  if (impl_->state == DeploymentState::stopping || impl_->model != nullptr) return;
  impl_->begin_load();
}

void Deployment::Impl::begin_load() {
  if (loading) return;
  loading = true;
  state = DeploymentState::starting;
  failure.reset();
  loaded_bytes = 0;
  total_bytes = 0;
  fetching.reset();
  load_stop = std::stop_source();
  const Status queued =
      loaders.submit([self = shared_from_this(), number = ++generation,
                      stop = load_stop.get_token()] { self->load(number, stop); });
  if (queued.ok()) return;
  loading = false;
  failure = queued.error();
  failed_ns = clock.steady_ns();
  state = DeploymentState::failed;
}

void Deployment::Impl::load(std::uint64_t number, std::stop_token stop) {
  const os::Deadline deadline = os::Deadline::never(std::move(stop));
  std::string model_id;
  {
    const MutexLock lock(mutex);
    model_id = settings.model_id;
  }
  const Result<bool> here = models.holds(model_id, deadline);
  if (!here.ok()) return loaded(number, here.error());
  if (*here) return loaded(number, read_model(number, deadline));
  const Status queued = fetchers.submit(
      [self = shared_from_this(), number, deadline] { self->fetch(number, deadline); });
  if (!queued.ok()) loaded(number, queued.error());
}

void Deployment::Impl::fetch(std::uint64_t number, const os::Deadline& deadline) {
  std::string model_id;
  {
    const MutexLock lock(mutex);
    if (generation != number) return;
    model_id = settings.model_id;
    fetching.emplace();
  }
  const auto self = shared_from_this();
  const auto progress = [self, number](const FetchStep& step) {
    const MutexLock lock(self->mutex);
    if (self->generation == number) self->fetching = step;
  };
  const auto done = [self, number, deadline](const Status& fetched) {
    self->fetched(number, fetched, deadline);
  };
  models.fetch(model_id, {.progress = progress, .done = done, .deadline = deadline});
}

/// The thread belongs to whoever brought the model: reading it is the loaders' work.
void Deployment::Impl::fetched(std::uint64_t number, const Status& result,
                               const os::Deadline& deadline) {
  Status queued = result;
  {
    // With the lock held: the pool is there for as long as this was not stopped.
    const MutexLock lock(mutex);
    if (generation != number) return;
    fetching.reset();
    if (queued.ok()) {
      queued = loaders.submit([self = shared_from_this(), number, deadline] {
        self->loaded(number, self->read_model(number, deadline));
      });
    }
  }
  if (!queued.ok()) loaded(number, queued.error());
}

/// Reads the model and runs it once for each task, so that a model that cannot run never counts as
/// started.
Result<std::shared_ptr<const Model>> Deployment::Impl::read_model(std::uint64_t number,
                                                                  const os::Deadline& deadline) {
  const auto progress = [this, number](std::uint64_t done, std::uint64_t total) {
    const MutexLock lock(mutex);
    if (generation != number) return;
    loaded_bytes = done;
    total_bytes = total;
  };
  std::string model_id;
  {
    const MutexLock lock(mutex);
    model_id = settings.model_id;
  }
  CAIRN_TRY(std::shared_ptr<const Model> read, models.load(model_id, progress, deadline));
  const std::vector<std::string> sample{"warm up"};
  if (read->supports(TaskType::text_embedding)) {
    CAIRN_CHECK(read->embed(sample, InputType::unspecified, deadline));
  }
  if (read->supports(TaskType::sparse_embedding)) {
    CAIRN_CHECK(read->sparse(sample, InputType::unspecified, deadline));
  }
  if (read->supports(TaskType::rerank)) {
    CAIRN_CHECK(read->rerank(sample.front(), sample, deadline));
  }
  if (read->quotes()) {
    const SaidText said{.role = "user", .content = sample.front()};
    CAIRN_CHECK(read->quote({&said, 1}, deadline));
  }
  if (read->texts() != nullptr) CAIRN_CHECK(warm_up_texts(*read->texts(), deadline));
  return read;
}

void Deployment::Impl::loaded(std::uint64_t number, Result<std::shared_ptr<const Model>> result) {
  const MutexLock lock(mutex);
  if (generation != number) return;  // stopped or scaled to zero meanwhile
  loading = false;
  if (result.ok()) {
    model = std::move(result).value();
    most_bytes = model->max_input_tokens() * bytes_of_a_token;
    state = DeploymentState::started;
    if (total_bytes == 0) total_bytes = loaded_bytes = model->size_bytes();
    loaded_bytes = total_bytes;
    sampled_ns = clock.steady_ns();
    os::log(os::LogLevel::info, "inference", "deployment_started",
            {{"deployment_id", settings.deployment_id},
             {"model_id", settings.model_id},
             {"number_of_allocations", settings.number_of_allocations}});
    dispatch();
  } else {
    failure = std::move(result).error();
    failed_ns = clock.steady_ns();
    state = DeploymentState::failed;
    os::log(os::LogLevel::error, "inference", "deployment_failed",
            {{"deployment_id", settings.deployment_id},
             {"model_id", settings.model_id},
             {"reason", failure->message}});
    fail_waiting(not_started());
  }
  changed.notify_all();
}

Status Deployment::wait_started(const os::Deadline& deadline) {
  const os::Blocking blocking;
  MutexLock lock(impl_->mutex);
  const bool settled = os::wait(impl_->changed, lock, deadline,
                                [&] { return impl_->state != DeploymentState::starting; });
  if (!settled) {
    return deadline.check("waiting for the deployment [" + impl_->settings.deployment_id + "]");
  }
  if (impl_->state == DeploymentState::started) return ok_status();
  if (impl_->state == DeploymentState::stopping) return impl_->not_started();
  Error error = *impl_->failure;
  error.message = "Could not start deployment [" + impl_->settings.deployment_id + "] of model [" +
                  impl_->settings.model_id + "]: " + error.message;
  error.code = "status_exception";
  return error;
}

Error Deployment::Impl::not_started() const {
  std::string message =
      "Trained model deployment [" + settings.deployment_id + "] request failed: not started";
  if (failure) message += ": " + failure->message;
  if (state == DeploymentState::stopping) message += ": it is being stopped";
  return status_error(ErrorKind::unavailable, std::move(message));
}

void Deployment::Impl::fail_waiting(const Error& error) {
  for (const std::shared_ptr<Job>& job : queue.take_all()) {
    job->error = error;
    job->changed.notify_all();
  }
}

void Deployment::Impl::stop_now() {
  state = DeploymentState::stopping;
  ++generation;
  loading = false;
  load_stop.request_stop();
  model.reset();
  fail_waiting(not_started());
  changed.notify_all();
}

void Deployment::stop() {
  std::vector<std::shared_ptr<TextAllocation>> texts;
  {
    const MutexLock lock(impl_->mutex);
    if (impl_->state == DeploymentState::stopping) return;
    impl_->stop_now();
    texts.swap(impl_->texts);
  }
  for (const auto& one : texts) one->generator().stop();
  os::log(
      os::LogLevel::info, "inference", "deployment_stopped",
      {{"deployment_id", impl_->settings.deployment_id}, {"model_id", impl_->settings.model_id}});
}

void Deployment::set_allocations(std::optional<std::int64_t> number,
                                 std::optional<AdaptiveAllocations> adaptive) {
  Impl& d = *impl_;
  std::vector<std::shared_ptr<TextAllocation>> gone;  // ends behind the lock
  const MutexLock lock(d.mutex);
  if (adaptive) d.settings.adaptive_allocations = adaptive;
  std::int64_t wanted = number.value_or(d.settings.number_of_allocations);
  if (d.settings.is_adaptive()) {
    const AdaptiveAllocations& bounds = *d.settings.adaptive_allocations;
    wanted = std::min(wanted, bounds.max_number_of_allocations.value_or(d.options.adaptive_max));
    wanted = std::max(wanted, bounds.min_number_of_allocations.value_or(0));
  } else {
    wanted = std::max<std::int64_t>(wanted, 1);
  }
  d.settings.number_of_allocations = wanted;
  gone = d.take_idle_extras();
  if (wanted > 0 && d.model == nullptr && d.state == DeploymentState::started) d.begin_load();
  d.dispatch();
}

/// The number that the load of the interval asks for.
std::int64_t Deployment::Impl::scaled_number(std::int64_t now_ns) {
  const std::int64_t now = settings.number_of_allocations;
  LoadSample sample;
  sample.seconds = static_cast<double>(now_ns - sampled_ns) / 1e9;
  sample.inputs = inference_count - sampled_inputs;
  if (sample.inputs > 0) {
    sample.mean_seconds =
        static_cast<double>(busy_ns - sampled_busy_ns) / 1e9 / static_cast<double>(sample.inputs);
  }
  sampled_ns = now_ns;
  sampled_inputs = inference_count;
  sampled_busy_ns = busy_ns;
  scaler.add(sample);
  AdaptiveAllocations bounds = *settings.adaptive_allocations;
  bounds.max_number_of_allocations =
      std::min(bounds.max_number_of_allocations.value_or(options.adaptive_max),
               options.most_allocations(cores_elsewhere));
  const bool may_sleep = bounds.min_number_of_allocations.value_or(0) == 0;
  if (may_sleep && now == 0) return 0;  // a request wakes it
  std::int64_t needed = scaler.needed(now, bounds, options.adaptive_max);
  const bool idle = queue.inputs() == 0 && active.empty() && texts_at_work() == 0 &&
                    now_ns - last_request_ns >= options.scale_to_zero_ms * ns_per_ms;
  if (may_sleep && idle) needed = 0;
  const bool cooling =
      last_scale_up_ns >= 0 && now_ns - last_scale_up_ns < options.scale_cooldown_ms * ns_per_ms;
  return needed < now && cooling ? now : needed;
}

bool Deployment::scale() {
  Impl& d = *impl_;
  std::vector<std::shared_ptr<TextAllocation>> gone;  // ends behind the lock
  const MutexLock lock(d.mutex);
  if (!d.settings.is_adaptive() || d.state != DeploymentState::started) return false;
  const std::int64_t now_ns = d.clock.steady_ns();
  if (now_ns - d.sampled_ns < d.options.adaptive_interval_ms * ns_per_ms) return false;
  const std::int64_t before = d.settings.number_of_allocations;
  const std::int64_t after = d.scaled_number(now_ns);
  if (after == before) return false;
  d.settings.number_of_allocations = after;
  d.scaler.scaled();
  if (after > before) d.last_scale_up_ns = now_ns;
  gone = d.take_idle_extras();
  if (after == 0) d.model.reset();
  if (before == 0) d.begin_load();
  os::log(os::LogLevel::info, "inference", "deployment_scaled",
          {{"deployment_id", d.settings.deployment_id}, {"from", before}, {"to", after}});
  d.dispatch();
  return true;
}

DeploymentSettings Deployment::settings() const {
  const MutexLock lock(impl_->mutex);
  return impl_->settings;
}

DeploymentState Deployment::state() const {
  const MutexLock lock(impl_->mutex);
  return impl_->state;
}

bool Deployment::fully_allocated() const {
  const MutexLock lock(impl_->mutex);
  return impl_->state == DeploymentState::started && impl_->model != nullptr;
}

std::string Deployment::reason() const {
  const MutexLock lock(impl_->mutex);
  return impl_->failure ? impl_->failure->message : std::string();
}

std::shared_ptr<const Model> Deployment::model() const {
  const MutexLock lock(impl_->mutex);
  return impl_->model;
}

}  // namespace cairn::inference
