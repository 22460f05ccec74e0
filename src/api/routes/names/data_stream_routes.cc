// SPDX-License-Identifier: Apache-2.0
#include "api/routes/names/data_stream_routes.h"

#include <algorithm>

#include "api/change_params.h"
#include "api/dry_run.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/routes/indices/index_dry_runs.h"
#include "base/strings.h"
#include "index/errors.h"

namespace cairn::api {
namespace {

using index::DataStream;
using index::Indices;

constexpr std::size_t actions_max = 1'000;

Result<Reply> create_stream(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_CHECK(indices.create_data_stream(call.path("index"), deadline));
  return acknowledged();
}

/// The streams that the path names. Errors: index_not_found_exception.
Result<std::vector<std::string>> streams_of(const Call& call, const Indices& indices) {
  CAIRN_TRY(const auto options, resolve_options(call));
  const auto table = indices.data_streams();
  bool patterns = false;
  for (const std::string& name : name_list(call.path("index"))) {
    const bool is_pattern = name == "_all" || name.find('*') != std::string::npos;
    const bool takes_away = patterns && name.front() == '-';
    if (!is_pattern && !takes_away && table->find(name) == nullptr)
      return index::no_such_index(name);
    patterns = patterns || is_pattern;
  }
  return indices.resolve_data_streams(call.path("index"), options);
}

/// Json of one stream. It is managed by nobody: there are no lifecycle policies.
Json shown_stream(const Indices& indices, const std::string& name, const DataStream& stream) {
  Json backing = Json::array();
  for (const index::BackingIndex& one : stream.indices)
    backing.push(Json::object({{"index_name", one.name},
                               {"index_uuid", one.uuid},
                               {"prefer_ilm", false},
                               {"managed_by", "Unmanaged"}}));
  Json out = Json::object(
      {{"name", name},
       {"timestamp_field", Json::object({{"name", index::timestamp_field_name}})},
       {"indices", std::move(backing)},
       {"generation", stream.generation},
       {"status", "GREEN"}});
  const auto templates = indices.templates();
  if (const auto* match = templates->match(name)) {
    if (const Json* meta = match->second.shown.find("_meta")) out.set("_meta", *meta);
    out.set("template", match->first);
  }
  out.set("next_generation_managed_by", "Unmanaged");
  out.set("prefer_ilm", false);
  out.set("hidden", stream.hidden);
  out.set("system", false);
  out.set("allow_custom_routing", stream.allow_custom_routing);
  out.set("replicated", false);
  out.set("rollover_on_write", stream.rollover_on_write);
  return out;
}

/// The greatest time in an index; 0 where it has no document.
Result<std::int64_t> latest_time(index::Index& index, const os::Deadline& deadline) {
  const auto view = index.view();
  index::SearchParams params;
  params.size = 1;
  params.sort = {{.by = index::SortKey::By::field,
                  .field = std::string(index::timestamp_field_name),
                  .descending = true,
                  .missing = std::int64_t{0}}};
  CAIRN_TRY(const auto found, view->search({.node = index::MatchAllQuery{}}, params, deadline));
  if (found.hits.empty() || found.hits.front().sort.empty()) return std::int64_t{0};
  const auto* time = std::get_if<std::int64_t>(&found.hits.front().sort.front());
  return time == nullptr ? std::int64_t{0} : *time;
}

/// The greatest time in all indices of a stream; 0 where it has no document.
Result<std::int64_t> latest_time(const Indices& indices, const DataStream& stream,
                                 const os::Deadline& deadline) {
  std::int64_t out = 0;
  for (const index::BackingIndex& one : stream.indices) {
    const auto index = indices.find(one.name);
    if (!index.ok()) continue;  // removed meanwhile
    CAIRN_TRY(const std::int64_t time, latest_time(**index, deadline));
    out = std::max(out, time);
  }
  return out;
}

Result<Reply> get_streams(Call& call, Indices& indices) {
  CAIRN_TRY(const bool verbose, call.flag("verbose", false));
  CAIRN_TRY(const auto names, streams_of(call, indices));
  if (verbose)
    for (const std::string& name : names) CAIRN_CHECK(call.require_index("monitor", name));
  const auto table = indices.data_streams();
  Json list = Json::array();
  for (const std::string& name : names) {
    CAIRN_CHECK(call.deadline().check("showing data streams"));
    const DataStream* stream = table->find(name);
    if (stream == nullptr) continue;
    Json shown = shown_stream(indices, name, *stream);
    if (verbose) {
      CAIRN_TRY(const std::int64_t latest, latest_time(indices, *stream, call.deadline()));
      shown.set("maximum_timestamp", latest);
    }
    list.push(std::move(shown));
  }
  return Reply::json(Json::object({{"data_streams", std::move(list)}}));
}

/// The streams and their indices, counted. Errors: those of the deletion.
Result<Json> removal_of_streams(const Indices& indices, const std::vector<std::string>& names) {
  const auto table = indices.data_streams();
  IndexList gone;
  Json streams = Json::array();
  for (const std::string& name : names) {
    const DataStream* stream = table->find(name);
    if (stream == nullptr) continue;  // removed meanwhile
    streams.push(name);
    for (const index::BackingIndex& one : stream->indices)
      if (auto index = indices.find(one.name); index.ok()) {
        CAIRN_CHECK((*index)->check_open_to(index::Change::removal));
        gone.emplace_back(*std::move(index));
      }
  }
  Json out = counted_indices(gone);
  out.set("data_streams", std::move(streams));
  return out;
}

Result<Reply> delete_streams(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const auto names, streams_of(call, indices));
  CAIRN_TRY(const bool dry, is_dry_run(call));
  if (dry) {
    CAIRN_TRY(Json gone, removal_of_streams(indices, names));
    return would(std::move(gone));
  }
  CAIRN_CHECK(indices.remove_data_streams(names, deadline));
  return acknowledged();
}

Result<Reply> stream_stats(Call& call, Indices& indices) {
  CAIRN_TRY(const auto names, streams_of(call, indices));
  const auto table = indices.data_streams();
  Json list = Json::array();
  std::int64_t all_indices = 0;
  std::uint64_t all_bytes = 0;
  for (const std::string& name : names) {
    const DataStream* stream = table->find(name);
    if (stream == nullptr) continue;
    std::uint64_t bytes = 0;
    std::int64_t latest = 0;
    for (const index::BackingIndex& one : stream->indices) {
      const auto index = indices.find(one.name);
      if (!index.ok()) continue;  // removed meanwhile
      bytes += (*index)->statistics().size_bytes;
      CAIRN_TRY(const std::int64_t time, latest_time(**index, call.deadline()));
      latest = std::max(latest, time);
    }
    const auto count = static_cast<std::int64_t>(stream->indices.size());
    list.push(Json::object({{"data_stream", name},
                            {"backing_indices", count},
                            {"store_size_bytes", bytes},
                            {"maximum_timestamp", latest}}));
    all_indices += count;
    all_bytes += bytes;
  }
  const auto streams = static_cast<std::int64_t>(list.as_array().size());
  return Reply::json(Json::object({{"_shards", shards_of(static_cast<std::size_t>(all_indices))},
                                   {"data_stream_count", streams},
                                   {"backing_indices", all_indices},
                                   {"total_store_size_bytes", all_bytes},
                                   {"data_streams", std::move(list)}}));
}

Result<index::StreamChange> read_action(const Json& action) {
  if (!action.is_object() || action.as_object().size() != 1)
    return illegal_argument("each of [actions] must be an object of one action");
  const auto& [name, inner] = action.as_object().front();
  if (name != "add_backing_index" && name != "remove_backing_index")
    return illegal_argument("[" + name +
                            "] is no action; there are add_backing_index and remove_backing_index");
  if (!inner.is_object()) return illegal_argument("[" + name + "] must be an object");
  Fields fields(inner, name);
  index::StreamChange out{.adds = name == "add_backing_index", .data_stream = {}, .index = {}};
  CAIRN_TRY(out.data_stream, fields.required_string("data_stream"));
  CAIRN_TRY(out.index, fields.required_string("index"));
  CAIRN_CHECK(fields.finish());
  return out;
}

Result<Reply> modify_streams(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "data_stream_actions");
  CAIRN_TRY(const Json* actions, fields.array("actions"));
  CAIRN_CHECK(fields.finish());
  if (actions == nullptr || actions->as_array().empty())
    return validation_fault({"must specify at least one data stream modification action"});
  if (actions->as_array().size() > actions_max)
    return illegal_argument("[actions] takes [" + std::to_string(actions_max) +
                            "] actions at most");
  std::vector<index::StreamChange> changes;
  for (const Json& action : actions->as_array()) {
    CAIRN_TRY(auto change, read_action(action));
    CAIRN_CHECK(call.require_index("manage", change.data_stream));
    CAIRN_CHECK(call.require_index("manage", change.index));
    CAIRN_CHECK(call.require_whole(change.index));  // another name would show all of it
    changes.push_back(std::move(change));
  }
  CAIRN_CHECK(indices.change_data_streams(changes, deadline));
  return acknowledged();
}

