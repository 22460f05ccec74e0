// SPDX-License-Identifier: Apache-2.0
#include "connectors/sync_state.h"

#include <algorithm>

#include "base/compress.h"
#include "base/strings.h"
#include "format/json.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t state_bytes_max = 1u << 30;
// Nine digits with a leading one: the order of keys is the order of batches.
constexpr std::size_t first_batch = 100'000'000;

std::string encode(const std::string& identity, const SyncedItems& items) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("identity").string(identity).key("items").begin_array();
  for (const auto& [path, item] : items) {
    json.begin_array().string(path).string(item.version).string(item.content_hash);
    json.boolean(item.indexed).unsigned_integer(item.bytes).end_array();
  }
  json.end_array().end_object();
  return zstd(text);
}

Error corrupt_state(const std::string& key) {
  return {.kind = ErrorKind::corrupt, .message = "sync state " + key + " cannot be read"};
}

/// Adds the items of an encoded object, unless it belongs to another index.
Status decode(const std::string& key, std::string_view bytes, const std::string& identity,
              SyncedItems& into) {
  CAIRN_TRY(const std::string text, unzstd(bytes, state_bytes_max));
  CAIRN_TRY(const Json json, parse_json(text));
  if (json.string_or("identity") != identity) return ok_status();
  const Json* items = json.find("items");
  if (items == nullptr || !items->is_array()) return corrupt_state(key);
  for (const Json& row : items->as_array()) {
    if (!row.is_array() || row.as_array().size() != 5) return corrupt_state(key);
    const auto& cells = row.as_array();
    if (!cells[0].is_string() || !cells[1].is_string() || !cells[2].is_string() ||
        !cells[3].is_bool() || !cells[4].is_integer())
      return corrupt_state(key);
    into[cells[0].as_string()] = {.version = cells[1].as_string(),
                                  .content_hash = cells[2].as_string(),
                                  .indexed = cells[3].as_bool(),
                                  .bytes = static_cast<std::uint64_t>(cells[4].as_int())};
  }
  return ok_status();
}

}  // namespace

SyncState::SyncState(store::Store& store, std::string connector_id, std::string job_id)
    : store_(store),
      current_key_("state/" + connector_id + "/current"),
      run_prefix_("state/" + connector_id + "/run/" + job_id + "/") {}

Result<SyncedItems> SyncState::finished(const std::string& identity,
                                        const os::Deadline& deadline) const {
  SyncedItems items;
  auto object = store_.get(current_key_, deadline);
  if (!object.ok()) {
    if (object.error().kind == ErrorKind::not_found) return items;
    return std::move(object).error();
  }
  CAIRN_CHECK(decode(current_key_, object->bytes, identity, items));
  return items;
}

Result<SyncedItems> SyncState::done(const std::string& identity, const os::Deadline& deadline) {
  SyncedItems items;
  CAIRN_CHECK(store::for_each_object(
      store_, run_prefix_, deadline, [&](const store::ObjectInfo& info) -> Status {
        CAIRN_TRY(const auto object, store_.get(info.key, deadline));
        CAIRN_CHECK(decode(info.key, object.bytes, identity, items));
        const auto number = parse_number<std::size_t>(
            std::string_view(info.key).substr(run_prefix_.size()));
        if (number && *number >= first_batch)
          next_batch_ = std::max(next_batch_, *number - first_batch + 1);
        return ok_status();
      }));
  return items;
}

Status SyncState::append(const std::string& identity, const SyncedItems& batch,
                         const os::Deadline& deadline) {
  const std::string key = run_prefix_ + std::to_string(first_batch + next_batch_++);
  CAIRN_CHECK(store_.put(key, encode(identity, batch), deadline));
  return ok_status();
}

Status SyncState::finish(const std::string& identity, const SyncedItems& all,
                         const os::Deadline& deadline) {
  CAIRN_CHECK(store_.put(current_key_, encode(identity, all), deadline));
  std::vector<std::string> keys;
  CAIRN_CHECK(store::for_each_object(store_, run_prefix_, deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       keys.push_back(info.key);
                                       return ok_status();
                                     }));
  CAIRN_CHECK(store_.remove_batch(keys, deadline));
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
