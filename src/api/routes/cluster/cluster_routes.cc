// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/cluster_routes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "api/forms/error_json.h"
#include "api/routes/cluster/node_routes.h"
#include "base/strings.h"
#include "os/available_memory.h"
#include "os/cpu.h"
#include "os/machine.h"
#include "os/metrics.h"

namespace cairn::api {
namespace {

struct ClusterFigures {
  CatServices at;
  const os::Clock& clock;
};

Json nodes_of(std::int64_t count) {
  return Json::object({{"total", count}, {"successful", count}, {"failed", 0}});
}

Json memory_shown(std::uint64_t total, std::uint64_t used) {
  const auto percent = [&](std::uint64_t part) { return total == 0 ? 0 : part * 100 / total; };
  return Json::object({{"total_in_bytes", total},
                       {"free_in_bytes", total - used},
                       {"used_in_bytes", used},
                       {"free_percent", percent(total - used)},
                       {"used_percent", percent(used)}});
}

Json memory_figures() {
  const std::uint64_t total = os::machine_memory_bytes();
  return memory_shown(total, total - std::min(total, os::available_memory_bytes().value_or(0)));
}

Json disk_shown(const os::DiskSpace& disk) {
  return Json::object({{"total_in_bytes", disk.total_bytes},
                       {"free_in_bytes", disk.free_bytes},
                       {"available_in_bytes", disk.available_bytes}});
}

Json disk_figures(const ClusterFigures& figures) {
  return disk_shown(figures.at.sources.disk ? figures.at.sources.disk() : os::DiskSpace{});
}

/// Sums over indices.
struct IndexFigures {
  index::IndexStatistics sum;
  std::size_t indices = 0;

  explicit IndexFigures(const index::Indices& all) {
    for (const auto& index : all.all()) {
      const auto own = index->statistics();
      ++indices;
      sum.documents += own.documents;
      sum.deleted += own.deleted;
      sum.size_bytes += own.size_bytes;
      sum.memory_bytes += own.memory_bytes;
      sum.segments += own.segments;
    }
  }
  void add_to(Json& out) const {
    out.set("docs", Json::object({{"count", sum.documents}, {"deleted", sum.deleted}}));
    out.set("store", Json::object({{"size_in_bytes", sum.size_bytes}}));
    out.set("segments", Json::object({{"count", static_cast<std::int64_t>(sum.segments)},
                                      {"memory_in_bytes", sum.memory_bytes}}));
  }
};

// --- GET /_nodes/stats

/// Whether the path's list of metrics wants this one.
class Metrics {
 public:
  static Result<Metrics> of(const Call& call) {
    static const std::set<std::string, std::less<>> known = {"indices", "os", "process", "fs",
                                                            "breaker", "thread_pool"};
    // Of the field's engine, and not measured here.
    static const std::set<std::string, std::less<>> others = {
        "adaptive_selection", "discovery",   "http",
        "indexing_pressure",  "ingest",    "jvm",         "script",
        "transport", "repositories"};
    Metrics out;
    for (std::string& metric : split_list(call.path("metric"))) {
      if (metric == "_all")
        out.all_ = true;
      else if (!known.contains(metric) && !others.contains(metric))
        return illegal_argument("request [/_nodes/stats/" + call.path("metric") +
                                "] contains unrecognized metric: [" + metric + "]");
      out.wanted_.insert(std::move(metric));
    }
    return out;
  }
  bool wants(std::string_view metric) const {
    return all_ || wanted_.empty() || wanted_.find(metric) != wanted_.end();
  }

