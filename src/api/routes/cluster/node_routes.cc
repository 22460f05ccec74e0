// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/node_routes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/available_memory.h"
#include "os/threads/blocking.h"

namespace cairn::api {
namespace {

struct Nodes {
  const ServerFacts& facts;
  const ServerSources& sources;
};

/// The node of a program that has its store for itself.
nodes::NodeRecord only_node(const ServerFacts& facts, const ServerSources& sources) {
  const auto disk = sources.disk ? sources.disk() : os::DiskSpace{};
  const std::uint64_t memory = os::machine_memory_bytes();
  return {.id = facts.node_id,
          .name = facts.node_name,
          .api_address = address_of(facts, sources),
          .version = facts.version,
          .started_ms = facts.started_ms,
          .figures = {.pid = os::process_id(),
                      .disk_total_bytes = disk.total_bytes,
                      .disk_free_bytes = disk.free_bytes,
                      .disk_available_bytes = disk.available_bytes,
                      .memory_total_bytes = memory,
                      .memory_used_bytes =
                          memory - std::min(memory, os::available_memory_bytes().value_or(0)),
                      .load = os::load_averages()}};
}

Json shown(const ListedNode& node) {
  const nodes::NodeRecord& record = node.record;
  const nodes::NodeFigures& figures = record.figures;
  return Json::object(
      {{"id", node.id},
       {"name", record.name},
       {"role", node.is_master ? "serving" : "standing_by"},
       {"draining", record.draining},
       {"http", record.api_address},
       {"address", record.address},
       {"version", record.version},
       {"weight", record.weight},
       {"started_at", format_iso8601(record.started_ms)},
       {"pid", figures.pid},
       {"disk", Json::object({{"total_in_bytes", figures.disk_total_bytes},
                              {"free_in_bytes", figures.disk_free_bytes},
                              {"available_in_bytes", figures.disk_available_bytes}})},
       {"memory", Json::object({{"total_in_bytes", figures.memory_total_bytes},
                                {"used_in_bytes", figures.memory_used_bytes}})},
       {"load", Json::array({figures.load[0], figures.load[1], figures.load[2]})}});
}

/// By its id, or by its name where one node alone has that.
Result<std::string> id_of(const Nodes& nodes, const std::string& given) {
  std::string found;
  for (const ListedNode& node : listed_nodes(nodes.facts, nodes.sources)) {
    if (node.record.id == given || node.id == given) return node.record.id;
    if (node.record.name != given) continue;
    if (!found.empty())
      return Error{.kind = ErrorKind::conflict,
                   .message = "several nodes have the name [" + given +
                              "]: name the one you mean by its id (GET /_cairn/nodes)"};
    found = node.record.id;
  }
  if (!found.empty()) return found;
  return Error{.kind = ErrorKind::not_found,
               .code = "resource_not_found_exception",
               .message = "there is no node [" + given + "]: GET /_cairn/nodes lists them"};
}

Result<Reply> set_draining(Call& call, const Nodes& nodes, bool draining) {
  CAIRN_TRY(const std::string id, id_of(nodes, call.path("node")));
  if (!nodes.sources.set_draining)
    return Error{.kind = ErrorKind::conflict,
                 .message =
                     "there is one node, with the store in its data folder: nobody could "
                     "go on for it"};
  CAIRN_TRY(const auto deadline, change_deadline(call));
  const os::Blocking blocking;
  CAIRN_CHECK(nodes.sources.set_draining(id, draining, deadline));
  return Reply::json(Json::object({{"acknowledged", true}}), draining ? 202 : 200);
}

}  // namespace

std::vector<ListedNode> listed_nodes(const ServerFacts& facts, const ServerSources& sources) {
  std::vector<ListedNode> out;
  if (sources.nodes) {
    for (nodes::NodeRecord& record : sources.nodes()) {
      // One that goes is nobody's to ask any more.
      if (!out.empty() && record.leaving) continue;
      const auto before = std::find_if(out.begin(), out.end(), [&](const ListedNode& node) {
        return node.id == record.node_id;
      });
      // One that was killed and started anew is there twice for a moment.
      if (before != out.end()) {
        if (before != out.begin() && before->record.started_ms < record.started_ms)
          before->record = std::move(record);
        continue;
      }
      std::string id = record.node_id;
      out.push_back({.record = std::move(record), .id = std::move(id)});
    }
  }
  if (out.empty()) out.push_back({.record = only_node(facts, sources), .id = facts.node_id});
  out.front().is_master = true;
  return out;
}

std::vector<ListedNode> nodes_meant(const ServerFacts& facts, const ServerSources& sources,
                                    std::string_view list) {
  std::vector<ListedNode> out = listed_nodes(facts, sources);
  if (list.empty()) return out;
  std::erase_if(out, [&](const ListedNode& node) {
    for (std::string_view one : split(list, ',')) {
      one = trim(one);
      if (one == "_all" || one == node.id || one == node.record.id ||
          wildcard_match(one, node.record.name))
        return false;
      if (node.is_master && (one == "_local" || one == "_master")) return false;
    }
    return true;
  });
  return out;
}

std::string host_part(std::string_view address) {
  return std::string(address.substr(0, address.rfind(':')));
}

void add_node_routes(Router& router, const ServerFacts& facts, const ServerSources& sources) {
  const Nodes nodes{facts, sources};
  router.add({.method = "GET",
              .path = "/_cairn/nodes",
              .operation = "cairn.nodes",
              .cluster = {"monitor"},
              .summary = "The nodes that share the store: which one serves, which stand by, and "
                         "how their machines are."},
             [nodes](Call&) -> Result<Reply> {
               Json list = Json::array();
               for (const ListedNode& node : listed_nodes(nodes.facts, nodes.sources))
                 list.push(shown(node));
               return Reply::json(Json::object({{"nodes", std::move(list)}}));
             });
  const auto change = [&](std::string path, std::string operation, std::string summary,
                          bool draining) {
    router.add({.method = "POST",
                .path = std::move(path),
                .operation = std::move(operation),
                .cluster = {"manage"},
                .query = {{"timeout", "time", "How long the call may take."},
                          {"master_timeout", "time", "Heeded where it is shorter."}},
                .summary = std::move(summary)},
               [nodes, draining](Call& call) { return set_draining(call, nodes, draining); });
  };
  change("/_cairn/nodes/{node}/_drain", "cairn.drain_node",
         "Tells a node to give away what it owns, as before it is stopped.", true);
  change("/_cairn/nodes/{node}/_resume", "cairn.resume_node", "Lets a node own things again.",
         false);
}

}  // namespace cairn::api
