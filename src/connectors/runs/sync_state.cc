// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/sync_state.h"

#include <algorithm>

#include "base/compress.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t state_bytes_max = 1u << 30;
// Nine digits with a leading one: the order of keys is the order of batches.
constexpr std::size_t first_batch = 100'000'000;
constexpr std::size_t removed_at_a_time = 1000;

std::string encode(const std::string& identity, const std::vector<SyncedRow>& rows) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("identity").string(identity).key("items").begin_array();
  for (const auto& [path, item] : rows) {
    json.begin_array().string(path).unsigned_integer(item.version).unsigned_integer(item.content);
    json.boolean(item.indexed).unsigned_integer(item.bytes);
    json.unsigned_integer(item.documents).end_array();
  }
  json.end_array().end_object();
  return zstd(text);
}

Error corrupt_state(const std::string& key) {
  return {.kind = ErrorKind::corrupt, .message = "sync state " + key + " cannot be read"};
}

/// Five cells, of which two are texts, are of runs before items had several documents.
std::optional<SyncedRow> row_of(const Json& json) {
  if (!json.is_array()) return std::nullopt;
  const auto& cells = json.as_array();
  if (cells.size() != 5 && cells.size() != 6) return std::nullopt;
  if (!cells[0].is_string() || !cells[3].is_bool() || !cells[4].is_count()) return std::nullopt;
  SyncedRow row{.path = cells[0].as_string(), .item = {}};
  row.item.indexed = cells[3].as_bool();
  row.item.bytes = cells[4].as_unsigned();
  if (cells.size() == 5) {
    if (!cells[1].is_string() || !cells[2].is_string()) return std::nullopt;
    row.item.version = fingerprint(cells[1].as_string());
    row.item.content = fingerprint(cells[2].as_string());
    row.item.documents = 1;
    return row;
  }
  if (!cells[1].is_count() || !cells[2].is_count() || !cells[5].is_count()) return std::nullopt;
  row.item.version = cells[1].as_unsigned();
  row.item.content = cells[2].as_unsigned();
  row.item.documents = static_cast<std::uint32_t>(cells[5].as_unsigned());
  return row;
}

Result<Json> decode(const std::string& key, std::string_view bytes) {
  CAIRN_TRY(const std::string text, unzstd(bytes, state_bytes_max));
  CAIRN_TRY(Json json, parse_json(text));
  const Json* items = json.find("items");
  if (items == nullptr || !items->is_array()) return corrupt_state(key);
  return json;
}

/// The rows of an object, unless it belongs to another index.
Status rows_of(const std::string& key, const Json& json, const std::string& identity,
               const SyncState::Each& each) {
  if (json.string_or("identity") != identity) return ok_status();
  for (const Json& cells : json.find("items")->as_array()) {
    auto row = row_of(cells);
    if (!row) return corrupt_state(key);
    CAIRN_CHECK(each(*std::move(row)));
  }
  return ok_status();
}

std::vector<std::string> runs_of(const Json& current) {
  std::vector<std::string> out;
  if (const Json* runs = current.find("runs"); runs != nullptr && runs->is_array())
    for (const Json& run : runs->as_array())
      if (run.is_string()) out.push_back(run.as_string());
  return out;
}

}  // namespace

SyncState::SyncState(store::Store& store, std::string connector_id, std::string job_id)
    : store_(store),
      connector_(connector_id),
      current_key_("state/" + connector_id + "/current"),
      runs_prefix_("state/" + connector_id + "/run/"),
      places_prefix_("state/" + connector_id + "/place/"),
      job_(std::move(job_id)) {}

/// An object without members where nothing counts for this index.
Result<Json> SyncState::current(const std::string& identity, const os::Deadline& deadline) const {
  auto object = store_.get(current_key_, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return Json::object();
    return std::move(object).error();
  }
  CAIRN_TRY(Json json, decode(current_key_, object->bytes));
  if (json.string_or("identity") != identity) return Json::object();
  return json;
}

Status SyncState::walk_run(const std::string& run, const std::string& identity, const Each& each,
                           std::size_t* next_batch, const os::Deadline& deadline) const {
  const std::string prefix = prefix_of(run);
  return store::for_each_object(
      store_, prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        CAIRN_TRY(const Json json, decode(info.key, object.bytes));
        CAIRN_CHECK(rows_of(info.key, json, identity, each));
        const auto number =
            parse_number<std::size_t>(std::string_view(info.key).substr(prefix.size()));
        if (next_batch != nullptr && number && *number >= first_batch)
          *next_batch = std::max(*next_batch, *number - first_batch + 1);
        return ok_status();
      });
}

