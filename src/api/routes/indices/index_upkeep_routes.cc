// SPDX-License-Identifier: Apache-2.0
// Refreshing, flushing and merging indices, and what they have: documents, bytes, segments.
#include <algorithm>
#include <set>

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/routes/indices/index_table.h"

namespace cairn::api {
namespace {

using index::Indices;

Result<Reply> refresh(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  for (const auto& index : found) CAIRN_CHECK(index->refresh(call.deadline()));
  return Reply::json(Json::object({{"_shards", shards_of(found.size())}}));
}

Result<Reply> flush(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  for (const auto& index : found) CAIRN_CHECK(index->flush(call.deadline()));
  return Reply::json(Json::object({{"_shards", shards_of(found.size())}}));
}

Result<Reply> clear_cache(Call& call, Indices& indices) {
  CAIRN_TRY(const bool fields, call.flag("fielddata", false));
  CAIRN_TRY(const bool answers, call.flag("request", false));
  // Named fields are those of a cache that is not there.
  const bool all = !fields && !answers && call.list("fields").empty();
  CAIRN_TRY(const bool filters, call.flag("query", all));
  CAIRN_TRY(const std::string names, plain_names(call.query("index").value_or(call.path("index"))));
  CAIRN_TRY(const auto found, indices_of(call, indices, names));
  if (call.query("index"))
    for (const auto& index : found)
      for (const std::string& name : index.names())
        CAIRN_CHECK(call.require_index("maintenance", name));
  if (filters)
    for (const auto& index : found) index->clear_filters();
  return Reply::json(Json::object({{"_shards", shards_of(found.size())}}));
}

/// Analyzers keep no words that change outside of the settings: there is nothing to read again.
Result<Reply> reload_analyzers(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  return Reply::json(
      Json::object({{"_shards", shards_of(found.size())}, {"reload_details", Json::array()}}));
}

/// Which figures a call asks for. Errors: illegal_argument_exception for what is no figure.
Result<std::vector<std::string>> wanted_figures(const Call& call) {
  // The others are those of the field's engine, of what is not measured here.
  static const std::set<std::string, std::less<>> known = {
      "_all",   "docs",    "store",   "segments",    "bulk",       "completion", "fielddata",
      "flush",  "get",     "indexing", "merge",      "query_cache", "recovery",  "refresh",
      "search", "suggest", "translog", "request_cache", "warmer",  "dense_vector",
      "sparse_vector", "shard_stats", "mappings"};
  std::vector<std::string> out;
  for (std::string& name : name_list(call.path("metric"))) {
    if (!known.contains(name))
      return illegal_argument("request [/_stats/" + call.path("metric") +
                              "] contains unrecognized metric: [" + name + "]");
    if (name == "_all") return std::vector<std::string>{};
    out.push_back(std::move(name));
  }
  return out;
}

/// `wanted`: names of figures; empty: all.
Json stats_of(const index::IndexStatistics& stats, const std::vector<std::string>& wanted) {
  const auto wants = [&](std::string_view name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  Json out = Json::object();
  if (wants("docs"))
    out.set("docs", Json::object({{"count", stats.documents}, {"deleted", stats.deleted}}));
  if (wants("store")) out.set("store", Json::object({{"size_in_bytes", stats.size_bytes}}));
  if (wants("segments"))
    out.set("segments", Json::object({{"count", static_cast<std::int64_t>(stats.segments)},
                                      {"memory_in_bytes", stats.memory_bytes}}));
  return out;
}

Result<Reply> stats(Call& call, Indices& indices) {
  const std::string level = call.query("level").value_or("indices");
  if (level != "cluster" && level != "indices")
    return illegal_argument("level parameter must be one of [cluster] or [indices] but was [" +
                            level + "]");
  CAIRN_TRY(const auto wanted, wanted_figures(call));
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  Json each = Json::object();
  index::IndexStatistics sum;
  for (const auto& index : found) {
    const auto own = index->statistics();
    sum.documents += own.documents;
    sum.deleted += own.deleted;
    sum.size_bytes += own.size_bytes;
    sum.memory_bytes += own.memory_bytes;
    sum.segments += own.segments;
    each.set(index->name(), Json::object({{"uuid", index->uuid()},
                                          {"health", "green"},
                                          {"status", "open"},
                                          {"primaries", stats_of(own, wanted)},
                                          {"total", stats_of(own, wanted)}}));
  }
  const Json all = Json::object({{"primaries", stats_of(sum, wanted)}, {"total", stats_of(sum, wanted)}});
  Json out = Json::object({{"_shards", shards_of(found.size())}, {"_all", all}});
  if (level == "indices") out.set("indices", std::move(each));
  return Reply::json(std::move(out));
}

/// The segments that searches read, of each index.
Result<Reply> segments(Call& call, Indices& indices) {
  CAIRN_TRY(const auto found, indices_of(call, indices, call.path("index")));
  Json all = Json::object();
  for (const auto& index : found) {
    Json::Object shown;
    std::int64_t committed = 0;
    for (const auto& segment : index->view()->segments()) {
      committed += segment.committed ? 1 : 0;
      shown.emplace_back(segment.name, Json::object({{"num_docs", segment.documents},
                                                     {"deleted_docs", segment.deleted},
                                                     {"size_in_bytes", segment.size_bytes},
                                                     {"memory_in_bytes", segment.memory_bytes},
                                                     {"committed", segment.committed},
                                                     {"search", true},
                                                     {"compound", true}}));
    }
    const auto count = static_cast<std::int64_t>(shown.size());
    Json shard = Json::object({{"routing", Json::object({{"state", "STARTED"}, {"primary", true}})},
                               {"num_committed_segments", committed},
                               {"num_search_segments", count},
                               {"segments", Json(std::move(shown))}});
    Json shards = Json::object({{"0", Json::array({std::move(shard)})}});
    all.set(index->name(), Json::object({{"shards", std::move(shards)}}));
  }
  return Reply::json(
      Json::object({{"_shards", shards_of(found.size())}, {"indices", std::move(all)}}));
}

}  // namespace

void add_index_upkeep(IndexTable& table) {
  for (const auto* method : {"POST", "GET"}) {
    table.add_both(method, "/_refresh", "indices.refresh", "maintenance",
                   "Makes everything written so far visible to searches.", {}, refresh, true);
    table.add_both(method, "/_flush", "indices.flush", "maintenance",
                   "Writes what is in the log to segments.",
                   {{"force", "boolean", "There is always something to be sure of."},
                    {"wait_if_ongoing", "boolean", "It always waits."}},
                   flush, true);
  }
  table.add_both("POST", "/_cache/clear", "indices.clear_cache", "maintenance",
                 "Forgets which documents filters select.",
                 {{"query", "boolean", "Those are meant; true where nothing is named."},
                  {"index", "list", "Indices, where the path names none."},
                  {"fielddata", "boolean", "There is no such cache."},
                  {"fields", "list", "Of that cache."},
                  {"request", "boolean", "There is no cache of answers."}},
                 clear_cache, true);
  for (const std::string metric : {"", "/{metric}"})
    table.add_both("GET", "/_stats" + metric, "indices.stats", "monitor",
                   "Counts documents and bytes.",
                   {{"level", "string", "cluster or indices; indices where absent."},
                    {"include_unloaded_segments", "boolean", "Every segment is counted."}},
                   stats);
  for (const auto* method : {"POST", "GET"}) {
    auto reload = IndexTable::row(method, "/{index}/_reload_search_analyzers",
                                  "indices.reload_search_analyzers", "manage",
                                  "Reads words of analyzers again that change: there are none.");
    reload.filters_indices = true;
    reload.query = with_index_options({{"resource", "string", "There is none."}});
    table.add(std::move(reload), reload_analyzers);
  }
  table.add_both("GET", "/_segments", "indices.segments", "monitor",
                 "Lists the segments that searches read.", {}, segments);
}

}  // namespace cairn::api
