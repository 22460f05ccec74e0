// SPDX-License-Identifier: Apache-2.0
// Batches of a deployment that other nodes run.
#include <algorithm>
#include <utility>

#include "inference/deployment/deployment_impl.h"

namespace cairn::inference {
namespace {

/// The batch as one call of a model: all slices agree on everything but the inputs.
ModelRequest whole_of(const std::vector<Slice>& slices) {
  const ModelRequest& first = slices.front().job->work;
  ModelRequest out{
      .task = first.task, .input_type = first.input_type, .query = first.query, .said = first.said};
  for (const Slice& slice : slices) {
    const auto& from = slice.job->work.inputs;
    out.inputs.insert(out.inputs.end(), from.begin() + static_cast<std::ptrdiff_t>(slice.begin),
                      from.begin() + static_cast<std::ptrdiff_t>(slice.end));
  }
  return out;
}

}  // namespace

DeploymentPlacing Deployment::placing() const {
  const Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  const bool has_model = d.model != nullptr && d.state == DeploymentState::started;
  return {.model_id = d.settings.model_id,
          .incarnation = std::to_string(d.created_ms) + "." + std::to_string(d.generation),
          .model_bytes = has_model ? d.model->size_bytes() : 0,
          .allocations = d.settings.number_of_allocations,
          .threads = d.settings.threads_per_allocation,
          .stays_here = !has_model || d.model->texts() != nullptr || d.model->is_quick()};
}

void Deployment::set_places(std::vector<std::shared_ptr<NodeAllocations>> places,
                            std::size_t cores_elsewhere) {
  Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  d.cores_elsewhere = cores_elsewhere;
  for (auto& [node, place] : d.places) place.at.reset();
  for (auto& one : places) d.places[one->node_id()].at = std::move(one);
  std::erase_if(d.places, [](const auto& entry) {
    return entry.second.at == nullptr && entry.second.active == 0;
  });
  d.dispatch();
}

std::int64_t Deployment::Impl::active_here() const {
  return std::count_if(active.begin(), active.end(),
                       [](const std::shared_ptr<Batch>& batch) { return batch->node.empty(); });
}

/// What no other node takes is here, and the first one always.
std::int64_t Deployment::Impl::allocations_here() const {
  std::int64_t out = settings.number_of_allocations;
  for (const auto& [node, place] : places)
    if (place.at != nullptr) out -= place.at->ready();
  return std::max(out, std::min<std::int64_t>(settings.number_of_allocations, 1));
}

Deployment::Impl::Places::iterator Deployment::Impl::free_place() {
  return std::find_if(places.begin(), places.end(), [](const auto& entry) {
    return entry.second.at != nullptr && entry.second.active < entry.second.at->ready();
  });
}

/// False where it was not sent.
bool Deployment::Impl::launch_there(const std::shared_ptr<Batch>& batch, Places::iterator place) {
  batch->node = place->first;
  batch->begun_ns = clock.steady_ns();
  const Status sent = place->second.at->run(
      whole_of(batch->slices), os::Deadline::never(batch->stop.get_token()),
      [self = shared_from_this(), batch, node = place->first](Result<NodeAnswer> answer) {
        self->finish_there(batch, node, std::move(answer));
      });
  if (!sent.ok()) {
    batch->node.clear();
    batch->begun_ns = -1;
    return false;
  }
  ++place->second.active;
  place->second.last_access_ms = clock.unix_ms();
  return true;
}

void Deployment::Impl::finish_there(const std::shared_ptr<Batch>& batch, const std::string& node,
                                    Result<NodeAnswer> answer) {
  const MutexLock lock(mutex);
  const auto place = places.find(node);
  --place->second.active;
  if (!answer.ok() && batch->wanted() && model != nullptr) {
    batch->node.clear();
    batch->begun_ns = -1;
    launch(batch);
    return;
  }
  if (answer.ok()) place->second.inference_count += batch->inputs();
  batch->pieces = cut(batch->slices, 1);
  batch->pieces_left = batch->pieces.size();
  const std::int64_t cpu_ns = answer.ok() ? answer->cpu_ns : 0;
  // Without a model there is nobody else to run it.
  finish_piece(batch, batch->pieces.front(),
               answer.ok() ? Result<ModelResult>(std::move(answer->result))
                           : Result<ModelResult>(model == nullptr ? not_started()
                                                                  : std::move(answer).error()),
               cpu_ns);
  if (place->second.at == nullptr && place->second.active == 0) places.erase(place);
  dispatch();
}

}  // namespace cairn::inference
