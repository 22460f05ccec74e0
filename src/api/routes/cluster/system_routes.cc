// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/system_routes.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "api/routes/cluster/node_routes.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/threads/blocking.h"

namespace cairn::api {
namespace {

constexpr std::string_view build_hash = "0000000000000000000000000000000000000000";
constexpr std::int64_t poll_ms = 20;

struct Server {
  const ServerFacts& facts;
  const ServerSources& sources;
  const os::Metrics& metrics;
  const os::Clock& clock;
};

Reply info(const Server& server) {
  const auto& facts = server.facts;
  return Reply::json(
      Json::object({{"name", facts.node_name},
                    {"cluster_name", facts.cluster_name},
                    {"cluster_uuid", facts.cluster_uuid},
                    {"version", Json::object({{"number", platform_version},
                                              {"build_flavor", "default"},
                                              {"build_type", "tar"},
                                              {"build_hash", build_hash},
                                              {"build_date", "2025-07-09T22:10:13.578182715Z"},
                                              {"build_snapshot", false},
                                              {"lucene_version", "10.2.2"},
                                              {"minimum_wire_compatibility_version", "8.19.0"},
                                              {"minimum_index_compatibility_version", "8.0.0"},
                                              {"cairn_version", facts.version}})},
                    {"tagline", "You Know, for Search"}}));
}

/// Nothing here is held back by a licence; tools ask for the widest kind before they offer all.
Json license_facts(const Server& server) {
  return Json::object({{"uid", server.facts.cluster_uuid},
                       {"type", "enterprise"},
                       {"mode", "enterprise"},
                       {"status", "active"}});
}

Reply license(const Server& server) {
  const auto& facts = server.facts;
  Json license = Json::object({{"status", "active"},
                               {"uid", facts.cluster_uuid},
                               {"type", "enterprise"},
                               {"issue_date", format_iso8601(facts.installed_ms)},
                               {"issue_date_in_millis", facts.installed_ms},
                               {"max_nodes", Json()},
                               {"max_resource_units", Json()},
                               {"issued_to", facts.cluster_name},
                               {"issuer", "cairn"},
                               {"start_date_in_millis", -1}});
  return Reply::json(Json::object({{"license", std::move(license)}}));
}

Reply xpack(const Server& server) {
  const Json on = Json::object({{"available", true}, {"enabled", true}});
  return Reply::json(Json::object(
      {{"build", Json::object({{"hash", build_hash}, {"date", "2025-07-09T22:10:13.578Z"}})},
       {"license", license_facts(server)},
       {"features", Json::object({{"ml", on}, {"security", on}})},
       {"tagline", "You know, for X"}}));
}

/// What `GET /_nodes` tells of a node besides who it is, by the names of the field's engine. Those that
/// are not `http` tell nothing here.
bool is_node_metric(std::string_view name) {
  static constexpr std::string_view known[] = {
      "_all",     "_none",    "settings",    "os",        "process",      "jvm",
      "thread_pool", "transport", "http",    "plugins",   "ingest",       "aggregations",
      "indices",  "remote_cluster_server"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

/// Of a path of one part that is names of nodes or of metrics, and of one with both.
struct NodesRequest {
  std::string nodes = {};
  bool with_http = true;
};

Result<NodesRequest> nodes_request(const Call& call) {
  NodesRequest out{.nodes = call.path("node_id")};
  const std::string& given = call.path("metric");
  if (given.empty()) return out;
  bool http = false;
  for (const auto part : split(given, ',')) {
    const std::string_view name = trim(part);
    http = http || name == "_all" || name == "http";
    if (is_node_metric(name)) continue;
    if (out.nodes.empty()) {
      out.nodes = given;
      return out;
    }
    return illegal_argument("request [/_nodes/" + out.nodes + "/" + given +
                            "] contains unrecognized metric: [" + std::string(name) + "]");
  }
  out.with_http = http;
  return out;
}

Result<Reply> nodes(const Call& call, const Server& server) {
  CAIRN_TRY(const NodesRequest request, nodes_request(call));
  const auto& facts = server.facts;
  Json::Object list;
  for (const ListedNode& one : nodes_meant(facts, server.sources, request.nodes)) {
    const std::string& address = one.record.api_address;
    Json node = Json::object({{"name", one.record.name},
                              {"host", host_part(address)},
                              {"ip", host_part(address)},
                              {"version", platform_version},
                              {"build_flavor", "default"},
                              {"build_type", "tar"},
                              {"build_hash", build_hash},
                              {"roles", Json::array({"data", "ingest", "master", "ml"})}});
    if (request.with_http)
      node.set("http", Json::object({{"bound_address", Json::array({address})},
                                     {"publish_address", address},
                                     {"max_content_length_in_bytes", 100 << 20}}));
    list.emplace_back(one.id, std::move(node));
  }
  const std::size_t count = list.size();
  return Reply::json(Json::object(
      {{"_nodes", Json::object({{"total", count}, {"successful", count}, {"failed", 0}})},
       {"cluster_name", facts.cluster_name},
       {"nodes", Json(std::move(list))}}));
}

// --- cluster health

struct HealthRequest {
  int status = 0;  // 2 green, 1 yellow, 0 anything
  std::string relation = {};  // of the nodes that there are to `nodes`
  std::int64_t nodes = 1;

  bool is_enough(std::int64_t there) const {
    if (relation == ">=") return there >= nodes;
    if (relation == "<=") return there <= nodes;
    if (relation == ">") return there > nodes;
    if (relation == "<") return there < nodes;
    return there == nodes;
  }
};

Result<HealthRequest> request_of(const Call& call) {
  HealthRequest wanted;
  const std::string status = call.query("wait_for_status").value_or("");
  if (status == "green")
    wanted.status = 2;
  else if (status == "yellow")
    wanted.status = 1;
  else if (!status.empty() && status != "red")
    return illegal_argument("unknown cluster health status [" + status + "]");
  // Where nobody asks, one is enough.
  const std::string given = call.query("wait_for_nodes").value_or(">=1");
  std::string nodes = lower_ascii(given);
  static constexpr std::pair<std::string_view, std::string_view> signs[] = {
      {">=", ">="}, {"<=", "<="}, {">", ">"},  {"<", "<"},
      {"ge(", ">="}, {"le(", "<="}, {"gt(", ">"}, {"lt(", "<"}};
  for (const auto& [word, sign] : signs) {
    if (!wanted.relation.empty() || !nodes.starts_with(word)) continue;
    if (word.ends_with('(')) {
      if (nodes.back() != ')') break;
      nodes.pop_back();
    }
    wanted.relation = sign;
    nodes.erase(0, word.size());
  }
  const auto count = parse_number<std::int64_t>(nodes);
  if (!count) return illegal_argument("cannot read [wait_for_nodes] value [" + given + "]");
  wanted.nodes = *count;
  return wanted;
}

Result<ServerSources::IndexCounts> counts_of(const Server& server, const Call& call) {
  if (!server.sources.indices) return ServerSources::IndexCounts{};
  return server.sources.indices(call.path("index"));
}

Json health_body(const Server& server, const ServerSources::IndexCounts& counts,
                 std::int64_t nodes, bool timed_out) {
  const double share = counts.total == 0 ? 100.0
                                         : 100.0 * static_cast<double>(counts.ready) /
                                               static_cast<double>(counts.total);
  return Json::object({{"cluster_name", server.facts.cluster_name},
                       {"status", counts.ready == counts.total ? "green" : "red"},
                       {"timed_out", timed_out},
                       {"number_of_nodes", nodes},
                       {"number_of_data_nodes", nodes},
                       {"active_primary_shards", counts.ready},
                       {"active_shards", counts.ready},
                       {"relocating_shards", 0},
                       {"initializing_shards", counts.total - counts.ready},
                       {"unassigned_shards", 0},
                       {"unassigned_primary_shards", 0},
                       {"delayed_unassigned_shards", 0},
                       {"number_of_pending_tasks", 0},
                       {"number_of_in_flight_fetch", 0},
                       {"task_max_waiting_in_queue_millis", 0},
                       {"active_shards_percent_as_number", share}});
}

Result<Reply> cluster_health(Call& call, const Server& server) {
  if (call.query("level").value_or("cluster") != "cluster")
    return illegal_argument("[level] must be [cluster]; GET /_cat/indices lists indices");
  CAIRN_TRY(const HealthRequest wanted, request_of(call));
  CAIRN_TRY(const std::int64_t timeout, call.time("timeout", 30'000));
  const auto deadline = os::Deadline::from_wait_ms(timeout, call.deadline().stop());
  const os::Blocking blocking;
  for (;;) {
    CAIRN_TRY(const auto counts, counts_of(server, call));
    const int status = counts.ready == counts.total ? 2 : 0;
    const auto nodes =
        static_cast<std::int64_t>(listed_nodes(server.facts, server.sources).size());
    const bool enough = status >= wanted.status && wanted.is_enough(nodes);
    if (enough) return Reply::json(health_body(server, counts, nodes, false));
    if (!os::sleep_ms(poll_ms, deadline))
      return Reply::json(health_body(server, counts, nodes, true), 408);
  }
}

Reply ready(const Server& server, std::string_view word) {
  const std::string reason = server.sources.not_ready ? server.sources.not_ready() : "";
  const std::string warning = server.sources.warning ? server.sources.warning() : "";
  if (reason.empty())
    return Reply::plain(std::string(word) + "\n" + (warning.empty() ? "" : warning + "\n"));
  return Reply::plain(reason + "\n", "text/plain; charset=UTF-8", 503);
}

// --- rows

void add_info(Router& router, const Server& server) {
  const auto row = [](std::string path, std::string operation, std::string summary) {
    return gate::Route{.method = "GET",
                       .path = std::move(path),
                       .operation = std::move(operation),
                       .cluster = {"monitor"},
                       .summary = std::move(summary)};
  };
  auto main = row("/", "info", "Says who this server is and which version it speaks.");
  main.action = "cluster:monitor/main";
  // Nothing in it changes while the server runs, and clients ask for it before all else.
  router.add(std::move(main), [text = info(server).body.dump()](Call&) -> Result<Reply> {
    return Reply::raw_json(text);
  });
  auto licence = row("/_license", "license.get", "The licence that tools ask for.");
  licence.query = {{"local", "boolean"}, {"accept_enterprise", "boolean"}};
  router.add(std::move(licence), [server](Call&) -> Result<Reply> { return license(server); });
  auto features = row("/_xpack", "xpack.info", "Which features there are.");
  features.query = {
      {"categories", "list"}, {"accept_enterprise", "boolean"}, {"master_timeout", "time"}};
  router.add(std::move(features), [server](Call&) -> Result<Reply> { return xpack(server); });
  for (const auto* path : {"/_nodes", "/_nodes/{metric}", "/_nodes/{node_id}/{metric}"}) {
    auto list = row(path, "nodes.info", "The nodes and the addresses that they listen on.");
    list.query = {{"flat_settings", "boolean"}, {"timeout", "time"}};
    router.add(std::move(list), [server](Call& call) { return nodes(call, server); });
  }
}

void add_health(Router& router, const Server& server) {
  for (const auto* path : {"/_cluster/health", "/_cluster/health/{index}"})
    router.add({.method = "GET",
                .path = path,
                .operation = "cluster.health",
                .cluster = {"monitor"},
                .query = {{"wait_for_status", "string", "green, yellow or red"},
                          {"timeout", "time", "How long to wait; 30s where absent."},
                          {"master_timeout", "time"},
                          {"wait_for_nodes", "string", "A number, or >=N, <=N, >N, <N."},
                          {"wait_for_active_shards", "string"},
                          {"wait_for_no_relocating_shards", "boolean"},
                          {"wait_for_no_initializing_shards", "boolean"},
                          {"wait_for_events", "string"},
                          {"level", "string"},
                          {"local", "boolean"},
                          {"expand_wildcards", "list"}},
                .summary = "Says whether all indices are ready, and waits for it if asked to.",
                .action = "cluster:monitor/health"},
               [server](Call& call) { return cluster_health(call, server); });
  const auto probe = [&](std::string path, std::string operation, std::string summary,
                         Handler handler) {
    router.add({.method = "GET",
                .path = std::move(path),
                .operation = std::move(operation),
                .open = true,
                .resource = "",
                .summary = std::move(summary)},
               std::move(handler));
  };
  probe("/_health/live", "health.live", "Answers while the process does.",
        [](Call&) -> Result<Reply> { return Reply::plain("live\n"); });
  probe("/_health/ready", "health.ready", "200 when requests are served, else 503 and why.",
        [server](Call&) -> Result<Reply> { return ready(server, "ready"); });
  probe("/_health/startup", "health.startup", "200 once the server has started.",
        [server](Call&) -> Result<Reply> { return ready(server, "started"); });
}

}  // namespace

bool means_this_node(const ServerFacts& facts, std::string_view list) {
  if (list.empty()) return true;
  for (std::string_view one : split(list, ',')) {
    one = trim(one);
    if (one == "_all" || one == "_local" || one == "_master" || one == facts.node_id ||
        wildcard_match(one, facts.node_name))
      return true;
  }
  return false;
}

std::string address_of(const ServerFacts& facts, const ServerSources& sources) {
  return sources.address ? sources.address() : facts.address;
}

std::string host_of(const ServerFacts& facts, const ServerSources& sources) {
  const std::string address = address_of(facts, sources);
  return address.substr(0, address.rfind(':'));
}

void add_system_routes(Router& router, const ServerFacts& facts, const ServerSources& sources,
                       const os::Metrics& metrics, const os::Clock& clock, const Options& options) {
  const Server server{facts, sources, metrics, clock};
  add_info(router, server);
  add_health(router, server);
  router.add({.method = "GET",
              .path = "/_metrics",
              .operation = "metrics",
              .cluster = {"monitor"},
              .open = options.open_metrics,
              .resource = "",
              .summary = "Counters and gauges in the text format of Prometheus."},
             [server](Call&) -> Result<Reply> {
               return Reply::plain(server.metrics.expose(),
                                   "text/plain; version=0.0.4; charset=utf-8");
             });
}

}  // namespace cairn::api
