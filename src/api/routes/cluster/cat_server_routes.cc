// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/cat_server_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/forms/cat_table.h"
#include "api/forms/error_json.h"
#include "api/routes/cluster/node_routes.h"
#include "base/strings.h"
#include "format/time.h"
#include "os/available_memory.h"
#include "os/cpu.h"
#include "os/machine.h"

namespace cairn::api {
namespace {

struct ServerTables {
  CatServices at;
  ServiceRef<snapshots::Service> snapshots;
  const os::Clock& clock;
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "" : std::to_string(part * 100 / whole);
}

std::string time_of_day(std::int64_t unix_ms) { return format_iso8601(unix_ms).substr(11, 8); }

// --- the node

Result<Reply> cat_health(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"epoch", "t", true, true},
                                          {"timestamp", "ts"},
                                          {"cluster", "cl"},
                                          {"status", "st"},
                                          {"node.total", "nt", true, true},
                                          {"node.data", "nd", true, true},
                                          {"shards", "sh", true, true},
                                          {"pri", "p", true, true},
                                          {"relo", "r", true, true},
                                          {"init", "i", true, true},
                                          {"unassign", "u", true, true},
                                          {"unassign.pri", "up", true, true},
                                          {"pending_tasks", "pt", true, true},
                                          {"max_task_wait_time", "mtwt"},
                                          {"active_shards_percent", "asp", true, true}};
  ServerSources::IndexCounts counts;
  if (tables.at.sources.indices) {
    CAIRN_TRY(counts, tables.at.sources.indices(""));
  }
  const double share = counts.total == 0 ? 100.0
                                         : 100.0 * static_cast<double>(counts.ready) /
                                               static_cast<double>(counts.total);
  const std::int64_t now = tables.clock.unix_ms();
  const std::string ready = std::to_string(counts.ready);
  const std::string nodes =
      std::to_string(listed_nodes(tables.at.facts, tables.at.sources).size());
  CAIRN_TRY(const bool times, call.flag("ts", true));
  std::vector<CatColumn> shown = columns;
  shown[0].shown = shown[1].shown = times;
  return cat_reply(call, shown,
                   {{std::to_string(now / 1000), time_of_day(now), tables.at.facts.cluster_name,
                     counts.ready == counts.total ? "green" : "red", nodes, nodes, ready, ready, "0",
                     std::to_string(counts.total - counts.ready), "0", "0", "0", "-",
                     fmt::format("{:.1f}%", share)}});
}

Result<CatRow> cat_node(const Call& call, const ListedNode& node, bool whole_id,
                        std::int64_t now_ms) {
  const nodes::NodeRecord& record = node.record;
  const nodes::NodeFigures& figures = record.figures;
  const std::uint64_t disk_used = figures.disk_total_bytes - figures.disk_free_bytes;
  const std::string& address = record.api_address;
  CAIRN_TRY(const std::string total, cat_size(call, figures.disk_total_bytes));
  CAIRN_TRY(const std::string used, cat_size(call, disk_used));
  CAIRN_TRY(const std::string available, cat_size(call, figures.disk_available_bytes));
  CAIRN_TRY(const std::string ram, cat_size(call, figures.memory_used_bytes));
  CAIRN_TRY(const std::string ram_max, cat_size(call, figures.memory_total_bytes));
  // Another machine's wall clock may be another; what a node said itself is a renewal old.
  const std::int64_t running_ms =
      figures.running_ms > 0 ? figures.running_ms : now_ms - record.started_ms;
  CAIRN_TRY(const std::string uptime, cat_time(call, std::max<std::int64_t>(running_ms, 0)));
  return CatRow{whole_id ? node.id : node.id.substr(0, 4),
                std::to_string(figures.pid),
                host_part(address),
                address.substr(address.rfind(':') + 1),
                address,
                std::string(platform_version),
                total,
                used,
                available,
                percent(disk_used, figures.disk_total_bytes),
                ram,
                percent(figures.memory_used_bytes, figures.memory_total_bytes),
                ram_max,
                fmt::format("{:.2f}", figures.load[0]),
                fmt::format("{:.2f}", figures.load[1]),
                fmt::format("{:.2f}", figures.load[2]),
                uptime,
                "dilm",
                node.is_master ? "*" : "-",
                record.name};
}