Result<Reply> migrate_alias(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  // Rights on a stream are rights on its indices, and on an alias they are not.
  const auto table = indices.aliases();
  if (const auto* members = table->find(call.path("index")))
    for (const auto& [index, member] : *members) {
      CAIRN_CHECK(call.require_index("manage", index));
      CAIRN_CHECK(call.require_whole(index));
    }
  CAIRN_CHECK(indices.migrate_to_data_stream(call.path("index"), deadline));
  return acknowledged();
}

// --- rows

using StreamFace = Result<Reply> (*)(Call&, Indices&);

class StreamRows {
 public:
  StreamRows(Router& router, ServiceRef<Indices> indices) : router_(router), indices_(indices) {}

  void add(const std::string& method, const std::string& path, const std::string& operation,
           const std::string& privilege, const std::string& summary,
           std::vector<gate::Parameter> query, StreamFace face) {
    const bool looks = method == "GET";
    router_.add({.method = method,
                 .path = path,
                 .operation = operation,
                 .index_privilege = privilege,
                 .filters_indices = looks || method == "DELETE",
                 .computes = true,
                 .query = looks ? std::move(query) : with_timeouts(std::move(query)),
                 .summary = summary,
                 .body_required = path.ends_with("_modify")},
                [face, indices = indices_](Call& call) { return face(call, *indices); });
  }

