// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/allocation_routes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

Json roles_of_node() { return Json::array({"data", "ingest", "master", "ml"}); }

/// The index that a request names by itself or by an alias of it alone, closed ones too.
Result<index::NamedIndex> index_called(const Call& call, const CatServices& services,
                                       const std::string& name) {
  CAIRN_TRY(const auto found,
            indices_of(call, *services.indices, name, {.allow_no_indices = false, .closed = true}));
  if (found.size() != 1)
    return illegal_argument("[" + name + "] stands for [" + std::to_string(found.size()) +
                            "] indices: name one");
  return found.front();
}

/// An index has one shard, and that one copy.
Status check_shard(const std::string& index, std::int64_t shard) {
  if (shard == 0) return ok_status();
  return Error{.kind = ErrorKind::not_found,
               .code = "shard_not_found_exception",
               .message = "no such shard [" + std::to_string(shard) + "] of [" + index +
                          "]: an index has one, [0]"};
}

// --- GET /_cluster/allocation/explain

struct WantedShard {
  std::optional<std::string> index = {};
  std::optional<std::int64_t> shard = {};
  std::optional<bool> primary = {};
  std::optional<std::string> node = {};

  bool names_any() const { return index || shard || primary || node; }
};

Result<WantedShard> shard_of_body(const Json& body) {
  Fields fields(body, "cluster_allocation_explain");
  WantedShard out;
  CAIRN_TRY(out.index, fields.string("index"));
  CAIRN_TRY(out.shard, fields.integer("shard"));
  CAIRN_TRY(out.primary, fields.boolean("primary"));
  CAIRN_TRY(out.node, fields.string("current_node"));
  CAIRN_CHECK(fields.finish());
  return out;
}

Result<WantedShard> shard_of_url(const Call& call) {
  WantedShard out{.index = call.query("index"), .node = call.query("current_node")};
  if (call.query("shard")) {
    CAIRN_TRY(out.shard, call.integer("shard", 0));
  }
  if (call.query("primary")) {
    CAIRN_TRY(out.primary, call.flag("primary", true));
  }
  return out;
}

Result<WantedShard> wanted_shard(Call& call) {
  CAIRN_TRY(WantedShard url, shard_of_url(call));
  CAIRN_TRY(const auto body, call.optional_body());
  if (!body || body->as_object().empty()) return url;
  if (url.names_any())
    return illegal_argument("the shard is named in the body or in the URL, not in both");
  return shard_of_body(*body);
}

Status check_whole(const WantedShard& wanted) {
  std::vector<std::string> faults;
  if (!wanted.index) faults.emplace_back("index must be specified");
  if (!wanted.shard) faults.emplace_back("shard must be specified");
  if (!wanted.primary) faults.emplace_back("primary must be specified");
  if (faults.empty()) return ok_status();
  return validation_fault(faults);
}

/// What is known of the disk and of how large indices are.
Json cluster_info(const CatServices& services, const index::Index& index) {
  const auto disk = services.sources.disk ? services.sources.disk() : os::DiskSpace{};
  const std::uint64_t used = disk.total_bytes - disk.free_bytes;
  const auto share = [&](std::uint64_t part) {
    return disk.total_bytes == 0 ? 0.0 : static_cast<double>(part * 1000 / disk.total_bytes) / 10.0;
  };
  const Json space = Json::object({{"total_bytes", disk.total_bytes},
                                   {"used_bytes", used},
                                   {"free_bytes", disk.free_bytes},
                                   {"free_disk_percent", share(disk.free_bytes)},
                                   {"used_disk_percent", share(used)}});
  const Json node = Json::object({{"node_name", services.facts.node_name},
                                  {"least_available", space},
                                  {"most_available", space}});
  const std::string shard = "[" + index.name() + "][0][p]_bytes";
  return Json::object(
      {{"nodes", Json::object({{services.facts.node_id, node}})},
       {"shard_sizes", Json::object({{shard, index.closed() ? std::uint64_t{0}
                                                            : index.statistics().size_bytes}})}});
}

