// SPDX-License-Identifier: Apache-2.0
#include "api/routes/indices/recovery_routes.h"

#include <algorithm>

#include "api/forms/cat_table.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

using index::Recovery;

std::string_view type_of(Recovery::Kind kind) {
  if (kind == Recovery::Kind::created) return "EMPTY_STORE";
  return kind == Recovery::Kind::opened ? "EXISTING_STORE" : "SNAPSHOT";
}

std::int64_t took_ms(const Recovery& recovery) {
  return std::max<std::int64_t>(0, recovery.ended_ms - recovery.begun_ms);
}

Json node_of(const CatServices& services) {
  const auto& facts = services.facts;
  return Json::object({{"id", facts.node_id},
                       {"host", host_of(facts, services.sources)},
                       {"transport_address", address_of(facts, services.sources)},
                       {"ip", host_of(facts, services.sources)},
                       {"name", facts.node_name}});
}

/// Of data that a restore brought all was copied; what was in the store all was used again.
Json index_part(const Recovery& recovery) {
  const bool copied = recovery.kind == Recovery::Kind::restored;
  const std::uint64_t objects = recovery.objects;
  const auto counts = [&](std::uint64_t all, const char* unit) {
    const std::string tail(unit);
    return Json::object({{"total" + tail, all},
                         {"reused" + tail, copied ? std::uint64_t{0} : all},
                         {"recovered" + tail, copied ? all : std::uint64_t{0}},
                         {"percent", "100.0%"}});
  };
  return Json::object({{"size", counts(recovery.bytes, "_in_bytes")},
                       {"files", counts(objects, "")},
                       {"total_time_in_millis", took_ms(recovery)}});
}

Json shown_recovery(const CatServices& services, const Recovery& recovery) {
  Json node = node_of(services);
  return Json::object(
      {{"id", 0},
       {"type", type_of(recovery.kind)},
       {"stage", "DONE"},
       {"primary", true},
       {"start_time_in_millis", recovery.begun_ms},
       {"stop_time_in_millis", recovery.ended_ms},
       {"total_time_in_millis", took_ms(recovery)},
       {"source", recovery.kind == Recovery::Kind::opened ? node : Json::object()},
       {"target", std::move(node)},
       {"index", index_part(recovery)},
       {"translog", Json::object({{"recovered", recovery.operations},
                                  {"total", recovery.operations},
                                  {"percent", "100.0%"},
                                  {"total_on_start", recovery.operations}})}});
}

Result<Reply> recoveries(Call& call, const CatServices& services) {
  CAIRN_TRY(const bool active, call.flag("active_only", false));
  CAIRN_TRY(const bool detailed, call.flag("detailed", false));
  if (detailed) return illegal_argument("[detailed] can only be false: no list of files is kept");
  CAIRN_TRY(const auto found, indices_of(call, *services.indices, call.path("index")));
  Json out = Json::object();
  // An index is found once it is whole, so none is under way.
  if (!active)
    for (const auto& index : found)
      out.set(index->name(),
              Json::object({{"shards",
                             Json::array({shown_recovery(services, index->recovery())})}}));
  return Reply::json(std::move(out));
}

Result<Reply> cat_recovery(Call& call, const CatServices& services) {
  const std::vector<CatColumn> columns = {{"index", "i"},
                                          {"shard", "s", true, true},
                                          {"start_time", "start", false},
                                          {"start_time_millis", "start_millis", false, true},
                                          {"stop_time", "stop", false},
                                          {"stop_time_millis", "stop_millis", false, true},
                                          {"time", "t", true, true},
                                          {"type", "ty"},
                                          {"stage", "st"},
                                          {"target_host", "thost"},
                                          {"target_node", "tnode"},
                                          {"files", "f", true, true},
                                          {"files_percent", "fp"},
                                          {"bytes", "b", true, true},
                                          {"bytes_percent", "bp"},
                                          {"translog_ops", "to", true, true}};
  CAIRN_TRY(const bool active, call.flag("active_only", false));
  CAIRN_TRY(const bool detailed, call.flag("detailed", false));
  if (detailed) return illegal_argument("[detailed] can only be false: no list of files is kept");
  const std::string names = call.query("index").value_or(call.path("index"));
  CAIRN_TRY(auto found, indices_of(call, *services.indices, names));
  std::erase_if(found, [&](const auto& index) { return active || !call.admits(index->name()); });
  std::vector<CatRow> rows;
  for (const auto& index : found) {
    const Recovery own = index->recovery();
    CAIRN_TRY(const std::string time, cat_time(call, took_ms(own)));
    CAIRN_TRY(const std::string bytes, cat_size(call, own.bytes));
    rows.push_back({index->name(), "0", format_iso8601(own.begun_ms), std::to_string(own.begun_ms),
                    format_iso8601(own.ended_ms), std::to_string(own.ended_ms), time,
                    lower_ascii(type_of(own.kind)), "done",
                    host_of(services.facts, services.sources), services.facts.node_name,
                    std::to_string(own.objects), "100.0%", bytes, "100.0%",
                    std::to_string(own.operations)});
  }
  return cat_reply(call, columns, std::move(rows));
}

}  // namespace

void add_recovery_routes(Router& router, const CatServices& services) {
  using Face = Result<Reply> (*)(Call&, const CatServices&);
  const auto add = [&](const std::string& path, const std::string& operation,
                       const std::string& summary, std::vector<gate::Parameter> query, Face face) {
    router.add({.method = "GET",
                .path = path,
                .operation = operation,
                .index_privilege = "monitor",
                .filters_indices = true,
                .query = with_index_options(std::move(query)),
                .summary = summary},
               [services, face](Call& call) { return face(call, services); });
  };
  for (const std::string head : {"", "/{index}"})
    add(head + "/_recovery", "indices.recovery",
        "Says how indices came to be in this process: made, read from the store, restored.",
        {{"active_only", "boolean", "Those under way: there are none."},
         {"detailed", "boolean", "No list of files is kept."}},
        recoveries);
  for (const std::string tail : {"", "/{index}"})
    add("/_cat/recovery" + tail, "cat.recovery", "The same as a table.",
        with_cat_options({{"active_only", "boolean", "Those under way: there are none."},
                          {"detailed", "boolean", "No list of files is kept."},
                          {"index", "list", "Indices, where the path names none."}}),
        cat_recovery);
}

}  // namespace cairn::api
