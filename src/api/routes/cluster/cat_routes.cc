// SPDX-License-Identifier: Apache-2.0
#include "api/routes/cluster/cat_routes.h"

#include <algorithm>

#include "api/forms/cat_table.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "base/strings.h"
#include "format/time.h"

namespace cairn::api {
namespace {

Result<Reply> cat_indices(Call& call, const index::Indices& indices) {
  const std::vector<CatColumn> columns = {{"health", "h"},
                                          {"status", "s"},
                                          {"index", "i"},
                                          {"uuid", "id"},
                                          {"pri", "p", true, true},
                                          {"rep", "r", true, true},
                                          {"docs.count", "dc", true, true},
                                          {"docs.deleted", "dd", true, true},
                                          {"store.size", "ss", true, true},
                                          {"pri.store.size", "pss", true, true},
                                          {"dataset.size", "ds", true, true},
                                          {"creation.date", "cd", false, true},
                                          {"creation.date.string", "cds", false},
                                          {"segments.count", "sc", false, true}};
  const std::string health = lower_ascii(call.query("health").value_or("green"));
  if (health != "green" && health != "yellow" && health != "red")
    return illegal_argument("unknown [health] [" + health + "]; one of green, yellow, red");
  CAIRN_TRY(IndexOptions options, index_options(call));
  if (options.expand_wildcards.empty()) options.expand_wildcards = {"open", "closed"};
  options.closed = true;
  CAIRN_TRY(auto found, indices_of(call, indices, call.path("index"), options));
  if (health != "green") found.clear();  // every index that is there is whole
  std::vector<CatRow> rows;
  for (const auto& index : found) {
    if (index->closed()) {
      rows.push_back({"green", "close", index->name(), index->uuid(), "1", "0", "", "", "", "", "",
                      std::to_string(index->created_ms()), format_iso8601(index->created_ms()), ""});
      continue;
    }
    const auto stats = index->statistics();
    CAIRN_TRY(const std::string size, cat_size(call, stats.size_bytes));
    rows.push_back({"green", "open", index->name(), index->uuid(), "1", "0",
                    std::to_string(stats.documents), std::to_string(stats.deleted), size, size,
                    size, std::to_string(index->created_ms()), format_iso8601(index->created_ms()),
                    std::to_string(stats.segments)});
  }
  return cat_reply(call, columns, std::move(rows));
}

Result<Reply> cat_count(Call& call, const index::Indices& indices, search::Service& search,
                        const os::Clock& clock) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  CAIRN_TRY(const auto counted, search.count(found, "", {}, call.deadline()));
  const std::int64_t now = clock.unix_ms();
  const std::string time = format_iso8601(now).substr(11, 8);
  return cat_reply(call, {{"epoch", "t"}, {"timestamp", "ts"}, {"count", "dc"}},
                   {{std::to_string(now / 1000), time, std::to_string(counted.total)}});
}

/// Where a search of this node finds the only copy of an index.
Result<Reply> cat_shards(Call& call, const CatServices& services) {
  const std::vector<CatColumn> columns = {{"index", "i"},
                                          {"shard", "s", true, true},
                                          {"prirep", "p"},
                                          {"state", "st"},
                                          {"docs", "d", true, true},
                                          {"store", "sto", true, true},
                                          {"dataset", "ds", true, true},
                                          {"ip", ""},
                                          {"id", "", false},
                                          {"node", "n"},
                                          {"segments.count", "sc", false, true},
                                          {"segments.memory", "sm", false, true}};
  CAIRN_TRY(const auto found, indices_of(call, *services.indices, call.path("index")));
  std::vector<CatRow> rows;
  for (const auto& index : found) {
    const auto stats = index->statistics();
    CAIRN_TRY(const std::string size, cat_size(call, stats.size_bytes));
    CAIRN_TRY(const std::string memory, cat_size(call, stats.memory_bytes));
    rows.push_back({index->name(), "0", "p", "STARTED", std::to_string(stats.documents), size, size,
                    host_of(services.facts, services.sources), services.facts.node_id,
                    services.facts.node_name, std::to_string(stats.segments), memory});
  }
  return cat_reply(call, columns, std::move(rows));
}

Result<Reply> cat_segments(Call& call, const CatServices& services) {
  const std::vector<CatColumn> columns = {{"index", "i"},
                                          {"shard", "s", true, true},
                                          {"prirep", "p"},
                                          {"ip", ""},
                                          {"id", "", false},
                                          {"segment", "seg"},
                                          {"docs.count", "dc", true, true},
                                          {"docs.deleted", "dd", true, true},
                                          {"size", "si", true, true},
                                          {"size.memory", "sm", true, true},
                                          {"committed", "ic"},
                                          {"searchable", "is"}};
  CAIRN_TRY(IndexOptions options, index_options(call));
  CAIRN_TRY(options.closed, call.flag("allow_closed", false));
  CAIRN_TRY(const auto found, indices_of(call, *services.indices, call.path("index"), options));
  std::vector<CatRow> rows;
  for (const auto& index : found) {
    if (index->closed()) continue;  // none of its segments is open
    for (const auto& segment : index->view()->segments()) {
      CAIRN_TRY(const std::string size, cat_size(call, segment.size_bytes));
      CAIRN_TRY(const std::string memory, cat_size(call, segment.memory_bytes));
      rows.push_back({index->name(), "0", "p", host_of(services.facts, services.sources),
                      services.facts.node_id, segment.name, std::to_string(segment.documents),
                      std::to_string(segment.deleted), size, memory,
                      segment.committed ? "true" : "false", "true"});
    }
  }
  return cat_reply(call, columns, std::move(rows));
}

std::string shown_text(const std::string& text) { return text.empty() ? "-" : text; }

std::string shown_flag(const std::optional<bool>& flag) {
  return !flag ? "-" : *flag ? "true" : "false";
}

/// One row for each index of an alias.
Result<Reply> cat_aliases(Call& call, const index::Indices& indices) {
  CAIRN_TRY(auto options, resolve_options(call));
  if (call.list("expand_wildcards").empty()) options.expand_hidden = true;
  const auto table = indices.aliases();
  std::vector<CatRow> rows;
  for (const std::string& alias : indices.resolve_aliases(call.path("name"), options)) {
    const auto* members = table->find(alias);
    if (members == nullptr || !call.admits(alias)) continue;
    for (const auto& [index, member] : *members) {
      const index::AliasProperties& own = *member.properties;
      rows.push_back({alias, index, own.filter.is_null() ? "-" : "*", shown_text(own.index_routing),
                      shown_text(own.search_routing), shown_flag(own.is_write_index)});
    }
  }
  return cat_reply(call,
                   {{"alias", "a"},
                    {"index", "i"},
                    {"filter", "f"},
                    {"routing.index", "ri"},
                    {"routing.search", "rs"},
                    {"is_write_index", "w"}},
                   std::move(rows));
}

gate::Route cat_row(std::string path, std::string operation, std::string privilege,
                    std::string summary, std::vector<gate::Parameter> more = {}) {
  return {.method = "GET",
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = std::move(privilege),
          .filters_indices = true,
          .query = with_index_options(with_cat_options(std::move(more))),
          .summary = std::move(summary)};
}

}  // namespace

