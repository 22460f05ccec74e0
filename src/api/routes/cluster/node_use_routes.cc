// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/node_use_routes.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/deadline.h"
#include "os/threads/blocking.h"
#include "os/threads/thread_times.h"

namespace cairn::api {
namespace {

struct NodeUse {
  CatServices at;
  const os::Metrics& metrics;
  const os::Clock& clock;
};

// --- GET /_nodes/hot_threads

constexpr std::int64_t longest_interval_ms = 60'000;
constexpr std::int64_t most_snapshots = 1'000;

struct ThreadsWanted {
  std::int64_t interval_ms = 500;
  std::int64_t snapshots = 10;
  std::int64_t threads = 3;
  bool leave_idle = true;
};

Result<ThreadsWanted> threads_wanted(const Call& call) {
  ThreadsWanted out;
  CAIRN_TRY(out.interval_ms, call.time("interval", out.interval_ms));
  CAIRN_TRY(out.snapshots, call.integer("snapshots", out.snapshots));
  CAIRN_TRY(out.threads, call.integer("threads", out.threads));
  CAIRN_TRY(out.leave_idle, call.flag("ignore_idle_threads", out.leave_idle));
  if (out.interval_ms < 1 || out.interval_ms > longest_interval_ms)
    return illegal_argument("[interval] must be from 1ms to 60s");
  if (out.snapshots < 1 || out.snapshots > most_snapshots)
    return illegal_argument("[snapshots] must be from 1 to " + std::to_string(most_snapshots));
  if (out.threads < 1) return illegal_argument("[threads] must be at least 1");
  for (const char* name : {"type", "sort"})
    if (const std::string given = call.query(name).value_or("cpu"); given != "cpu")
      return illegal_argument("[" + std::string(name) + "] can only be [cpu], not [" + given +
                              "]: what threads wait for is not counted here");
  return out;
}

/// What was seen of a thread.
struct SeenThread {
  std::string name;
  std::int64_t before_ns = 0;
  std::int64_t took_ns = 0;
  std::int64_t running = 0;   // in so many snapshots
  std::int64_t sleeping = 0;  // waiting for a disk counts as neither
  std::int64_t snapshots = 0;
};
using SeenThreads = std::map<std::int64_t, SeenThread>;

void note(const std::vector<os::ThreadTime>& times, bool first, SeenThreads& seen) {
  for (const os::ThreadTime& one : times) {
    const auto [at, fresh] = seen.try_emplace(one.id, SeenThread{.name = one.name});
    SeenThread& thread = at->second;
    // One that came later has taken all of its time since.
    if (fresh && first) thread.before_ns = one.cpu_ns;
    thread.took_ns = one.cpu_ns - thread.before_ns;
    if (first) continue;
    ++thread.snapshots;
    if (one.state == 'R') ++thread.running;
    if (one.state == 'S') ++thread.sleeping;
  }
}

/// Looks at all threads again and again. Errors: timeout, cancelled.
Result<SeenThreads> watch_threads(const ThreadsWanted& wanted, const os::Deadline& deadline) {
  const os::Blocking blocking;
  SeenThreads seen;
  note(os::thread_times(), true, seen);
  std::int64_t slept = 0;
  for (std::int64_t i = 1; i <= wanted.snapshots; ++i) {
    const std::int64_t until = wanted.interval_ms * i / wanted.snapshots;
    if (!os::sleep_ms(until - slept, deadline)) return deadline.check("watching threads").error();
    slept = until;
    note(os::thread_times(), false, seen);
  }
  return seen;
}

std::string shown_ms(std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1fms", static_cast<double>(ns) / 1e6);
  return text.data();
}

std::string shown_thread(const SeenThread& thread, std::int64_t interval_ms) {
  const double share =
      static_cast<double>(thread.took_ns) / 1e4 / static_cast<double>(interval_ms);
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%5.1f%% [cpu=%.1f%%]", share, share);
  std::string out = "   " + std::string(text.data()) + " (" + shown_ms(thread.took_ns) +
                    " out of " + format_time_value(interval_ms) + ") cpu usage by thread '" +
                    thread.name + "'\n";
  const std::string all = "/" + std::to_string(thread.snapshots) + " snapshots ";
  const std::int64_t others = thread.snapshots - thread.running - thread.sleeping;
  for (const auto& [count, what] :
       {std::pair{thread.running, "running"}, std::pair{thread.sleeping, "sleeping"},
        std::pair{others, "waiting for a disk"}})
    if (count > 0) out += "     " + std::to_string(count) + all + what + "\n";
  return out;
}

Result<Reply> hot_threads(Call& call, const NodeUse& use) {
  CAIRN_TRY(const ThreadsWanted wanted, threads_wanted(call));
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const auto& facts = use.at.facts;
  if (!means_this_node(facts, call.path("node_id"))) return Reply::plain("");
  const std::int64_t now = use.clock.unix_ms();
  CAIRN_TRY(const SeenThreads seen, watch_threads(wanted, deadline));
  std::vector<const SeenThread*> busiest;
  for (const auto& [id, thread] : seen)
    if (!wanted.leave_idle || thread.took_ns > 0 || thread.running > 0) busiest.push_back(&thread);
  std::stable_sort(busiest.begin(), busiest.end(), [](const SeenThread* a, const SeenThread* b) {
    return a->took_ns > b->took_ns;
  });
  if (busiest.size() > static_cast<std::size_t>(wanted.threads))
    busiest.resize(static_cast<std::size_t>(wanted.threads));
  std::string out = "::: {" + facts.node_name + "}{" + facts.node_id + "}{" +
                    address_of(facts, use.at.sources) + "}\n   Hot threads at " +
                    format_iso8601(now) + ", interval=" + format_time_value(wanted.interval_ms) +
                    ", busiestThreads=" + std::to_string(wanted.threads) +
                    ", ignoreIdleThreads=" + (wanted.leave_idle ? "true" : "false") + ":\n";
  for (const SeenThread* thread : busiest) out += "\n" + shown_thread(*thread, wanted.interval_ms);
  return Reply::plain(out + "\n");
}

// --- GET /_nodes/usage

Json one_node() { return Json::object({{"total", 1}, {"successful", 1}, {"failed", 0}}); }

Result<Reply> node_usage(Call& call, const NodeUse& use) {
  for (const std::string& metric : name_list(call.path("metric"))) {
    if (metric == "aggregations")
      return illegal_argument("[aggregations] are not counted here: there are rest_actions");
    if (metric != "_all" && metric != "rest_actions")
      return illegal_argument("request [/_nodes/usage/" + call.path("metric") +
                              "] contains unrecognized metric: [" + metric + "]");
  }
  const auto& facts = use.at.facts;
  if (!means_this_node(facts, call.path("node_id")))
    return Reply::json(
        Json::object({{"_nodes", Json::object({{"total", 0}, {"successful", 0}, {"failed", 0}})},
                      {"cluster_name", facts.cluster_name},
                      {"nodes", Json::object()}}));
  Json::Object actions;
  for (const auto& [operation, count] : answered_operations(use.metrics.expose()))
    actions.emplace_back(operation, count);
  Json node = Json::object({{"timestamp", use.clock.unix_ms()},
                            {"since", facts.started_ms},
                            {"rest_actions", Json(std::move(actions))}});
  return Reply::json(Json::object({{"_nodes", one_node()},
                                   {"cluster_name", facts.cluster_name},
                                   {"nodes", Json::object({{facts.node_id, std::move(node)}})}}));
}

/// The value of a label of such a line; empty where it has none. Operations need no strokes.
std::string_view label(std::string_view line, const std::string& name) {
  const std::string begin = name + "=\"";
  const auto at = line.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + begin.size());
  return rest.substr(0, std::min(rest.size(), rest.find('"')));
}

}  // namespace