Result<Reply> explain_allocation(Call& call, const CatServices& services) {
  CAIRN_TRY(const bool yes, call.flag("include_yes_decisions", false));
  CAIRN_TRY(const bool disk, call.flag("include_disk_info", false));
  CAIRN_TRY(const WantedShard wanted, wanted_shard(call));
  if (!wanted.names_any())
    return illegal_argument(
        "No shard was specified in the request which means the response should explain a "
        "randomly-chosen unassigned shard, but there are no unassigned shards in this cluster. To "
        "explain the allocation of an assigned shard you must specify the target shard in the "
        "request.");
  CAIRN_CHECK(check_whole(wanted));
  CAIRN_TRY(const auto index, index_called(call, services, *wanted.index));
  CAIRN_CHECK(check_shard(index->name(), *wanted.shard));
  if (!*wanted.primary)
    return illegal_argument("there is no replica of [" + index->name() +
                            "] to explain: an index has one copy here, its primary");
  const auto& facts = services.facts;
  if (wanted.node && !means_this_node(facts, *wanted.node))
    return illegal_argument("no copy of [" + index->name() + "][0] is on [" + *wanted.node +
                            "]: it is on [" + facts.node_name + "], the only node");
  Json out = Json::object(
      {{"index", index->name()}, {"shard", 0}, {"primary", true}, {"current_state", "started"}});
  out.set("current_node", Json::object({{"id", facts.node_id},
                                        {"name", facts.node_name},
                                        {"transport_address", address_of(facts, services.sources)},
                                        {"attributes", Json::object()},
                                        {"roles", roles_of_node()},
                                        {"weight_ranking", 1}}));
  if (disk) out.set("cluster_info", cluster_info(services, *index));
  out.set("can_remain_on_current_node", "yes");
  if (yes)
    out.set("can_remain_decisions",
            Json::array(
                {Json::object({{"decider", "single_node"},
                               {"decision", "YES"},
                               {"explanation", "one node serves all shards, and it is on that one"}})}));
  out.set("can_rebalance_cluster", "yes");
  out.set("can_rebalance_to_other_node", "no");
  out.set("rebalance_explanation",
          "cannot rebalance as no target node exists that can both allocate this shard and improve "
          "the cluster balance");
  return Reply::json(std::move(out));
}

// --- POST /_cluster/reroute

/// One command as it was asked for, and why the one node does not do it.
struct RerouteCommand {
  std::string name;
  Json parameters = Json::object();
  std::string refusal = {};
};

constexpr std::array reroute_commands = {"move", "cancel", "allocate_replica",
                                         "allocate_stale_primary", "allocate_empty_primary"};

Status check_reroute_node(const CatServices& services, const std::string& name) {
  if (means_this_node(services.facts, name) && !name.empty()) return ok_status();
  return illegal_argument("failed to resolve [" + name + "], no matching nodes: the only one is [" +
                          services.facts.node_name + "]");
}

std::string refusal_of(const std::string& command, const std::string& shard,
                       const std::string& node, bool allow_primary) {
  if (command == "move")
    return "a copy of this shard is already allocated to this node [" + shard + "]";
  if (command == "allocate_replica")
    return "all copies of [" + shard +
           "] are already assigned. Use the move allocation command instead";
  if (command != "cancel") return "primary [" + shard + "] is already assigned";
  if (allow_primary)
    return "can't cancel [" + shard + "] on node [" + node +
           "]: there is no other copy that would become the primary";
  return "can't cancel [" + shard + "] on node [" + node + "], shard is primary and started";
}

Result<RerouteCommand> read_command(const Call& call, const CatServices& services,
                                    const Json& given) {
  if (!given.is_object() || given.as_object().size() != 1)
    return illegal_argument("each of [commands] is an object with one command");
  const auto& [name, body] = given.as_object().front();
  if (std::find(reroute_commands.begin(), reroute_commands.end(), name) == reroute_commands.end())
    return illegal_argument("Unknown allocation command [" + name + "]");
  if (!body.is_object()) return illegal_argument("[" + name + "] must be an object");
  Fields fields(body, name, "commands");
  RerouteCommand out{.name = name};
  CAIRN_TRY(const std::string index, fields.required_string("index"));
  CAIRN_TRY(const auto shard, fields.integer("shard"));
  if (!shard) return illegal_argument("[" + name + "] command missing the shard parameter");
  const bool moves = name == "move";
  CAIRN_TRY(const std::string from,
            moves ? fields.required_string("from_node") : fields.required_string("node"));
  CAIRN_TRY(const std::string to,
            moves ? fields.required_string("to_node") : Result<std::string>(from));
  bool forced = false;
  if (name == "cancel") {
    CAIRN_TRY(forced, fields.boolean_or("allow_primary", false));
  } else if (name.ends_with("_primary")) {
    CAIRN_TRY(forced, fields.boolean_or("accept_data_loss", false));
    if (!forced)
      return illegal_argument("[" + name + "] requires accept_data_loss to be set to true");
  }
  CAIRN_CHECK(fields.finish());
  CAIRN_CHECK(check_reroute_node(services, from));
  CAIRN_CHECK(check_reroute_node(services, to));
  CAIRN_TRY(const auto found, index_called(call, services, index));
  CAIRN_CHECK(check_shard(found->name(), *shard));
  out.parameters = Json::object({{"index", found->name()}, {"shard", 0}});
  if (moves) {
    out.parameters.set("from_node", from);
    out.parameters.set("to_node", to);
  } else {
    out.parameters.set("node", from);
    if (name == "cancel") out.parameters.set("allow_primary", forced);
    if (name.ends_with("_primary")) out.parameters.set("accept_data_loss", forced);
  }
  out.refusal = refusal_of(name, "[" + found->name() + "][0]", services.facts.node_name, forced);
  return out;
}

Json explained_command(const RerouteCommand& command) {
  const Json decision = Json::object({{"decider", command.name + " (allocation command)"},
                                      {"decision", "NO"},
                                      {"explanation", command.refusal}});
  return Json::object({{"command", command.name},
                       {"parameters", command.parameters},
                       {"decisions", Json::array({decision})}});
}

