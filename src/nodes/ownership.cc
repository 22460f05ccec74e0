// SPDX-License-Identifier: Apache-2.0
#include "nodes/ownership.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/hash.h"

namespace cairn::nodes {
namespace {

constexpr std::string_view table_key = "owners";
constexpr int table_changes_max = 16;

}  // namespace

Ownership::Ownership(store::Store& store, const os::Clock& clock, NodeRecord self,
                     std::function<std::shared_ptr<const ShardNames>()> shards,
                     OwnershipEvents events, OwnershipOptions options)
    : store_(store),
      clock_(clock),
      shards_(std::move(shards)),
      events_(std::move(events)),
      options_(options),
      registry_(store, clock, std::move(self), options.registry) {}

Status Ownership::step(const os::Deadline& deadline) {
  const Status renewed = renew_if_due(deadline);
  if (registry_.has_ended()) {
    lose_all();
    return renewed;
  }
  // The table first: a node that it names has its record by now, or has ended.
  CAIRN_CHECK(read_table(deadline));
  CAIRN_TRY(auto nodes, registry_.look(deadline));
  for (NodeRecord& node : nodes) node.draining = node.draining || table_.draining.contains(node.id);
  {
    const std::unique_lock lock(mutex_);
    nodes_ = std::move(nodes);
  }
  follow_table();
  CAIRN_CHECK(renewed);
  CAIRN_CHECK(registry_.end_silent(deadline));
  CAIRN_CHECK(give_away(deadline));
  CAIRN_CHECK(change_table(deadline));
  return ok_status();
}

Status Ownership::renew_if_due(const os::Deadline& deadline) {
  const std::int64_t now_ns = clock_.steady_ns();
  if (now_ns < renewal_due_ns_) return ok_status();
  if (options_.figures) registry_.set_figures(options_.figures());
  CAIRN_CHECK(registry_.renew(deadline));
  renewal_due_ns_ = now_ns + options_.registry.lease_ms * 1'000'000 / 3;
  return ok_status();
}

Status Ownership::read_table(const os::Deadline& deadline) {
  CAIRN_TRY(const auto info, store_.head(table_key, deadline));
  // Where somebody has removed it, it is made anew of what is known.
  if (!info) table_etag_.clear();
  if (!info || info->etag == table_etag_) return ok_status();
  CAIRN_TRY(auto object, store_.get(table_key, deadline));
  CAIRN_TRY(auto table, decode_ownership_table(object.bytes, table_key));
  table_etag_ = std::move(object.info.etag);
  const std::unique_lock lock(mutex_);
  table_ = std::move(table);
  return ok_status();
}

/// What became this node's, and what is not any more.
void Ownership::follow_table() {
  if (std::exchange(followed_, table_etag_) == table_etag_) return;
  const std::string& self = registry_.self().id;
  std::vector<std::pair<std::string, std::uint64_t>> gained;
  std::vector<std::string> lost;
  {
    const std::unique_lock lock(mutex_);
    for (const auto& [shard, epoch] : owned_) {
      const auto entry = table_.shards.find(shard);
      if (entry == table_.shards.end() || entry->second.node != self ||
          entry->second.epoch != epoch)
        lost.push_back(shard);
    }
    for (const std::string& shard : lost) {
      owned_.erase(shard);
      finished_.erase(shard);
    }
    leaving_.clear();
    for (const auto& [shard, owner] : table_.shards) {
      if (owner.node != self) continue;
      if (owned_.emplace(shard, owner.epoch).second) gained.emplace_back(shard, owner.epoch);
      if (!owner.next.empty()) leaving_.insert(shard);
    }
  }
  for (const std::string& shard : lost) events_.lost(shard);
  for (const auto& [shard, epoch] : gained) events_.gained(shard, epoch);
}

void Ownership::lose_all() {
  std::map<std::string, std::uint64_t, std::less<>> lost;
  {
    const std::unique_lock lock(mutex_);
    lost.swap(owned_);
    finished_.clear();
    leaving_.clear();
  }
  for (const auto& [shard, epoch] : lost) events_.lost(shard);
}

/// Shards that this node has finished with get their next owners.
Status Ownership::give_away(const os::Deadline& deadline) {
  // Nothing of these is changed any more, so they must go, though the table means to leave them by
  // now.
  std::vector<std::string> given(finished_.begin(), finished_.end());
  for (const std::string& shard : leaving_)
    if (!finished_.contains(shard) && events_.finish(shard)) given.push_back(shard);
  if (given.empty()) return ok_status();
  {
    const std::unique_lock lock(mutex_);
    finished_.insert(given.begin(), given.end());
  }
  OwnershipTable next = table_;
  for (const std::string& shard : given) {
    Owner& owner = next.shards.at(shard);
    owner = {.node = owner.next.empty() ? owner.node : owner.next, .epoch = owner.epoch + 1};
  }
  ++next.version;
  return write(std::move(next), deadline);
}

// Crash points of a change: before the put the table is as it was; after it all see it, this node
// with its next step, or, when it stopped, whoever ends it.
Status Ownership::change_table(const os::Deadline& deadline) {
  const auto shards = shards_();
  if (!registry_.holds() || is_settled(shards) || !is_my_turn()) return ok_status();
  auto next = assign(table_, nodes_, *shards, options_.assignment);
  if (!next) {
    settled_ = {.version = table_.version, .nodes = nodes_, .shards = shards};
    waits_for_ = UINT64_MAX;
    return ok_status();
  }
  return write(std::move(*next), deadline);
}

bool Ownership::is_settled(const std::shared_ptr<const ShardNames>& shards) const {
  const auto same = [](const NodeRecord& a, const NodeRecord& b) {
    return a.id == b.id && a.weight == b.weight && a.draining == b.draining;
  };
  return settled_.version == table_.version && settled_.shards == shards &&
         std::equal(settled_.nodes.begin(), settled_.nodes.end(), nodes_.begin(), nodes_.end(),
                    same);
}

/// One node is first for each version of the table; the others wait a little for those before them.
bool Ownership::is_my_turn() {
  const std::int64_t now_ns = clock_.steady_ns();
  if (waits_for_ != table_.version) {
    waits_for_ = table_.version;
    waits_since_ns_ = now_ns;
  }
  const auto turn_of = [&](const std::string& id) { return fast_hash(id, table_.version); };
  const std::uint64_t mine = turn_of(registry_.self().id);
  const auto before = std::count_if(nodes_.begin(), nodes_.end(), [&](const NodeRecord& node) {
    return turn_of(node.id) < mine;
  });
  const std::int64_t turns = std::min<std::int64_t>(before, options_.turns_max);
  return now_ns - waits_since_ns_ >= turns * options_.turn_ms * 1'000'000;
}

Status Ownership::write(OwnershipTable next, const os::Deadline& deadline) {
  store::Condition condition;
  if (table_etag_.empty())
    condition.if_none_match = true;
  else
    condition.if_match = table_etag_;
  auto put = store_.put(table_key, encode(next), deadline, condition);
  if (!put.ok() && put.error().kind == ErrorKind::precondition_failed)
    return read_table(deadline);  // somebody was faster, or an answer was lost before
  CAIRN_CHECK(put);
  table_etag_ = std::move(put->etag);
  {
    const std::unique_lock lock(mutex_);
    table_ = std::move(next);
  }
  follow_table();
  return ok_status();
}

bool Ownership::may_change(std::string_view shard) const {
  if (!registry_.holds()) return false;
  const std::shared_lock lock(mutex_);
  return owned_.contains(shard) && !finished_.contains(shard);
}

std::string Ownership::owner_of(std::string_view shard) const {
  const std::shared_lock lock(mutex_);
  const auto entry = table_.shards.find(shard);
  return entry == table_.shards.end() ? std::string() : entry->second.node;
}

bool Ownership::is_moving() const {
  const std::shared_lock lock(mutex_);
  const auto lives = [&](const std::string& id) {
    return std::any_of(nodes_.begin(), nodes_.end(),
                       [&](const auto& node) { return node.id == id; });
  };
  std::string_view last;  // neighbours often have one owner
  for (const auto& [shard, owner] : table_.shards) {
    if (!owner.next.empty()) return true;
    if (owner.node == last) continue;
    if (!lives(owner.node)) return true;
    last = owner.node;
  }
  return false;
}

std::vector<NodeRecord> Ownership::nodes() const {
  const std::shared_lock lock(mutex_);
  return nodes_;
}

std::map<std::string, std::uint64_t, std::less<>> Ownership::owned() const {
  const std::shared_lock lock(mutex_);
  return owned_;
}

void Ownership::begin_leaving() {
  if (registry_.self().leaving) return;
  registry_.begin_leaving();
  renewal_due_ns_ = INT64_MIN;
}

Status Ownership::set_draining(const std::string& node, bool draining,
                               const os::Deadline& deadline) {
  const auto known = nodes();
  if (std::none_of(known.begin(), known.end(), [&](const auto& one) { return one.id == node; }))
    return Error{.kind = ErrorKind::not_found, .message = "there is no node [" + node + "]"};
  for (int round = 0; round < table_changes_max; ++round) {
    CAIRN_TRY(auto object, store_.get(table_key, deadline));
    CAIRN_TRY(auto table, decode_ownership_table(object.bytes, table_key));
    const bool changed =
        draining ? table.draining.insert(node).second : table.draining.erase(node) > 0;
    if (!changed) return ok_status();
    ++table.version;
    const auto put = store_.put(table_key, encode(table), deadline, {.if_match = object.info.etag});
    if (put.ok()) return ok_status();
    if (put.error().kind != ErrorKind::precondition_failed) return put.error();
  }
  return Error{.kind = ErrorKind::unavailable,
               .message = "the table of owners is changed by others all the time; ask again"};
}

}  // namespace cairn::nodes