std::map<std::string, std::uint64_t> answered_operations(std::string_view exposed) {
  std::map<std::string, std::uint64_t> out;
  for (const auto line : split(exposed, '\n')) {
    if (!line.starts_with("cairn_http_requests_total{") || label(line, "surface") != "api") continue;
    const auto count = parse_number<std::uint64_t>(line.substr(line.rfind(' ') + 1));
    if (count) out[std::string(label(line, "operation"))] += *count;
  }
  return out;
}

void add_node_use_routes(Router& router, const CatServices& services, const os::Metrics& metrics,
                         const os::Clock& clock) {
  const NodeUse use{services, metrics, clock};
  for (const auto* path : {"/_nodes/hot_threads", "/_nodes/{node_id}/hot_threads"})
    router.add({.method = "GET",
                .path = path,
                .operation = "nodes.hot_threads",
                .cluster = {"monitor"},
                .query = {{"ignore_idle_threads", "boolean",
                           "Without threads that computed nothing; true where absent."},
                          {"interval", "time", "How long they are watched; 500ms where absent."},
                          {"snapshots", "integer", "How often they are looked at; 10."},
                          {"threads", "integer", "So many of the busiest; 3."},
                          {"type", "string", "Only cpu."},
                          {"sort", "string", "Only cpu."},
                          {"timeout", "time", "How long the call may take."},
                          {"master_timeout", "time", "The longest wait for the node that serves."}},
                .summary = "Shows which threads compute most.",
                .waits = true},
               [use](Call& call) { return hot_threads(call, use); });
  for (const auto* path : {"/_nodes/usage", "/_nodes/{node_id}/usage", "/_nodes/usage/{metric}",
                           "/_nodes/{node_id}/usage/{metric}"})
    router.add({.method = "GET",
                .path = path,
                .operation = "nodes.usage",
                .cluster = {"monitor"},
                .query = {{"timeout", "time", "Accepted; one node knows all."}},
                .summary = "Counts the requests that were answered since the start, by operation."},
               [use](Call& call) { return node_usage(call, use); });
}

}  // namespace cairn::api
