// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_figures.h"

#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "cli/top/metrics_text.h"
#include "format/time.h"
#include "os/clock.h"

namespace cairn::cli {
namespace {

constexpr std::int64_t look_wait_ms = 10'000;
constexpr std::size_t operations_told = 100;

void take_metrics(std::string_view text, TopLook& look) {
  constexpr std::string_view requests = "cairn_http_requests_total";
  const std::string duration = "cairn_http_request_duration_seconds";
  for (const MetricSample& sample : read_metrics(text)) {
    if (sample.name == "cairn_ratelimit_requests_live") look.live += sample.value;
    if (sample.name != requests && !sample.name.starts_with(duration)) continue;
    OperationCounts& counts = look.operations[{sample.label("surface"), sample.label("operation")}];
    if (sample.name == requests) {
      counts.requests += sample.value;
      if (sample.label("status") == "5xx") counts.failures += sample.value;
      if (sample.label("status") == "4xx") counts.refused += sample.value;
    } else if (sample.name == duration + "_sum") {
      counts.seconds += sample.value;
    } else if (sample.name == duration + "_bucket") {
      const std::string bound = sample.label("le");
      const double seconds = bound == "+Inf" ? INFINITY : parse_number<double>(bound).value_or(0);
      counts.within[seconds] += sample.value;
    }
  }
}

/// The body of a 200; null where the key has no right to it, which is told, or it is not there.
Result<Json> part_of(Connection& connection, const std::string& path, std::string_view what,
                     TopLook& look) {
  CAIRN_TRY(auto answer, connection.send("GET", path, {}, {}, look_wait_ms));
  if (answer.status == 403) look.denied.emplace_back(what);
  if (answer.status == 401 || answer.status == 429)
    return Error{answer.status == 401 ? ErrorKind::permission_denied : ErrorKind::rate_limited,
                 {},
                 reason_of(answer)};
  return answer.status == 200 ? std::move(answer.body) : Json();
}

/// The time that so many of a hundred took at most, by the bounds of the histogram.
double quantile_ms(const OperationCounts& before, const OperationCounts& now, double share) {
  const auto at = [](const OperationCounts& counts, double bound) {
    const auto found = counts.within.find(bound);
    return found == counts.within.end() ? 0.0 : found->second;
  };
  const double all = now.requests - before.requests;
  double finite = 0;
  for (const auto& [bound, count] : now.within) {
    if (std::isfinite(bound)) finite = bound;
    if (count - at(before, bound) >= share * all) return finite * 1000;
  }
  return finite * 1000;
}

Json operation_figures(const std::pair<std::string, std::string>& name,
                       const OperationCounts& before, const OperationCounts& now, double seconds) {
  const double requests = now.requests - before.requests;
  return Json::object(
      {{"surface", name.first},
       {"operation", name.second},
       {"per_second", requests / seconds},
       {"refused_per_second", (now.refused - before.refused) / seconds},
       {"failed_per_second", (now.failures - before.failures) / seconds},
       {"mean_ms", requests > 0 ? (now.seconds - before.seconds) * 1000 / requests : 0.0},
       {"p95_ms", requests > 0 ? quantile_ms(before, now, 0.95) : 0.0},
       {"total", static_cast<std::int64_t>(now.requests)}});
}

Json operations_between(const TopLook& before, const TopLook& now, double seconds) {
  Json::Array all;
  for (const auto& [name, counts] : now.operations) {
    const auto then = before.operations.find(name);
    // A server that was started anew counts from zero.
    const bool goes_on =
        then != before.operations.end() && then->second.requests <= counts.requests;
    all.push_back(
        operation_figures(name, goes_on ? then->second : OperationCounts{}, counts, seconds));
  }
  std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) {
    const double one = a.double_or("per_second"), other = b.double_or("per_second");
    if (one != other) return one > other;
    if (a.int_or("total") != b.int_or("total")) return a.int_or("total") > b.int_or("total");
    return a.string_or("operation") < b.string_or("operation");
  });
  if (all.size() > operations_told) all.resize(operations_told);
  return Json(std::move(all));
}

double sum_of(const Json& operations, std::string_view member) {
  double sum = 0;
  for (const Json& one : operations.as_array()) sum += one.double_or(member);
  return sum;
}

/// The one node of an answer.
const Json* only_node(const Json& answer) {
  const Json* nodes = answer.find("nodes");
  if (nodes == nullptr || !nodes->is_object() || nodes->as_object().empty()) return nullptr;
  return &nodes->as_object().front().second;
}

std::int64_t int_at(const Json& value, std::string_view path) {
  const Json* found = value.find_path(path);
  return found != nullptr && found->is_integer() ? found->as_int() : 0;
}