/// There is one place for every shard, where it is: a command is explained, or refused.
Result<Reply> reroute(Call& call, const CatServices& services) {
  CAIRN_TRY(const bool explains, call.flag("explain", false));
  // Nothing is tried that could fail, so that trying it again and doing it dry are the same.
  CAIRN_CHECK(call.flag("dry_run", false));
  CAIRN_CHECK(call.flag("retry_failed", false));
  for (const std::string& metric : call.list("metric"))
    if (metric != "none")
      return illegal_argument("[metric] can only be [none]: GET /_cluster/state has the state");
  CAIRN_TRY(const auto body, call.optional_body());
  std::vector<RerouteCommand> commands;
  if (body) {
    Fields fields(*body, "cluster_reroute");
    CAIRN_TRY(const Json* given, fields.array("commands"));
    CAIRN_CHECK(fields.finish());
    if (given != nullptr)
      for (const Json& one : given->as_array()) {
        CAIRN_CHECK(call.deadline().check("reading commands"));
        CAIRN_TRY(RerouteCommand command, read_command(call, services, one));
        if (!explains) return illegal_argument("[" + command.name + "] " + command.refusal);
        commands.push_back(std::move(command));
      }
  }
  Json out = Json::object({{"acknowledged", true}});
  if (explains) {
    Json list = Json::array();
    for (const RerouteCommand& command : commands) list.push(explained_command(command));
    out.set("explanations", std::move(list));
  }
  return Reply::json(std::move(out));
}

// --- GET /_shard_stores

Json store_of(const CatServices& services, const index::Index& index) {
  const auto& facts = services.facts;
  Json node = Json::object({{"name", facts.node_name},
                            {"ephemeral_id", facts.node_id},
                            {"transport_address", address_of(facts, services.sources)},
                            {"external_id", facts.node_name},
                            {"attributes", Json::object()},
                            {"roles", roles_of_node()}});
  return Json::object({{facts.node_id, std::move(node)},
                       {"allocation_id", index.uuid()},
                       {"allocation", "primary"}});
}

/// Every index that is there has all its copies: it is green.
Result<Reply> shard_stores(Call& call, const CatServices& services) {
  static const std::set<std::string, std::less<>> known = {"green", "yellow", "red", "all"};
  std::vector<std::string> wanted = call.list("status");
  if (wanted.empty()) wanted = {"yellow", "red"};
  bool green = false;
  for (const std::string& status : wanted) {
    if (!known.contains(status))
      return illegal_argument("unknown [status] [" + status + "]; one of green, yellow, red, all");
    green = green || status == "green" || status == "all";
  }
  CAIRN_TRY(const auto found, indices_of(call, *services.indices, call.path("index")));
  Json out = Json::object();
  if (green)
    for (const auto& index : found) {
      Json stores = Json::object({{"stores", Json::array({store_of(services, *index)})}});
      out.set(index->name(), Json::object({{"shards", Json::object({{"0", std::move(stores)}})}}));
    }
  return Reply::json(Json::object({{"indices", std::move(out)}}));
}

}  // namespace

void add_allocation_routes(Router& router, const CatServices& services) {
  using Face = Result<Reply> (*)(Call&, const CatServices&);
  const auto add = [&](gate::Route row, Face face) {
    router.add(std::move(row), [services, face](Call& call) { return face(call, services); });
  };
  for (const auto* method : {"GET", "POST"})
    add({.method = method,
         .path = "/_cluster/allocation/explain",
         .operation = "cluster.allocation_explain",
         .cluster = {"monitor"},
         .reads = true,
         .query = {{"index", "string", "The index; or in the body."},
                   {"shard", "integer", "0, the only one."},
                   {"primary", "boolean", "true: there are no replicas."},
                   {"current_node", "string", "A node that it is expected on."},
                   {"include_yes_decisions", "boolean", "Why it may stay, too."},
                   {"include_disk_info", "boolean", "The disk and the size of the index, too."},
                   {"master_timeout", "time", "The longest wait for the node that serves."}},
         .summary = "Says where the shard of an index is, and why it stays there."},
        explain_allocation);
  add({.method = "POST",
       .path = "/_cluster/reroute",
       .operation = "cluster.reroute",
       .cluster = {"manage"},
       .query =
           with_timeouts({{"dry_run", "boolean", "Nothing is moved in any case."},
                          {"explain", "boolean", "Say why commands cannot be done."},
                          {"retry_failed", "boolean", "None has failed."},
                          {"metric", "list", "Only none: GET /_cluster/state has the state."}}),
       .summary = "Explains or refuses commands that move shards: one node serves all."},
      reroute);
  for (const std::string head : {"", "/{index}"})
    add({.method = "GET",
         .path = head + "/_shard_stores",
         .operation = "indices.shard_stores",
         .index_privilege = "monitor",
         .filters_indices = true,
         .query = with_index_options(
             {{"status", "list", "green, yellow, red, all; yellow and red where absent."}}),
         .summary = "Says which nodes have copies of shards, of those in a state."},
        shard_stores);
}

}  // namespace cairn::api
