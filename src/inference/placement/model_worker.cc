// SPDX-License-Identifier: Apache-2.0
#include "inference/placement/model_worker.h"

#include <utility>

#include "os/cpu.h"
#include "os/log.h"

namespace cairn::inference {
namespace {

constexpr std::int64_t kept_ns = 30'000'000'000;
constexpr std::int64_t retry_ns = 10'000'000'000;  // of a model that could not be loaded

}  // namespace

ModelWorker::ModelWorker(ModelSource& models, os::Pool& cpu, const os::Clock& clock,
                         const Options& options, MemoryBudget::Available available)
    : models_(models),
      cpu_(cpu),
      clock_(clock),
      options_(options),
      available_(std::move(available)),
      fetchers_({.name = "placed-fetch", .threads = 1, .queue = 1'024}),
      loaders_({.name = "placed-load", .threads = options.loaders, .queue = 1'024}) {}

ModelWorker::~ModelWorker() {
  AllPlaced all;
  {
    const MutexLock lock(mutex_);
    all.swap(placed_);
  }
  for (auto& [id, placed] : all) placed.deployment->stop();
}

/// An allocation takes batches as they come: the node that serves sends no more than there are
/// allocations, and keeps the queue.
ModelWorker::Placed ModelWorker::begin(const PlaceCall::One& as) {
  DeploymentSettings settings;
  settings.deployment_id = as.deployment_id;
  settings.model_id = as.model_id;
  settings.number_of_allocations = as.allocations;
  settings.threads_per_allocation = as.threads;
  Placed out{.as = as,
             .deployment = std::make_shared<Deployment>(std::move(settings), models_, cpu_,
                                                        loaders_, fetchers_, clock_, options_),
             .started_ns = clock_.steady_ns()};
  out.deployment->start();
  return out;
}

void ModelWorker::keep(Placed& placed, const PlaceCall::One& as) {
  if (placed.as.allocations != as.allocations)
    placed.deployment->set_allocations(as.allocations, std::nullopt);
  placed.as = as;
  if (placed.deployment->state() != DeploymentState::failed ||
      clock_.steady_ns() - placed.started_ns < retry_ns)
    return;
  placed.started_ns = clock_.steady_ns();
  placed.deployment->start();
}

PlaceAnswer ModelWorker::answer() const {
  PlaceAnswer out{.processors = static_cast<std::int64_t>(os::cpu_count()),
                  .memory_bytes = available_().value_or(0)};
  for (const auto& [id, placed] : placed_)
    out.deployments.push_back({.deployment_id = id,
                               .incarnation = placed.as.incarnation,
                               .state = std::string(name_of(placed.deployment->state())),
                               .reason = placed.deployment->reason()});
  return out;
}

Result<std::string> ModelWorker::place(std::string_view call) {
  CAIRN_TRY(const PlaceCall wanted, PlaceCall::decode(call));
  AllPlaced gone;  // ends behind the lock
  const MutexLock lock(mutex_);
  told_ns_ = clock_.steady_ns();
  gone.swap(placed_);
  for (const PlaceCall::One& one : wanted.deployments) {
    const auto before = gone.find(one.deployment_id);
    const bool goes_on = before != gone.end() && before->second.as.model_id == one.model_id &&
                         before->second.as.incarnation == one.incarnation &&
                         before->second.as.threads == one.threads;
    if (!goes_on) {
      placed_.insert_or_assign(one.deployment_id, begin(one));
      continue;
    }
    keep(before->second, one);
    placed_.insert_or_assign(one.deployment_id, std::move(before->second));
    gone.erase(before);
  }
  return answer().encode();
}

Result<std::string> ModelWorker::run(std::string_view call, const os::Deadline& deadline) {
  CAIRN_TRY(RunCall wanted, RunCall::decode(call));
  std::shared_ptr<Deployment> deployment;
  {
    const MutexLock lock(mutex_);
    const auto at = placed_.find(wanted.deployment_id);
    if (at != placed_.end() && at->second.as.incarnation == wanted.incarnation)
      deployment = at->second.deployment;
  }
  if (deployment == nullptr)
    return Error{.kind = ErrorKind::not_found,
                 .message = "deployment [" + wanted.deployment_id + "] is not on this node"};
  NodeAnswer out;
  const std::int64_t before_ns = os::pool_cpu_ns();
  CAIRN_TRY(out.result, deployment->run(std::move(wanted.work), deadline));
  out.cpu_ns = os::pool_cpu_ns() - before_ns;
  return encode(out);
}

void ModelWorker::tick() {
  AllPlaced gone;  // ends behind the lock
  const MutexLock lock(mutex_);
  if (placed_.empty() || clock_.steady_ns() - told_ns_ < kept_ns) return;
  os::log(os::LogLevel::info, "inference", "placed_models_let_go",
          {{"reason", "no node has asked for them for half a minute"}});
  gone.swap(placed_);
}

}  // namespace cairn::inference