Result<Reply> cat_nodes(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"id", "nodeId", false},
                                          {"pid", "p", false, true},
                                          {"ip", "i"},
                                          {"port", "po", false, true},
                                          {"http_address", "http", false},
                                          {"version", "v", false},
                                          {"disk.total", "dt", false, true},
                                          {"disk.used", "du", false, true},
                                          {"disk.avail", "d", false, true},
                                          {"disk.used_percent", "dup", false, true},
                                          {"ram.current", "rc", false, true},
                                          {"ram.percent", "rp", true, true},
                                          {"ram.max", "rm", false, true},
                                          {"load_1m", "l", true, true},
                                          {"load_5m", "", true, true},
                                          {"load_15m", "", true, true},
                                          {"uptime", "u", false, true},
                                          {"node.role", "r"},
                                          {"master", "m"},
                                          {"name", "n"}};
  CAIRN_TRY(const bool whole_id, call.flag("full_id", false));
  std::vector<CatRow> rows;
  for (const ListedNode& node : listed_nodes(tables.at.facts, tables.at.sources)) {
    CAIRN_TRY(CatRow row, cat_node(call, node, whole_id, tables.clock.unix_ms()));
    rows.push_back(std::move(row));
  }
  return cat_reply(call, columns, std::move(rows));
}

Result<Reply> cat_master(Call& call, const ServerTables& tables) {
  const auto& facts = tables.at.facts;
  return cat_reply(call, {{"id"}, {"host", "h"}, {"ip"}, {"node", "n"}},
                   {{facts.node_id, host_of(tables.at.facts, tables.at.sources),
                     host_of(tables.at.facts, tables.at.sources), facts.node_name}});
}

Result<Reply> cat_allocation(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"shards", "s", true, true},
                                          {"disk.indices", "di", true, true},
                                          {"disk.used", "du", true, true},
                                          {"disk.avail", "da", true, true},
                                          {"disk.total", "dt", true, true},
                                          {"disk.percent", "dp", true, true},
                                          {"host", "h"},
                                          {"ip"},
                                          {"node", "n"},
                                          {"node.role", "r"}};
  std::uint64_t bytes = 0;
  const auto all = tables.at.indices->all();
  for (const auto& index : all) bytes += index->statistics().size_bytes;
  const auto disk = tables.at.sources.disk ? tables.at.sources.disk() : os::DiskSpace{};
  const std::uint64_t used = disk.total_bytes - disk.free_bytes;
  CAIRN_TRY(const std::string of_indices, cat_size(call, bytes));
  CAIRN_TRY(const std::string of_disk, cat_size(call, used));
  CAIRN_TRY(const std::string available, cat_size(call, disk.available_bytes));
  CAIRN_TRY(const std::string total, cat_size(call, disk.total_bytes));
  return cat_reply(
      call, columns,
      {{std::to_string(all.size()), of_indices, of_disk, available, total,
        percent(used, disk.total_bytes), host_of(tables.at.facts, tables.at.sources),
        host_of(tables.at.facts, tables.at.sources), tables.at.facts.node_name, "dilm"}});
}

// --- repositories and snapshots

Result<Reply> cat_repositories(Call& call, const ServerTables& tables) {
  CAIRN_TRY(const auto names, tables.snapshots->repositories().resolve("_all"));
  std::vector<CatRow> rows;
  for (const auto& name : names) {
    CAIRN_TRY(const Json repository, tables.snapshots->repositories().describe(name));
    rows.push_back({name, repository.string_or("type")});
  }
  return cat_reply(call, {{"id", "idRepoName"}, {"type", "t"}}, std::move(rows));
}

Result<Reply> cat_snapshots(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"id", "snapshot"},
                                          {"repository", "re"},
                                          {"status", "s"},
                                          {"start_epoch", "ste", true, true},
                                          {"start_time", "sti"},
                                          {"end_epoch", "ete", true, true},
                                          {"end_time", "eti"},
                                          {"duration", "dur", true, true},
                                          {"indices", "i", true, true},
                                          {"successful_shards", "ss", true, true},
                                          {"failed_shards", "fs", true, true},
                                          {"total_shards", "ts", true, true},
                                          {"reason", "r", false}};
  const std::string repository = call.path("repository");
  CAIRN_TRY(const bool ignores, call.flag("ignore_unavailable", false));
  CAIRN_TRY(const auto found, tables.snapshots->list(repository.empty() ? "_all" : repository,
                                                     "_all", ignores, call.deadline()));
  std::vector<CatRow> rows;
  for (const auto& [name, record] : found) {
    const bool ended = record.state != "IN_PROGRESS";
    const std::int64_t end_ms = ended ? record.end_ms : tables.clock.unix_ms();
    CAIRN_TRY(const std::string took,
              cat_time(call, std::max<std::int64_t>(0, end_ms - record.start_ms)));
    const std::size_t failed = record.failures.as_array().size();
    const std::size_t whole = ended ? record.indices.size() : 0;
    rows.push_back({record.name, name, record.state, std::to_string(record.start_ms / 1000),
                    time_of_day(record.start_ms), ended ? std::to_string(end_ms / 1000) : "",
                    ended ? time_of_day(end_ms) : "", took, std::to_string(record.indices.size()),
                    std::to_string(whole), std::to_string(failed), std::to_string(whole + failed),
                    ""});
  }
  return cat_reply(call, columns, std::move(rows));
}