 private:
  static std::vector<std::string> split_list(const std::string& text) {
    std::vector<std::string> out;
    if (text.empty()) return out;
    for (const auto part : split(text, ',')) out.emplace_back(trim(part));
    return out;
  }
  std::set<std::string, std::less<>> wanted_;
  bool all_ = false;
};

Json os_figures(std::int64_t now, const std::array<double, 3>& load, Json memory) {
  return Json::object(
      {{"timestamp", now},
       {"cpu",
        Json::object({{"load_average",
                       Json::object({{"1m", load[0]}, {"5m", load[1]}, {"15m", load[2]}})}})},
       {"mem", std::move(memory)}});
}

Json process_figures(std::int64_t now) {
  return Json::object(
      {{"timestamp", now},
       {"max_file_descriptors", os::most_open_files()},
       {"cpu", Json::object({{"total_in_millis", os::process_cpu_ms()}})},
       {"mem", Json::object({{"total_virtual_in_bytes", os::process_virtual_bytes()},
                             {"resident_in_bytes", std::uint64_t{os::resident_bytes()}}})}});
}

Json breaker_figures(os::MemoryBreaker& memory) {
  return Json::object({{"parent", Json::object({{"limit_size_in_bytes", memory.limit_bytes()},
                                                {"estimated_size_in_bytes", memory.used_bytes()},
                                                {"overhead", 1.0},
                                                {"tripped", memory.tripped()}})}});
}

Json pool_figures(const os::ComputePool& pool) {
  const auto now = pool.figures();
  return Json::object({{"compute", Json::object({{"threads", std::uint64_t{now.threads}},
                                                 {"queue", std::uint64_t{now.waiting}},
                                                 {"active", std::uint64_t{now.computing}},
                                                 {"rejected", now.refused},
                                                 {"completed", now.completed}})}});
}

Json node_head(const nodes::NodeRecord& record, std::int64_t now) {
  return Json::object({{"timestamp", now},
                       {"name", record.name},
                       {"host", host_part(record.api_address)},
                       {"ip", record.api_address},
                       {"roles", Json::array({"data", "ingest", "master", "ml"})}});
}

/// Of one that stands by: what it says of its machine, and no more.
Json other_node(const nodes::NodeRecord& record, const Metrics& metrics, std::int64_t now) {
  const nodes::NodeFigures& has = record.figures;
  Json node = node_head(record, now);
  if (metrics.wants("os"))
    node.set("os", os_figures(now, has.load,
                              memory_shown(has.memory_total_bytes, has.memory_used_bytes)));
  if (metrics.wants("fs"))
    node.set("fs", Json::object({{"timestamp", now},
                                 {"total", disk_shown({.total_bytes = has.disk_total_bytes,
                                                       .free_bytes = has.disk_free_bytes,
                                                       .available_bytes =
                                                           has.disk_available_bytes})}}));
  return node;
}

Json this_node(const nodes::NodeRecord& record, const Metrics& metrics,
               const ClusterFigures& figures, std::int64_t now) {
  Json node = node_head(record, now);
  if (metrics.wants("indices")) {
    Json indices = Json::object();
    IndexFigures(*figures.at.indices).add_to(indices);
    node.set("indices", std::move(indices));
  }
  if (metrics.wants("os")) node.set("os", os_figures(now, os::load_averages(), memory_figures()));
  if (metrics.wants("process")) node.set("process", process_figures(now));
  if (metrics.wants("breaker") && figures.at.sources.memory != nullptr)
    node.set("breakers", breaker_figures(*figures.at.sources.memory));
  if (const auto& source = figures.at.sources.compute; metrics.wants("thread_pool") && source)
    if (const os::ComputePool* pool = source()) node.set("thread_pool", pool_figures(*pool));
  if (metrics.wants("fs"))
    node.set("fs", Json::object({{"timestamp", now}, {"total", disk_figures(figures)}}));
  return node;
}

Result<Reply> node_statistics(Call& call, const ClusterFigures& figures) {
  CAIRN_TRY(const Metrics metrics, Metrics::of(call));
  const auto& facts = figures.at.facts;
  if (const std::string level = call.query("level").value_or("node"); level != "node")
    return illegal_argument("[level] can only be [node]; GET /_stats has the figures of indices");
  const std::int64_t now = figures.clock.unix_ms();
  Json::Object list;
  for (const ListedNode& node : nodes_meant(facts, figures.at.sources, call.path("node_id")))
    list.emplace_back(node.id, node.is_master
                                          ? this_node(node.record, metrics, figures, now)
                                          : other_node(node.record, metrics, now));
  const auto count = static_cast<std::int64_t>(list.size());
  return Reply::json(Json::object({{"_nodes", nodes_of(count)},
                                   {"cluster_name", facts.cluster_name},
                                   {"nodes", Json(std::move(list))}}));
}

// --- GET /_cluster/*

/// How many fields of each type there are, and in how many indices.
Json field_types(const index::Indices& indices) {
  struct Count {
    std::int64_t fields = 0;
    std::int64_t indices = 0;
  };
  std::map<std::string, Count> counts;
  for (const auto& index : indices.all()) {
    std::set<std::string> here;
    for (const index::Field* field : index->mapping()->fields()) {
      const std::string type(index::name_of(field->declared_type()));
      ++counts[type].fields;
      here.insert(type);
    }
    for (const auto& type : here) ++counts[type].indices;
  }
  Json out = Json::array();
  for (const auto& [name, count] : counts)
    out.push(
        Json::object({{"name", name}, {"count", count.fields}, {"index_count", count.indices}}));
  return out;
}

Result<Reply> cluster_statistics(Call& call, const ClusterFigures& figures) {
  const auto& facts = figures.at.facts;
  if (!means_this_node(facts, call.path("node_id")))
    return illegal_argument("no node is called [" + call.path("node_id") + "]");
  ServerSources::IndexCounts ready;
  if (figures.at.sources.indices) {
    CAIRN_TRY(ready, figures.at.sources.indices(""));
  }
  CAIRN_TRY(const bool remotes, call.flag("include_remotes", false));
  const IndexFigures sums(*figures.at.indices);
  const auto count = static_cast<std::int64_t>(sums.indices);
  Json indices = Json::object(
      {{"count", count}, {"shards", Json::object({{"total", count}, {"primaries", count}})}});
  sums.add_to(indices);
  indices.set("mappings", Json::object({{"field_types", field_types(*figures.at.indices)}}));
  const auto there = static_cast<std::int64_t>(listed_nodes(facts, figures.at.sources).size());
  Json nodes = Json::object(
      {{"count",
        Json::object({{"total", there},
                      {"data", there},
                      {"ingest", there},
                      {"master", there},
                      {"ml", there}})},
       {"versions", Json::array({platform_version})},
       {"os", Json::object({{"available_processors", std::int64_t(os::cpu_count())},
                            {"mem", memory_figures()}})},
       {"process", Json::object({{"mem", Json::object({{"resident_in_bytes",
                                                        std::uint64_t{os::resident_bytes()}}})}})},
       {"fs", disk_figures(figures)}});
  Json out = Json::object({{"_nodes", nodes_of(1)},
                           {"cluster_name", facts.cluster_name},
                           {"cluster_uuid", facts.cluster_uuid},
                           {"timestamp", figures.clock.unix_ms()},
                           {"status", ready.ready == ready.total ? "green" : "red"},
                           {"indices", std::move(indices)},
                           {"nodes", std::move(nodes)}});
  if (remotes) out.set("ccs", Json::object({{"clusters", Json::object()}}));
  return Reply::json(std::move(out));
}

/// Connections of the platform's port, as the server counts them.
Json connection_figures() {
  const os::MetricLabels labels = {{"server", "api"}};
  auto& metrics = os::metrics();
  return Json::object(
      {{"current_open", metrics.gauge("cairn_net_connections", "", labels).value()},
       {"total_opened", metrics.counter("cairn_net_connections_total", "", labels).value()}});
}

/// GET /_info/{target}: some of the node's figures, without the node around them.
Result<Reply> cluster_info_of(Call& call, const ClusterFigures& figures) {
  static const std::set<std::string, std::less<>> known = {"_all", "http", "thread_pool"};
  bool http = false, pools = false;
  for (const auto part : split(call.path("target"), ',')) {
    const std::string_view target = trim(part);
    if (target == "ingest" || target == "script")
      return illegal_argument("[" + std::string(target) +
                              "] is not counted here: there are http and thread_pool");
    if (!known.contains(target))
      return illegal_argument("request [/_info/" + call.path("target") +
                              "] contains unrecognized target: [" + std::string(target) + "]");
    http = http || target != "thread_pool";
    pools = pools || target != "http";
  }
  Json out = Json::object({{"cluster_name", figures.at.facts.cluster_name}});
  if (http) out.set("http", connection_figures());
  if (const auto& source = figures.at.sources.compute; pools && source)
    if (const os::ComputePool* pool = source()) out.set("thread_pool", pool_figures(*pool));
  return Reply::json(std::move(out));
}

Result<Reply> pending_tasks(Call&, const ClusterFigures&) {
  return Reply::json(Json::object({{"tasks", Json::array()}}));
}

}  // namespace

void add_cluster_routes(Router& router, const CatServices& services, const os::Clock& clock) {
  const ClusterFigures figures{services, clock};
  using Face = Result<Reply> (*)(Call&, const ClusterFigures&);
  const auto add = [&](std::string path, std::string operation, std::string summary,
                       std::vector<gate::Parameter> query, Face face) {
    query.push_back({"timeout", "time", "Accepted; one node knows all."});
    router.add({.method = "GET",
                .path = std::move(path),
                .operation = std::move(operation),
                .cluster = {"monitor"},
                .query = std::move(query),
                .summary = std::move(summary)},
               [figures, face](Call& call) { return face(call, figures); });
  };
  for (const auto* path : {"/_nodes/stats", "/_nodes/{node_id}/stats", "/_nodes/stats/{metric}",
                           "/_nodes/{node_id}/stats/{metric}"})
    add(path, "nodes.stats", "Figures of the node: indices, memory, processor, disk.",
        {{"level", "string", "The node as a whole."}}, node_statistics);
  for (const auto* path : {"/_cluster/stats", "/_cluster/stats/nodes/{node_id}"})
    add(path, "cluster.stats", "Figures of all indices and of the node.",
        {{"include_remotes", "boolean", "Other clusters too: there are none."}},
        cluster_statistics);
  router.add({.method = "GET",
              .path = "/_info/{target}",
              .operation = "cluster.info",
              .cluster = {"monitor"},
              .since = "8.9.0",
              .summary = "Figures of the node by their target: connections, the pool of requests."},
             [figures](Call& call) { return cluster_info_of(call, figures); });
  add("/_cluster/pending_tasks", "cluster.pending_tasks",
      "Changes that wait for a node to decide: they never do.",
      {{"local", "boolean", "Accepted; one node knows all."},
       {"master_timeout", "time", "The longest wait for the node that serves."}},
      pending_tasks);
}

}  // namespace cairn::api
