// SPDX-License-Identifier: Apache-2.0
// Names to indices, refresh, and results of writes.
#include "api/index_names.h"

#include <algorithm>

#include "api/forms/error_json.h"
#include "index/names/dated_names.h"
#include "os/clock.h"

namespace cairn::api {

Result<std::string> plain_names(std::string_view expression) {
  return index::resolve_dated_names(expression, os::system_clock().unix_ms());
}

Result<IndexOptions> index_options(const Call& call) {
  IndexOptions out;
  CAIRN_TRY(out.ignore_unavailable, call.flag("ignore_unavailable", false));
  CAIRN_TRY(out.allow_no_indices, call.flag("allow_no_indices", true));
  out.expand_wildcards = call.list("expand_wildcards");
  return out;
}

Result<IndexList> indices_of(const Call& call, const index::Indices& indices,
                             std::string_view expression) {
  CAIRN_TRY(const IndexOptions given, index_options(call));
  return indices_of(call, indices, expression, given);
}

Result<index::ResolveOptions> resolve_options(const Call& call, const IndexOptions& given) {
  return resolve_options(read_rights(call), given);
}

ReadRights read_rights(const Call& call) {
  return {.admits = [&call](std::string_view name) { return call.admits(name); },
          .narrows = [&call](std::string_view name) {
            return call.caller().document_filter(name);
          }};
}

Result<index::ResolveOptions> resolve_options(ReadRights rights, const IndexOptions& given) {
  index::ResolveOptions options;
  options.ignore_unavailable = given.ignore_unavailable;
  options.allow_no_indices = given.allow_no_indices;
  for (const std::string& kind : given.expand_wildcards) {
    if (kind != "open" && kind != "closed" && kind != "hidden" && kind != "none" && kind != "all")
      return illegal_argument("No valid expand wildcard value [" + kind + "]");
    options.expand_hidden = options.expand_hidden || kind == "hidden" || kind == "all";
  }
  const auto says = [&](std::string_view kind) {
    const auto& kinds = given.expand_wildcards;
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  options.closed = given.closed;
  options.expand_closed = says("closed") || says("all");
  options.expand_open = given.expand_wildcards.empty() || says("open") || says("all") ||
                        (says("hidden") && !says("closed"));
  if (says("none")) options.expand_open = options.expand_closed = false;
  options.aliases = given.aliases;
  options.admits = std::move(rights.admits);
  options.narrows = std::move(rights.narrows);
  return options;
}

Result<index::ResolveOptions> resolve_options(const Call& call) {
  CAIRN_TRY(const IndexOptions given, index_options(call));
  return resolve_options(call, given);
}

Result<IndexList> indices_of(const Call& call, const index::Indices& indices,
                             std::string_view expression, const IndexOptions& given) {
  CAIRN_TRY(const auto options, resolve_options(call, given));
  return indices.resolve_names(expression, options);
}

Result<IndexList> described_indices_of(const Call& call, const index::Indices& indices,
                                       std::string_view expression) {
  CAIRN_TRY(IndexOptions given, index_options(call));
  given.closed = true;
  return indices_of(call, indices, expression, given);
}

Result<ReadPlace> read_place(const index::Indices& indices, std::string_view name,
                             std::string routing) {
  CAIRN_TRY(auto index, indices.find_one(name));
  const auto table = indices.aliases();
  const auto* members = table->find(name);
  if (members == nullptr) return ReadPlace{std::move(index), std::move(routing)};
  const std::string& own = members->begin()->second.properties->index_routing;
  if (!own.empty() && !routing.empty() && own != routing)
    return illegal_argument(
        "Alias [" + std::string(name) + "] has index routing associated with it [" + own +
        "], and was provided with routing value [" + routing + "], rejecting operation");
  return ReadPlace{std::move(index), own.empty() ? std::move(routing) : own};
}

std::vector<gate::Parameter> with_index_options(std::vector<gate::Parameter> more) {
  more.push_back({"ignore_unavailable", "boolean", "Leave out names that do not exist."});
  more.push_back({"allow_no_indices", "boolean", "A wildcard may match nothing."});
  more.push_back({"expand_wildcards", "list", "open, closed, hidden, none or all."});
  return more;
}

Json shards_of(std::size_t count) {
  const auto shards = static_cast<std::int64_t>(count);
  return Json::object({{"total", shards}, {"successful", shards}, {"failed", 0}});
}

Result<RefreshPolicy> refresh_policy(const Call& call) {
  const auto given = call.query("refresh");
  if (!given || *given == "false") return RefreshPolicy::none;
  if (given->empty() || *given == "true") return RefreshPolicy::now;
  if (*given == "wait_for") return RefreshPolicy::wait;
  return illegal_argument("Unknown value for refresh: [" + *given + "].");
}

Status apply_refresh(index::Index& index, RefreshPolicy policy, const os::Deadline& deadline) {
  if (policy == RefreshPolicy::now) return index.refresh(deadline);
  if (policy == RefreshPolicy::wait) return index.wait_for_refresh(deadline);
  return ok_status();
}

void write_result(JsonWriter& out, std::string_view index_name, const index::WriteResult& result,
                  bool forced_refresh) {
  out.key("_index").string(index_name).key("_id").string(result.id);
  out.key("_version").integer(result.version);
  out.key("result").string(index::name_of(result.outcome));
  if (forced_refresh) out.key("forced_refresh").boolean(true);
  // Nothing was sent to a shard where nothing was to do.
  const int shards = result.outcome == index::WriteResult::Outcome::noop ? 0 : 1;
  out.key("_shards").begin_object().key("total").integer(shards);
  out.key("successful").integer(shards).key("failed").integer(0).end_object();
  out.key("_seq_no").integer(result.seq_no).key("_primary_term").integer(result.primary_term);
}

int status_of(const index::WriteResult& result) {
  if (result.error) return status_of(*result.error);
  if (result.outcome == index::WriteResult::Outcome::created) return 201;
  return result.outcome == index::WriteResult::Outcome::not_found ? 404 : 200;
}

}  // namespace cairn::api