Result<FinishedRun> SyncState::finished(const std::string& identity, const Each& each,
                                        const os::Deadline& deadline) const {
  CAIRN_TRY(const Json json, current(identity, deadline));
  if (json.as_object().empty()) return FinishedRun{};
  CAIRN_CHECK(rows_of(current_key_, json, identity, each));
  const auto runs = runs_of(json);
  for (const auto& run : runs) CAIRN_CHECK(walk_run(run, identity, each, nullptr, deadline));
  return FinishedRun{.is_there = true,
                     .cursor = json.string_or("cursor"),
                     .walks_over_changes = runs.empty() ? 0 : runs.size() - 1};
}

Status SyncState::done(const std::string& identity, const Each& each,
                       const os::Deadline& deadline) {
  return walk_run(job_, identity, each, &next_batch_, deadline);
}

Status SyncState::append(const std::string& identity, const std::vector<SyncedRow>& batch,
                         const os::Deadline& deadline) {
  const std::string key = prefix_of(job_) + std::to_string(first_batch + next_batch_++);
  CAIRN_CHECK(store_.put(key, encode(identity, batch), deadline));
  return ok_status();
}

Status SyncState::keep_place(const std::string& identity, const std::string& cursor,
                             const std::string& place, const os::Deadline& deadline) {
  const Json json =
      Json::object({{"identity", identity}, {"after", fingerprint(cursor)}, {"place", place}});
  CAIRN_CHECK(store_.put(places_prefix_ + job_, zstd(json.dump()), deadline));
  return ok_status();
}

Result<std::string> SyncState::place(const std::string& identity, const std::string& cursor,
                                     const os::Deadline& deadline) const {
  const std::string key = places_prefix_ + job_;
  const auto object = store_.get(key, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return std::string();
    return object.error();
  }
  CAIRN_TRY(const std::string text, unzstd(object->bytes, state_bytes_max));
  CAIRN_TRY(const Json json, parse_json(text));
  const Json* after = json.find("after");
  const bool same = json.string_or("identity") == identity && after != nullptr &&
                    after->is_count() && after->as_unsigned() == fingerprint(cursor);
  return same ? json.string_or("place") : std::string();
}

Status SyncState::finish(const std::string& identity, bool whole, const std::string& cursor,
                         const os::Deadline& deadline) {
  Json items = Json::array();
  std::vector<std::string> runs;
  if (!whole) {
    CAIRN_TRY(const Json before, current(identity, deadline));
    runs = runs_of(before);
    std::erase(runs, job_);
    if (const Json* old = before.find("items"); old != nullptr) items = *old;
  }
  runs.push_back(job_);
  const Json json = Json::object({{"identity", identity},
                                  {"cursor", cursor},
                                  {"runs", Json::array_of(runs)},
                                  {"items", std::move(items)}});
  CAIRN_CHECK(store_.put(current_key_, zstd(json.dump()), deadline));
  CAIRN_CHECK(drop_places(deadline));
  return drop_other_runs(runs, deadline);
}

Status SyncState::drop_other_runs(const std::vector<std::string>& kept,
                                  const os::Deadline& deadline) {
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(
      store_, runs_prefix_, deadline, [&](const store::ObjectInfo& info) -> Status {
        const bool counts = std::any_of(kept.begin(), kept.end(), [&](const std::string& run) {
          return info.key.starts_with(prefix_of(run));
        });
        if (!counts) keys.push_back(info.key);
        if (keys.size() < removed_at_a_time) return ok_status();
        CAIRN_CHECK(store_.remove_batch(keys, deadline));
        keys.clear();
        return ok_status();
      }));
  if (!keys.empty()) CAIRN_CHECK(store_.remove_batch(keys, deadline));
  return ok_status();
}

/// Of this job, and of others that ended with an error.
Status SyncState::drop_places(const os::Deadline& deadline) {
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(store_, places_prefix_, deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       keys.push_back(info.key);
                                       return ok_status();
                                     }));
  if (!keys.empty()) CAIRN_CHECK(store_.remove_batch(keys, deadline));
  return ok_status();
}

Status SyncState::forget(store::Store& store, const std::string& connector_id,
                         const os::Deadline& deadline) {
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(store, "state/" + connector_id + "/", deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       keys.push_back(info.key);
                                       return ok_status();
                                     }));
  CAIRN_CHECK(store.remove_batch(keys, deadline));
  return ok_status();
}

}  // namespace cairn::connectors