/// The pool in which requests compute.
Result<Reply> cat_thread_pool(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"node_name", "nn"},
                                          {"name", "n"},
                                          {"active", "a", true, true},
                                          {"queue", "q", true, true},
                                          {"rejected", "r", true, true},
                                          {"node_id", "id", false},
                                          {"type", "t", false},
                                          {"pool_size", "psz", false, true},
                                          {"size", "sz", false, true},
                                          {"queue_size", "qs", false, true},
                                          {"completed", "c", false, true}};
  const auto& source = tables.at.sources.compute;
  const os::ComputePool* pool = source ? source() : nullptr;
  const std::string& wanted = call.path("thread_pool_patterns");
  std::vector<CatRow> rows;
  bool named = wanted.empty();
  for (const auto pattern : split(wanted, ','))
    named = named || wildcard_match(trim(pattern), "compute");
  if (pool != nullptr && named) {
    const auto now = pool->figures();
    rows.push_back({tables.at.facts.node_name, "compute", std::to_string(now.computing),
                    std::to_string(now.waiting), std::to_string(now.refused),
                    tables.at.facts.node_id, "fixed", std::to_string(now.threads),
                    std::to_string(now.slots), std::to_string(now.queue),
                    std::to_string(now.completed)});
  }
  return cat_reply(call, columns, std::move(rows));
}

/// The one limit of memory: of all that the process holds.
Result<Reply> cat_circuit_breaker(Call& call, const ServerTables& tables) {
  const std::vector<CatColumn> columns = {{"node_id", "id"},
                                          {"node_name", "nn", false},
                                          {"breaker", "br"},
                                          {"limit", "l", true, true},
                                          {"limit_bytes", "lb", false, true},
                                          {"estimated", "e", true, true},
                                          {"estimated_bytes", "eb", false, true},
                                          {"tripped", "t", true, true},
                                          {"overhead", "o", false, true}};
  const std::string& wanted = call.path("circuit_breaker_patterns");
  bool named = wanted.empty();
  for (const auto pattern : split(wanted, ','))
    named = named || wildcard_match(trim(pattern), "parent");
  std::vector<CatRow> rows;
  if (os::MemoryBreaker* memory = tables.at.sources.memory; memory != nullptr && named) {
    const std::uint64_t limit = memory->limit_bytes(), used = memory->used_bytes();
    CAIRN_TRY(const std::string shown_limit, cat_size(call, limit));
    CAIRN_TRY(const std::string shown_used, cat_size(call, used));
    rows.push_back({tables.at.facts.node_id.substr(0, 4), tables.at.facts.node_name, "parent",
                    shown_limit, std::to_string(limit), shown_used, std::to_string(used),
                    std::to_string(memory->tripped()), "1.0"});
  }
  return cat_reply(call, columns, std::move(rows));
}

// --- rows

gate::Route server_row(std::string path, std::string operation, std::string privilege,
                       std::string summary, std::vector<gate::Parameter> more = {}) {
  return {.method = "GET",
          .path = std::move(path),
          .operation = std::move(operation),
          .cluster = {std::move(privilege)},
          .query = with_cat_options(std::move(more)),
          .summary = std::move(summary)};
}