void add_node(const TopLook& before, const TopLook& now, double seconds, Json& out) {
  const Json* node = only_node(now.node);
  if (node == nullptr) return;
  const Json* then = only_node(before.node);
  out.set(
      "memory",
      Json::object({{"process_bytes", int_at(*node, "process.mem.resident_in_bytes")},
                    {"machine_bytes", int_at(*node, "os.mem.total_in_bytes")},
                    {"machine_free_bytes", int_at(*node, "os.mem.free_in_bytes")},
                    {"requests_bytes", int_at(*node, "breakers.parent.estimated_size_in_bytes")},
                    {"requests_limit_bytes", int_at(*node, "breakers.parent.limit_size_in_bytes")},
                    {"refused", int_at(*node, "breakers.parent.tripped")}}));
  out.set("disk",
          Json::object({{"total_bytes", int_at(*node, "fs.total.total_in_bytes")},
                        {"available_bytes", int_at(*node, "fs.total.available_in_bytes")}}));
  const std::int64_t cpu_ms = int_at(*node, "process.cpu.total_in_millis");
  const std::int64_t then_ms =
      then == nullptr ? cpu_ms : int_at(*then, "process.cpu.total_in_millis");
  Json cpu = Json::object(
      {{"cores_used", std::max(0.0, static_cast<double>(cpu_ms - then_ms) / 1000 / seconds)}});
  for (const char* load : {"1m", "5m", "15m"})
    if (const Json* value = node->find_path("os.cpu.load_average." + std::string(load)))
      cpu.set("load_" + std::string(load), *value);
  out.set("cpu", std::move(cpu));
  if (node->find_path("thread_pool.compute") != nullptr)
    out.set("pool", *node->find_path("thread_pool.compute"));
  out.set("indices", Json::object({{"documents", int_at(*node, "indices.docs.count")},
                                   {"bytes", int_at(*node, "indices.store.size_in_bytes")}}));
}

Json running_tasks(const Json& answer) {
  Json out = Json::array();
  const Json* tasks = answer.find("tasks");
  if (tasks == nullptr || !tasks->is_array()) return out;
  for (const Json& task : tasks->as_array()) {
    if (task.string_or("action").ends_with("tasks/lists")) continue;  // the question itself
    out.push(Json::object(
        {{"id", task.string_or("node") + ":" + std::to_string(task.int_or("id"))},
         {"action", task.string_or("action")},
         {"description", task.string_or("description")},
         {"seconds", static_cast<double>(task.int_or("running_time_in_nanos")) / 1e9}}));
  }
  return out;
}

Json running_jobs(const Json& answer) {
  Json out = Json::array();
  const Json* jobs = answer.find("results");
  if (jobs == nullptr || !jobs->is_array()) return out;
  for (const Json& job : jobs->as_array()) {
    const std::string status = job.string_or("status");
    if (status != "in_progress" && status != "pending" && status != "canceling") continue;
    const Json* connector = job.find("connector");
    out.push(
        Json::object({{"id", job.string_or("id")},
                      {"connector", connector == nullptr ? "" : connector->string_or("id")},
                      {"index", connector == nullptr ? "" : connector->string_or("index_name")},
                      {"type", job.string_or("job_type")},
                      {"status", status},
                      {"indexed", job.int_or("indexed_document_count")},
                      {"deleted", job.int_or("deleted_document_count")},
                      {"total", job.int_or("total_document_count")}}));
  }
  return out;
}

}  // namespace

Result<TopLook> look_at_server(Connection& connection, const TopLook* before) {
  TopLook look;
  CAIRN_TRY(const auto metrics, connection.fetch("GET", "/_metrics", {}, {}, look_wait_ms));
  look.steady_ns = os::system_clock().steady_ns();
  if (metrics.status == 200) take_metrics(metrics.body, look);
  if (metrics.status == 403) look.denied.emplace_back("metrics");
  CAIRN_TRY(look.info, part_of(connection, "/", "server", look));
  CAIRN_TRY(look.node, part_of(connection, "/_nodes/stats", "node", look));
  CAIRN_TRY(look.tasks, part_of(connection, "/_tasks?detailed=true&group_by=none", "tasks", look));
  CAIRN_TRY(look.jobs, part_of(connection, "/_connector/_sync_job?size=100", "jobs", look));
  if (before == nullptr || !before->identities.is_null()) {
    CAIRN_TRY(look.identities,
              part_of(connection, "/_cairn/limits/_top?size=10", "identities", look));
  } else if (std::find(before->denied.begin(), before->denied.end(), "identities") !=
             before->denied.end()) {
    look.denied.emplace_back("identities");
  }
  if (metrics.status != 200 && look.node.is_null())
    return Error{ErrorKind::permission_denied,
                 {},
                 "the key may see neither the metrics nor the figures of the node: it needs the "
                 "cluster privilege monitor"};
  return look;
}

Json top_figures(const TopLook& before, const TopLook& now, std::int64_t now_ms) {
  const double seconds =
      std::max(0.001, static_cast<double>(now.steady_ns - before.steady_ns) / 1e9);
  Json operations = operations_between(before, now, seconds);
  Json out = Json::object({{"time", format_iso8601(now_ms)},
                           {"server", now.info.string_or("name")},
                           {"cluster", now.info.string_or("cluster_name")},
                           {"interval_seconds", seconds}});
  out.set("requests",
          Json::object({{"per_second", sum_of(operations, "per_second")},
                        {"refused_per_second", sum_of(operations, "refused_per_second")},
                        {"failed_per_second", sum_of(operations, "failed_per_second")},
                        {"live", static_cast<std::int64_t>(now.live)}}));
  add_node(before, now, seconds, out);
  out.set("operations", std::move(operations));
  const Json* identities = now.identities.find("identities");
  out.set("identities",
          identities != nullptr && identities->is_array() ? *identities : Json::array());
  out.set("tasks", running_tasks(now.tasks));
  out.set("jobs", running_jobs(now.jobs));
  Json denied = Json::array();
  for (const auto& what : now.denied) denied.push(what);
  out.set("denied", std::move(denied));
  return out;
}

}  // namespace cairn::cli
