// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/cluster_state_routes.h"

#include <algorithm>
#include <array>
#include <set>

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/encode.h"
#include "base/hash.h"
#include "api/routes/cluster/node_routes.h"
#include "base/strings.h"
#include "index/templates/stored_scripts.h"

namespace cairn::api {
namespace {

constexpr std::array state_metrics = {"blocks",        "master_node",   "metadata", "nodes",
                                      "routing_nodes", "routing_table", "version"};

/// The parts that the path asks for. Errors: illegal_argument_exception.
Result<std::set<std::string, std::less<>>> state_parts(const Call& call) {
  std::set<std::string, std::less<>> out;
  for (const std::string& name : name_list(call.path("metric"))) {
    if (name == "_all") out.insert(state_metrics.begin(), state_metrics.end());
    const bool known =
        std::find(state_metrics.begin(), state_metrics.end(), name) != state_metrics.end();
    if (!known && name != "_all")
      return illegal_argument("request [/_cluster/state/" + call.path("metric") +
                              "] contains unrecognized metric: [" + name + "]");
    out.insert(name);
  }
  if (out.empty()) out.insert(state_metrics.begin(), state_metrics.end());
  return out;
}

Json state_nodes(const CatServices& services) {
  Json::Object out;
  for (const ListedNode& node : listed_nodes(services.facts, services.sources))
    out.emplace_back(node.id,
                     Json::object({{"name", node.record.name},
                                   {"transport_address", node.record.api_address},
                                   {"roles", Json::array({"data", "ingest", "master", "ml"})},
                                   {"version", platform_version}}));
  return Json(std::move(out));
}

Json shown_block(std::string_view description, Json levels) {
  return Json::object({{"description", description},
                       {"retryable", false},
                       {"levels", std::move(levels)}});
}

Json blocks_of(const index::Index& index) {
  Json out = Json::object();
  if (index.closed())
    out.set("4", shown_block("index closed", Json::array({"read", "write"})));
  if (index.setting_text("blocks.read_only") == "true")
    out.set("5", shown_block("index read-only (api)", Json::array({"write", "metadata_write"})));
  if (index.setting_text("blocks.write") == "true")
    out.set("8", shown_block("index write (api)", Json::array({"write"})));
  if (index.setting_text("blocks.read_only_allow_delete") == "true")
    out.set("12", shown_block("index has read-only-allow-delete block",
                              Json::array({"write", "metadata_write"})));
  return out;
}

Json state_blocks(const IndexList& indices) {
  Json::Object each;
  for (const auto& index : indices)
    if (Json own = blocks_of(*index); !own.as_object().empty())
      each.emplace_back(index->name(), std::move(own));
  if (each.empty()) return Json::object();
  return Json::object({{"indices", Json(std::move(each))}});
}

Result<Json> index_metadata(const Call& call, const index::AliasTable& aliases,
                            const index::Index& index) {
  CAIRN_TRY(const bool flat, call.flag("flat_settings", false));
  Json names = Json::array();
  for (const auto& [alias, member] : aliases.of_index(index.name())) names.push(alias);
  const Json settings = index.settings();
  Json mappings = index.mapping()->to_json();
  return Json::object({{"state", index.closed() ? "close" : "open"},
                       {"settings", flat ? index::flat_settings(settings) : settings},
                       {"mappings", Json::object({{"_doc", std::move(mappings)}})},
                       {"aliases", std::move(names)}});
}

/// What is kept about templates and streams, as the field's engine nests it.
void add_names(Json& metadata, const index::Indices& indices) {
  const auto templates = indices.templates();
  Json all = templates->to_json();
  for (const auto& [kept, shown] : {std::pair{"index_templates", "index_template"},
                                    std::pair{"component_templates", "component_template"}})
    metadata.set(shown, Json::object({{shown, *all.find(kept)}}));
  Json streams = Json::object();
  const auto table = indices.data_streams();
  for (const auto& [name, stream] : table->all()) {
    Json backing = Json::array();
    for (const index::BackingIndex& one : stream.indices)
      backing.push(Json::object({{"index_name", one.name}, {"index_uuid", one.uuid}}));
    streams.as_object().emplace_back(
        name, Json::object({{"name", name},
                            {"timestamp_field",
                             Json::object({{"name", index::timestamp_field_name}})},
                            {"indices", std::move(backing)},
                            {"generation", stream.generation},
                            {"hidden", stream.hidden}}));
  }
  metadata.set("data_stream", Json::object({{"data_stream", std::move(streams)}}));
  metadata.set("stored_scripts", indices.scripts().to_json());
}

Result<Json> state_metadata(const Call& call, const CatServices& services,
                            const IndexList& indices) {
  const auto aliases = services.indices->aliases();
  Json::Object each;
  for (const auto& index : indices) {
    CAIRN_CHECK(call.deadline().check("showing the state of the cluster"));
    CAIRN_TRY(Json one, index_metadata(call, *aliases, *index));
    each.emplace_back(index->name(), std::move(one));
  }
  Json out = Json::object({{"cluster_uuid", services.facts.cluster_uuid},
                           {"cluster_uuid_committed", true},
                           {"templates", Json::object()},
                           {"indices", Json(std::move(each))}});
  add_names(out, *services.indices);
  return out;
}

/// The one copy of the one shard of an index.
Json shard_of(const CatServices& services, const index::Index& index) {
  return Json::object({{"state", "STARTED"},
                       {"primary", true},
                       {"node", services.facts.node_id},
                       {"relocating_node", nullptr},
                       {"shard", 0},
                       {"index", index.name()}});
}

void add_routing(Json& out, const std::set<std::string, std::less<>>& parts,
                 const CatServices& services, const IndexList& indices) {
  Json::Object table;
  Json here = Json::array();
  for (const auto& index : indices) {
    Json shard = shard_of(services, *index);
    here.push(shard);
    table.emplace_back(
        index->name(),
        Json::object({{"shards", Json::object({{"0", Json::array({std::move(shard)})}})}}));
  }
  if (parts.contains("routing_table"))
    out.set("routing_table", Json::object({{"indices", Json(std::move(table))}}));
  if (parts.contains("routing_nodes")) {
    Json nodes = Json::object({{services.facts.node_id, std::move(here)}});
    out.set("routing_nodes",
            Json::object({{"unassigned", Json::array()}, {"nodes", std::move(nodes)}}));
  }
}

Result<Reply> cluster_state(Call& call, const CatServices& services) {
  CAIRN_TRY(const auto parts, state_parts(call));
  CAIRN_TRY(IndexOptions options, index_options(call));
  if (options.expand_wildcards.empty()) options.expand_wildcards = {"all"};
  options.closed = true;
  CAIRN_TRY(const auto indices, indices_of(call, *services.indices, call.path("index"), options));
  const auto wants = [&](std::string_view part) { return parts.find(part) != parts.end(); };
  CAIRN_TRY(Json metadata, state_metadata(call, services, indices));
  Json out = Json::object({{"cluster_name", services.facts.cluster_name},
                           {"cluster_uuid", services.facts.cluster_uuid}});
  // Two states that show the same are the same.
  if (wants("version"))
    out.set("state_uuid", to_hex(sha256(metadata.dump())).substr(0, 22));
  if (wants("master_node")) out.set("master_node", services.facts.node_id);
  if (wants("blocks")) out.set("blocks", state_blocks(indices));
  if (wants("nodes")) out.set("nodes", state_nodes(services));
  if (wants("metadata")) out.set("metadata", std::move(metadata));
  add_routing(out, parts, services, indices);
  return Reply::json(std::move(out));
}

}  // namespace

void add_cluster_state_routes(Router& router, const CatServices& services) {
  for (const std::string tail : {"", "/{metric}", "/{metric}/{index}"})
    router.add({.method = "GET",
                .path = "/_cluster/state" + tail,
                .operation = "cluster.state",
                .cluster = {"monitor"},
                .computes = true,
                .query = with_index_options(
                    {{"flat_settings", "boolean", "Settings as one level of dotted names."},
                     {"local", "boolean", "Accepted; one node knows all."},
                     {"master_timeout", "time", "The longest wait for the node that serves."}}),
                .summary = "Names, definitions and blocks of indices, and where they are."},
               [services](Call& call) { return cluster_state(call, services); });
}

}  // namespace cairn::api
