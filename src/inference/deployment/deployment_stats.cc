// SPDX-License-Identifier: Apache-2.0
// A deployment as the API shows it.
#include <utility>

#include "inference/deployment/deployment_impl.h"

namespace cairn::inference {
namespace {

std::string_view allocation_state(std::int64_t count, std::int64_t target) {
  if (count == 0) return "starting";
  return count < target ? "started" : "fully_allocated";
}

double per_input_ms(std::int64_t busy_ns, std::uint64_t inputs) {
  return inputs == 0 ? 0 : static_cast<double>(busy_ns) / 1e6 / static_cast<double>(inputs);
}

/// Steps that texts shared, and the pages of keys and values that they hold.
Json text_steps(const std::vector<std::shared_ptr<TextAllocation>>& allocations) {
  GenerationTotals sum;
  for (const auto& one : allocations) sum += one->generator().totals();
  return Json::object({{"steps", sum.steps},
                       {"texts_in_steps", sum.texts_of_steps},
                       {"prompt_tokens", sum.prompt_tokens},
                       {"reused_prompt_tokens", sum.reused_tokens},
                       {"new_tokens", sum.new_tokens},
                       {"set_back_texts", sum.set_back},
                       {"kv_pages", sum.taken_pages},
                       {"kv_pages_cached", sum.cached_pages}});
}

}  // namespace

/// What of a download and of the loading can be told while the deployment starts.
Json Deployment::Impl::progress_json() const {
  Json out = Json::object({{"state", name_of(state)}});
  if (failure) out.set("reason", failure->message);
  if (fetching) {
    out.set("download_progress",
            Json::object({{"phase", fetching->verifying ? "verifying" : "downloading"},
                          {"received_bytes", fetching->done_bytes},
                          {"total_bytes", fetching->total_bytes},
                          {"source", fetching->source}}));
    if (!fetching->note.empty()) out.set("reason", fetching->note);
  } else if (state == DeploymentState::starting) {
    out.set("load_progress",
            Json::object({{"loaded_bytes", loaded_bytes}, {"total_bytes", total_bytes}}));
  }
  return out;
}

Json Deployment::progress() const {
  const MutexLock lock(impl_->mutex);
  if (impl_->state == DeploymentState::started) return {};
  return impl_->progress_json();
}

Json Deployment::stats() const {
  Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  const std::int64_t now_ns = d.clock.steady_ns();
  const std::int64_t target = d.settings.number_of_allocations;
  const std::int64_t count = d.model != nullptr ? target : 0;
  Json routing = Json::object({{"routing_state", name_of(d.state)}});
  const Json progress = d.progress_json();
  const Json* const reason = progress.find("reason");
  if (reason != nullptr) routing.set("reason", *reason);
  Json node = Json::object(
      {{"node",
        Json::object({{d.options.node_id, Json::object({{"name", d.options.node_name},
                                                        {"attributes", Json::object()},
                                                        {"roles", Json::array({"ml"})}})}})},
       {"routing_state", std::move(routing)},
       {"inference_count", d.inference_count},
       {"average_inference_time_ms", per_input_ms(d.busy_ns, d.inference_count)},
       {"average_inference_time_ms_excluding_cache_hits",
        per_input_ms(d.busy_ns, d.inference_count)},
       {"average_inference_time_ms_last_minute", d.throughput.last_minute_ms(now_ns)},
       {"inference_cache_hit_count", 0}});
  if (d.last_access_ms > 0) node.set("last_access", d.last_access_ms);
  node.set("number_of_pending_requests",
           static_cast<std::int64_t>(d.queue.inputs() + d.texts_waiting()));
  node.set("start_time", d.created_ms);
  node.set("threads_per_allocation", d.settings.threads_per_allocation);
  node.set("number_of_allocations", count);
  node.set("peak_throughput_per_minute", d.throughput.peak_per_minute());
  node.set("throughput_last_minute", d.throughput.last_minute(now_ns));
  node.set("error_count", d.error_count);
  node.set("rejected_execution_count", d.rejected_count);
  node.set("timeout_count", d.timeout_count);

  Json out = Json::object({{"deployment_id", d.settings.deployment_id},
                           {"model_id", d.settings.model_id},
                           {"threads_per_allocation", d.settings.threads_per_allocation},
                           {"number_of_allocations", target}});
  if (d.settings.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*d.settings.adaptive_allocations));
  }
  out.set("queue_capacity", d.settings.queue_capacity);
  out.set("state", name_of(d.state));
  if (reason != nullptr) out.set("reason", *reason);
  out.set("allocation_status", Json::object({{"allocation_count", count},
                                             {"target_allocation_count", target},
                                             {"state", allocation_state(count, target)}}));
  out.set("load_progress",
          Json::object({{"loaded_bytes", d.loaded_bytes}, {"total_bytes", d.total_bytes}}));
  if (const Json* const download = progress.find("download_progress")) {
    out.set("download_progress", *download);
  }
  out.set("priority", d.settings.priority);
  out.set("start_time", d.created_ms);
  out.set("inference_count", d.inference_count);
  out.set("error_count", d.error_count);
  out.set("rejected_execution_count", d.rejected_count);
  out.set("timeout_count", d.timeout_count);
  out.set("peak_throughput_per_minute", d.throughput.peak_per_minute());
  if (!d.texts.empty()) out.set("text_steps", text_steps(d.texts));
  out.set("nodes", target == 0 ? Json::array() : Json::array({std::move(node)}));
  return out;
}

Json Deployment::assignment() const {
  const Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  const std::int64_t target = d.settings.number_of_allocations;
  const std::int64_t count = d.model != nullptr ? target : 0;
  const std::uint64_t bytes = d.model != nullptr ? d.model->size_bytes() : d.total_bytes;
  Json routing = Json::object({{"current_allocations", count},
                               {"target_allocations", target},
                               {"routing_state", name_of(d.state)}});
  routing.set("reason", d.failure ? d.failure->message : std::string());
  Json out =
      Json::object({{"task_parameters",
                     Json::object({{"model_id", d.settings.model_id},
                                   {"deployment_id", d.settings.deployment_id},
                                   {"model_bytes", bytes},
                                   {"threads_per_allocation", d.settings.threads_per_allocation},
                                   {"number_of_allocations", target},
                                   {"queue_capacity", d.settings.queue_capacity},
                                   {"priority", d.settings.priority},
                                   {"per_deployment_memory_bytes", bytes},
                                   {"per_allocation_memory_bytes", 0}})},
                    {"routing_table", Json::object({{d.options.node_id, std::move(routing)}})},
                    {"assignment_state", name_of(d.state)},
                    {"start_time", d.created_ms},
                    {"max_assigned_allocations", target}});
  if (d.settings.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*d.settings.adaptive_allocations));
  }
  return out;
}

}  // namespace cairn::inference
