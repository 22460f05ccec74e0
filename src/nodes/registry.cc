// SPDX-License-Identifier: Apache-2.0
#include "nodes/registry.h"

#include <algorithm>
#include <set>
#include <utility>

#include "os/log.h"

namespace cairn::nodes {
namespace {

constexpr std::string_view prefix = "nodes/";

Error over(const NodeRecord& self) {
  return {.kind = ErrorKind::conflict,
          .message = "node [" + self.name + "] (" + self.id +
                     ") was silent for longer than its lease, and others have what it owned"};
}

}  // namespace

Result<std::vector<NodeRecord>> read_nodes(store::Store& store, const os::Deadline& deadline) {
  std::vector<NodeRecord> out;
  CAIRN_CHECK(store::for_each_object(
      store, prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        const auto found = store.get(info.key, deadline);
        if (!found.ok() && found.error().kind == ErrorKind::not_found) return ok_status();
        CAIRN_CHECK(found);
        CAIRN_TRY(NodeRecord record, decode_node_record(found->bytes, info.key));
        if (!record.has_ended()) out.push_back(std::move(record));
        return ok_status();
      }));
  return out;
}

Registry::Registry(store::Store& store, const os::Clock& clock, NodeRecord self,
                   RegistryOptions options)
    : store_(store), clock_(clock), options_(options), self_(std::move(self)) {}

std::int64_t Registry::holds_for_ms() const {
  const std::int64_t until_ns = held_until_ns_.load(), now_ns = clock_.steady_ns();
  if (ended_ || now_ns >= until_ns) return 0;
  return std::min((until_ns - now_ns + 999'999) / 1'000'000,
                  held_until_unix_ms_.load() - clock_.unix_ms());
}

// Crash points of a renewal: before the put nothing has changed; after it the record is renewed,
// and stands still from then on.
Status Registry::renew(const os::Deadline& deadline) {
  if (ended_) return over(self_);
  const std::int64_t sent_ns = clock_.steady_ns();
  const std::int64_t sent_unix_ms = clock_.unix_ms();
  if (in_doubt_) CAIRN_CHECK(read_own(deadline));
  NodeRecord next = self_;
  ++next.beat;
  store::Condition condition;
  if (etag_.empty())
    condition.if_none_match = true;
  else
    condition.if_match = etag_;
  auto put = store_.put(key_of(self_.id), encode(next), deadline, condition);
  if (!put.ok()) {
    // Somebody ended this node, or a renewal before, whose answer was lost, has arrived by now.
    in_doubt_ = true;
    if (put.error().kind != ErrorKind::precondition_failed &&
        put.error().kind != ErrorKind::not_found)
      return std::move(put).error();
    CAIRN_CHECK(read_own(deadline));
    return Error{
        .kind = ErrorKind::unavailable,
        .message = "an earlier renewal of the node's lease has arrived: the next one counts"};
  }
  self_.beat = next.beat;
  etag_ = std::move(put->etag);
  held_until_unix_ms_.store(sent_unix_ms + options_.lease_ms);
  held_until_ns_.store(sent_ns + options_.lease_ms * 1'000'000);
  return ok_status();
}

Status Registry::read_own(const os::Deadline& deadline) {
  const std::string key = key_of(self_.id);
  auto found = store_.get(key, deadline);
  if (!found.ok() && found.error().kind == ErrorKind::not_found) {
    // A record that was never made may still arrive; one that was there is removed once it ended.
    ended_ = !etag_.empty();
    if (ended_) return over(self_);
    in_doubt_ = false;
    return ok_status();
  }
  CAIRN_CHECK(found);
  CAIRN_TRY(const NodeRecord record, decode_node_record(found->bytes, key));
  ended_ = record.has_ended();
  if (ended_) return over(self_);
  self_.beat = record.beat;
  etag_ = std::move(found->info.etag);
  in_doubt_ = false;
  return ok_status();
}

Result<std::vector<NodeRecord>> Registry::look(const os::Deadline& deadline) {
  std::set<std::string> there;
  CAIRN_CHECK(store::for_each_object(
      store_, prefix, deadline, [&](const store::ObjectInfo& info) -> Status {
        there.insert(info.key);
        Seen& seen = seen_[info.key];
        if (seen.etag == info.etag) return ok_status();
        if (info.key == key_of(self_.id) && info.etag == etag_) {
          seen = {.etag = etag_, .since_ns = clock_.steady_ns(), .record = self_};
          return ok_status();
        }
        auto found = store_.get(info.key, deadline);
        if (!found.ok() && found.error().kind == ErrorKind::not_found) {
          there.erase(info.key);
          return ok_status();
        }
        CAIRN_CHECK(found);
        note(info.key, std::move(*found), seen);
        return ok_status();
      }));
  std::erase_if(seen_, [&](const auto& entry) { return !there.contains(entry.first); });
  std::vector<NodeRecord> nodes;
  for (const auto& [key, seen] : seen_)
    if (!seen.record.has_ended()) nodes.push_back(seen.record);
  return nodes;
}

void Registry::note(const std::string& key, store::Object found, Seen& seen) const {
  auto record = decode_node_record(found.bytes, key);
  if (!record.ok()) {
    os::log(os::LogLevel::error, "nodes", "damaged_record",
            {{"key", key}, {"reason", record.error().message}});
    // It may live, and own shards: until it is silent nobody takes them.
    record = seen.record;
    record->id = key.substr(prefix.size());
    record->draining = true;
  }
  seen = {.etag = std::move(found.info.etag),
          .since_ns = clock_.steady_ns(),
          .record = std::move(*record)};
}

/// False where the node has renewed its lease meanwhile, or another one has ended it.
Result<bool> Registry::end(const std::string& key, Seen& seen, bool gone,
                           const os::Deadline& deadline) {
  NodeRecord record = seen.record;
  record.ended_by = self_.id;
  auto put = store_.put(key, encode(record), deadline, {.if_match = seen.etag});
  if (!put.ok() && (put.error().kind == ErrorKind::precondition_failed ||
                    put.error().kind == ErrorKind::not_found))
    return false;
  CAIRN_CHECK(put);
  seen = {
      .etag = std::move(put->etag), .since_ns = clock_.steady_ns(), .record = std::move(record)};
  os::log(os::LogLevel::warn, "nodes", "node_ended",
          {{"node", seen.record.id},
           {"name", seen.record.name},
           {"reason", gone ? "its process is gone" : "it did not renew its lease"}});
  return true;
}

Result<std::size_t> Registry::end_silent(const os::Deadline& deadline) {
  std::size_t ended = 0;
  for (auto& [key, seen] : seen_) {
    if (seen.record.id == self_.id) continue;
    const std::int64_t still_ms = (clock_.steady_ns() - seen.since_ns) / 1'000'000;
    if (!seen.record.has_ended()) {
      const bool gone = options_.is_gone(seen.record.process);
      if (still_ms < options_.silent_ms() && !gone) continue;
      CAIRN_TRY(const bool now, end(key, seen, gone, deadline));
      if (now) ++ended;
    } else if (still_ms >= options_.kept_ended_ms) {
      CAIRN_CHECK(store_.remove(key, deadline));
    }
  }
  return ended;
}

Status Registry::leave(const os::Deadline& deadline) {
  if (ended_ || (etag_.empty() && !in_doubt_)) return ok_status();
  held_until_ns_.store(INT64_MIN);
  CAIRN_CHECK(store_.remove(key_of(self_.id), deadline));
  ended_ = true;
  return ok_status();
}

}  // namespace cairn::nodes
