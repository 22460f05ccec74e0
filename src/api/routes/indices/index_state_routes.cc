// SPDX-License-Identifier: Apache-2.0
// Indices that are closed, opened, blocked; and what would give them other shards.
#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/routes/indices/index_table.h"
#include "api/write_params.h"
#include "index/live_settings.h"

namespace cairn::api {
namespace {

using index::Indices;

/// Indices that a call closes or opens, by their own names.
Result<std::vector<std::string>> indices_to_turn(const Call& call, const Indices& indices) {
  const std::string& expression = call.path("index");
  CAIRN_CHECK(check_named(indices, expression));
  CAIRN_CHECK(check_active_shards(call));
  CAIRN_TRY(const auto found, described_indices_of(call, indices, expression));
  std::vector<std::string> out;
  for (const auto& index : found) out.push_back(index->name());
  return out;
}

Result<Reply> close_index(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  if (!indices.live().indices_close)
    return Error{.kind = ErrorKind::conflict,
                 .code = "illegal_state_exception",
                 .message = "index close is disabled - set [cluster.indices.close.enable: true] to "
                            "enable it"};
  CAIRN_TRY(const auto names, indices_to_turn(call, indices));
  CAIRN_CHECK(indices.close(names, deadline));
  Json closed = Json::object();
  for (const std::string& name : names) closed.set(name, Json::object({{"closed", true}}));
  return Reply::json(Json::object(
      {{"acknowledged", true}, {"shards_acknowledged", true}, {"indices", std::move(closed)}}));
}

Result<Reply> open_index(Call& call, Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_TRY(const auto names, indices_to_turn(call, indices));
  CAIRN_CHECK(indices.reopen(names, deadline));
  return Reply::json(Json::object({{"acknowledged", true}, {"shards_acknowledged", true}}));
}

/// What would give an index another number of shards.
Result<Reply> refuse_resize(Call& call, Indices&) {
  return illegal_argument("[" + call.route().operation + "] is not offered: an index has one shard " +
                          "here. POST /_reindex copies its documents, and a snapshot that is " +
                          "restored with rename_pattern copies it as it is");
}

/// PUT /{index}/_block/{block}: the setting of that block, and what it stands for.
Result<Reply> set_block(Call& call, Indices& indices, bool blocked) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const std::string& block = call.path("block");
  if (block != "write" && block != "read_only" && block != "read_only_allow_delete")
    return illegal_argument("[block] can be write, read_only or read_only_allow_delete here, not [" +
                            block + "]");
  CAIRN_TRY(const auto found, described_indices_of(call, indices, call.path("index")));
  Json list = Json::array();
  const Json value = blocked ? Json(true) : Json();
  for (const auto& index : found) {
    CAIRN_CHECK(index->put_settings(Json::object({{"index.blocks." + block, value}}), deadline));
    list.push(Json::object({{"name", index->name()}, {blocked ? "blocked" : "unblocked", true}}));
  }
  return Reply::json(Json::object(
      {{"acknowledged", true}, {"shards_acknowledged", true}, {"indices", std::move(list)}}));
}

Result<Reply> add_block(Call& call, Indices& indices) { return set_block(call, indices, true); }
Result<Reply> remove_block(Call& call, Indices& indices) { return set_block(call, indices, false); }

}  // namespace

void add_index_states(IndexTable& table) {
  const auto query = with_timeouts(
      with_index_options({{"wait_for_active_shards", "string", "There is one shard."}}));
  const auto add = [&](const std::string& method, const std::string& tail,
                       const std::string& operation, const std::string& summary, IndexFace face) {
    auto route = table.row(method, "/{index}" + tail, operation, "manage", summary);
    route.query = query;
    route.computes = true;
    table.add(std::move(route), face);
  };
  add("POST", "/_close", "indices.close",
      "Closes indices: their documents leave the memory, and any setting may change.", close_index);
  add("POST", "/_open", "indices.open", "Opens indices that were closed.", open_index);
  for (const auto* method : {"PUT", "POST"})
    for (const std::string way : {"clone", "shrink", "split"})
      add(method, "/_" + way + "/{target}", "indices." + way,
          "Refused: an index has one shard here.", refuse_resize);
  const auto add_block_row = [&](const std::string& method, const std::string& operation,
                                 const std::string& summary, IndexFace face) {
    auto route = table.row(method, "/{index}/_block/{block}", operation, "manage", summary);
    route.query = with_timeouts(with_index_options());
    table.add(std::move(route), face);
  };
  add_block_row("PUT", "indices.add_block", "Keeps an index from being changed.", add_block);
  add_block_row("DELETE", "indices.remove_block", "Lets an index be changed again.", remove_block);
}

}  // namespace cairn::api