 private:
  Router& router_;
  ServiceRef<Indices> indices_;
};

}  // namespace

void add_data_stream_routes(Router& router, ServiceRef<Indices> indices) {
  StreamRows rows(router, indices);
  const std::vector<gate::Parameter> expands = {
      {"expand_wildcards", "list", "open, closed, hidden, none or all."}};
  rows.add("PUT", "/_data_stream/{index}", "indices.create_data_stream", "create_index",
           "Makes a data stream, as its template says.", {}, create_stream);
  auto deleting = expands;
  deleting.push_back(dry_run_parameter);
  rows.add("DELETE", "/_data_stream/{index}", "indices.delete_data_stream", "delete_index",
           "Deletes data streams with their indices.", std::move(deleting), delete_streams);
  for (const std::string& tail : {std::string(), std::string("/{index}")}) {
    auto looking = expands;
    looking.push_back({"master_timeout", "time", "The longest wait for the node that serves."});
    looking.push_back({"include_defaults", "boolean", "Of lifecycles: there are none."});
    looking.push_back({"verbose", "boolean", "With the greatest time of each."});
    rows.add("GET", "/_data_stream" + tail, "indices.get_data_stream", "view_index_metadata",
             "Shows data streams.", std::move(looking), get_streams);
    rows.add("GET", "/_data_stream" + tail + "/_stats", "indices.data_streams_stats", "monitor",
             "Counts the indices and bytes of data streams.", expands, stream_stats);
  }
  rows.add("POST", "/_data_stream/_modify", "indices.modify_data_stream", "",
           "Adds indices to data streams and takes some out: all, or none.", {}, modify_streams);
  rows.add("POST", "/_data_stream/_migrate/{index}", "indices.migrate_to_data_stream", "manage",
           "Makes a data stream of an alias and its indices.", {}, migrate_alias);
}

}  // namespace cairn::api