/// What there is none of here: tools that ask see an empty table.
void add_empty_tables(Router& router) {
  struct EmptyTable {
    std::string path;
    std::string operation;
    std::string summary;
    std::vector<CatColumn> columns;
    std::vector<gate::Parameter> more = {};
  };
  const std::vector<EmptyTable> tables = {
      {"/_cat/nodeattrs",
       "cat.nodeattrs",
       "Lists attributes of nodes: there are none.",
       {{"node"}, {"host"}, {"ip"}, {"attr"}, {"value"}}},
      {"/_cat/pending_tasks",
       "cat.pending_tasks",
       "Lists changes that wait for a node to decide: they never do.",
       {{"insertOrder", "o"}, {"timeInQueue", "t"}, {"priority", "p"}, {"source", "s"}}},
      {"/_cat/plugins",
       "cat.plugins",
       "Lists plugins: there are none.",
       {{"name", "n"}, {"component", "c"}, {"version", "v"}},
       {{"include_bootstrap", "boolean", "There is no such one either."}}},
      {"/_cat/fielddata",
       "cat.fielddata",
       "Lists fields that take memory to be sorted by: none, columns are on disk.",
       {{"id"}, {"host", "h"}, {"ip"}, {"node", "n"}, {"field", "f"}, {"size"}},
       {{"fields", "list", "There are none of any."}}},
      {"/_cat/fielddata/{fields}",
       "cat.fielddata",
       "The same of some fields.",
       {{"id"}, {"host", "h"}, {"ip"}, {"node", "n"}, {"field", "f"}, {"size"}},
       {{"fields", "list", "There are none of any."}}}};
  for (const EmptyTable& table : tables)
    router.add(server_row(table.path, table.operation, "monitor", table.summary, table.more),
               [columns = table.columns](Call& call) { return cat_reply(call, columns, {}); });
}

/// The tables that were added before it.
void add_list_of_tables(Router& router) {
  std::string text = "=^.^=\n";
  for (const gate::Route& route : router.routes())
    if (route.path.starts_with("/_cat/")) text += route.path + "\n";
  router.add({.method = "GET",
              .path = "/_cat",
              .operation = "cat.help",
              .cluster = {"monitor"},
              .query = with_cat_options(),
              .summary = "Lists the tables that there are."},
             [text](Call&) -> Result<Reply> { return Reply::plain(text); });
}

}  // namespace

void add_cat_server_routes(Router& router, const CatServices& services,
                           ServiceRef<snapshots::Service> snapshots, const os::Clock& clock) {
  const ServerTables tables{services, snapshots, clock};
  using Face = Result<Reply> (*)(Call&, const ServerTables&);
  const auto add = [&](gate::Route route, Face face) {
    router.add(std::move(route), [tables, face](Call& call) { return face(call, tables); });
  };
  add(server_row("/_cat/health", "cat.health", "monitor",
                 "Says in a line whether all indices are ready.",
                 {{"ts", "boolean", "The time, too."}}),
      cat_health);
  add(server_row("/_cat/nodes", "cat.nodes", "monitor", "The node's memory, load and disk.",
                 {{"full_id", "boolean", "The whole id."},
                  {"include_unloaded_segments", "boolean", "Every segment is counted."}}),
      cat_nodes);
  add(server_row("/_cat/master", "cat.master", "monitor", "The node that decides."), cat_master);
  for (const std::string tail : {"", "/{node_id}"})
    add(server_row("/_cat/allocation" + tail, "cat.allocation", "monitor",
                   "How much of the disk indices take."),
        cat_allocation);
  add(server_row("/_cat/repositories", "cat.repositories", "monitor_snapshot",
                 "Lists repositories of snapshots."),
      cat_repositories);
  for (const std::string tail : {"", "/{repository}"})
    add(server_row("/_cat/snapshots" + tail, "cat.snapshots", "monitor_snapshot",
                   "Lists snapshots.",
                   {{"ignore_unavailable", "boolean", "Leave out what cannot be read."}}),
        cat_snapshots);
  for (const std::string tail : {"", "/{thread_pool_patterns}"})
    add(server_row("/_cat/thread_pool" + tail, "cat.thread_pool", "monitor",
                   "The pool in which requests compute.",
                   {{"local", "boolean", "Accepted; one node knows all."},
                    {"master_timeout", "time", "The longest wait for the node that serves."}}),
        cat_thread_pool);
  for (const std::string tail : {"", "/{circuit_breaker_patterns}"})
    add(server_row("/_cat/circuit_breaker" + tail, "cat.circuit_breaker", "monitor",
                   "The limit of memory, what is taken, and how often work was refused.",
                   {{"local", "boolean", "Accepted; one node knows all."},
                    {"master_timeout", "time", "The longest wait for the node that serves."}}),
        cat_circuit_breaker);
  add_empty_tables(router);
  add_list_of_tables(router);
}

}  // namespace cairn::api