void add_cat_routes(Router& router, const CatServices& services,
                    ServiceRef<search::Service> search, const os::Clock& clock) {
  for (const std::string tail : {"", "/{index}"}) {
    router.add(
        cat_row("/_cat/indices" + tail, "cat.indices", "monitor", "Lists indices as a table.",
                {{"health", "string", "green, yellow or red: only those."},
                 {"include_unloaded_segments", "boolean", "Every segment is counted."},
                 {"pri", "boolean", "There is one shard."}}),
        [services](Call& call) { return cat_indices(call, *services.indices); });
    auto count = cat_row("/_cat/count" + tail, "cat.count", "read", "Counts documents as a table.");
    count.filters_documents = true;
    count.computes = true;
    router.add(std::move(count), [services, search, &clock](Call& call) {
      return cat_count(call, *services.indices, *search, clock);
    });
    router.add(cat_row("/_cat/shards" + tail, "cat.shards", "monitor",
                       "Lists where indices lie, as a table: one shard each, on this node."),
               [services](Call& call) { return cat_shards(call, services); });
    router.add(cat_row("/_cat/segments" + tail, "cat.segments", "monitor",
                       "Lists the segments that searches read, as a table.",
                       {{"ignore_throttled", "boolean", "No index is throttled."},
                        {"allow_closed", "boolean", "Take names of closed indices, without rows."}}),
               [services](Call& call) { return cat_segments(call, services); });
  }
  for (const std::string tail : {"", "/{name}"})
    router.add(cat_row("/_cat/aliases" + tail, "cat.aliases", "view_index_metadata",
                       "Lists aliases as a table."),
               [services](Call& call) { return cat_aliases(call, *services.indices); });
}

}  // namespace cairn::api
