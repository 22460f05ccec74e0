// SPDX-License-Identifier: Apache-2.0
// A deployment as the API shows it.
#include <algorithm>
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

/// What one node does for the deployment, as the API shows it.
Json Deployment::Impl::show(const NodeFigures& of, std::int64_t pending) const {
  Json routing = Json::object({{"routing_state", of.routing_state}});
  if (!of.reason.empty()) routing.set("reason", of.reason);
  Json out = Json::object(
      {{"node", Json::object({{of.id, Json::object({{"name", of.name},
                                                    {"attributes", Json::object()},
                                                    {"roles", Json::array({"ml"})}})}})},
       {"routing_state", std::move(routing)},
       {"inference_count", of.inference_count},
       {"average_inference_time_ms", per_input_ms(of.busy_ns, of.inference_count)},
       {"average_inference_time_ms_excluding_cache_hits",
        per_input_ms(of.busy_ns, of.inference_count)},
       {"average_inference_time_ms_last_minute", of.last_minute_ms},
       {"inference_cache_hit_count", 0}});
  if (of.last_access_ms > 0) out.set("last_access", of.last_access_ms);
  out.set("number_of_pending_requests", pending);
  out.set("start_time", created_ms);
  out.set("threads_per_allocation", settings.threads_per_allocation);
  out.set("number_of_allocations", of.allocations);
  out.set("peak_throughput_per_minute", of.peak);
  out.set("throughput_last_minute", of.last_minute);
  // Of all nodes: what is refused or late had not been given to one.
  const bool is_own = of.id == options.node_id;
  out.set("error_count", is_own ? error_count : 0);
  out.set("rejected_execution_count", is_own ? rejected_count : 0);
  out.set("timeout_count", is_own ? timeout_count : 0);
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
  const Json progress = d.progress_json();
  const Json* const reason = progress.find("reason");

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
  out.set("nodes", target == 0 ? Json::array() : d.node_stats(now_ns));
  return out;
}

/// What the deployment did, and how much of it on other nodes.
Json Deployment::Impl::node_stats(std::int64_t now_ns) {
  NodeFigures here{.id = options.node_id,
                   .name = options.node_name,
                   .routing_state = std::string(name_of(state)),
                   .allocations = model != nullptr ? settings.number_of_allocations : 0,
                   .inference_count = inference_count,
                   .busy_ns = busy_ns,
                   .last_minute = throughput.last_minute(now_ns),
                   .last_minute_ms = throughput.last_minute_ms(now_ns),
                   .peak = throughput.peak_per_minute(),
                   .last_access_ms = last_access_ms};
  here.reason = progress_json().string_or("reason");
  Json others = Json::array();
  for (auto& [node, place] : places) {
    here.inference_count -= place.inference_count;
    here.busy_ns -= place.busy_ns;
    here.last_minute -= std::min(here.last_minute, place.throughput.last_minute(now_ns));
    if (place.at == nullptr) continue;
    const NodeShare share = place.at->share();
    here.allocations -= std::min(here.allocations, share.ready);
    others.push(show({.id = share.node_id,
                      .name = share.node_name,
                      .routing_state = share.state,
                      .reason = share.reason,
                      .allocations = share.ready,
                      .inference_count = place.inference_count,
                      .busy_ns = place.busy_ns,
                      .last_minute = place.throughput.last_minute(now_ns),
                      .last_minute_ms = place.throughput.last_minute_ms(now_ns),
                      .peak = place.throughput.peak_per_minute(),
                      .last_access_ms = place.last_access_ms},
                     0));
  }
  Json out = Json::array();
  out.push(show(here, static_cast<std::int64_t>(queue.inputs() + texts_waiting())));
  for (Json& one : others.as_array()) out.push(std::move(one));
  return out;
}

Json Deployment::assignment() const {
  const Impl& d = *impl_;
  const MutexLock lock(d.mutex);
  const std::int64_t target = d.settings.number_of_allocations;
  const std::int64_t count = d.model != nullptr ? target : 0;
  const std::uint64_t bytes = d.model != nullptr ? d.model->size_bytes() : d.total_bytes;
  std::int64_t here = count, target_here = target;
  Json others = Json::object();
  for (const auto& [node, place] : d.places) {
    if (place.at == nullptr) continue;
    const NodeShare share = place.at->share();
    here -= std::min(here, share.ready);
    target_here -= std::min(target_here, share.target);
    others.set(share.node_id, Json::object({{"current_allocations", share.ready},
                                            {"target_allocations", share.target},
                                            {"routing_state", share.state},
                                            {"reason", share.reason}}));
  }
  Json routing =
      Json::object({{d.options.node_id,
                     Json::object({{"current_allocations", here},
                                   {"target_allocations", target_here},
                                   {"routing_state", name_of(d.state)},
                                   {"reason", d.failure ? d.failure->message : std::string()}})}});
  for (auto& [node, one] : others.as_object()) routing.set(node, one);
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
                    {"routing_table", std::move(routing)},
                    {"assignment_state", name_of(d.state)},
                    {"start_time", d.created_ms},
                    {"max_assigned_allocations", target}});
  if (d.settings.adaptive_allocations) {
    out.set("adaptive_allocations", to_json(*d.settings.adaptive_allocations));
  }
  return out;
}

}  // namespace cairn::inference
