// SPDX-License-Identifier: Apache-2.0
// Finding, making and forgetting what a node knows of its identities.
#include "ratelimit/redis/redis_accounts.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::ratelimit {
namespace {
constexpr std::string_view shared_name = "(newcomers beyond max_identities)";
}

NodeWindow& NodeAccount::window(std::uint16_t resource) {
  for (NodeWindow& each : windows)
    if (each.resource == resource) return each;
  windows.push_back({.resource = resource});
  return windows.back();
}

const NodeWindow* NodeAccount::find(std::uint16_t resource) const {
  for (const NodeWindow& each : windows)
    if (each.resource == resource) return &each;
  return nullptr;
}

bool NodeAccount::apart() const {
  return std::any_of(windows.begin(), windows.end(), [](const auto& each) { return each.apart; });
}

bool NodeAccount::idle(std::int64_t now_ms) const {
  if (pins > 0 || queued || apart()) return false;
  const bool limited = std::any_of(windows.begin(), windows.end(), [now_ms](const auto& each) {
    return each.denied_until_ms > now_ms;
  });
  const bool denied = std::any_of(denials.begin(), denials.end(),
                                  [now_ms](const auto& each) { return each.until_ms > now_ms; });
  return !limited && !denied;
}

NodeAccounts::Shard& NodeAccounts::shard_of(std::string_view name) {
  return shards_[fast_hash(name) % shard_count];
}

std::string NodeAccounts::tag_of(std::string_view name) const {
  return "rl:{" + to_hex(std::string_view(sha256(name)).substr(0, 16)) + "}";
}

std::unique_ptr<NodeAccount> NodeAccounts::make(std::string_view name) const {
  auto out = std::make_unique<NodeAccount>();
  out->name = name;
  out->tag = tag_of(name);
  out->store = stores_ > 1 ? fast_hash(out->tag) % stores_ : 0;
  return out;
}

NodeAccount* NodeAccounts::find(Shard& shard, std::string_view name) {
  const auto found = shard.by_name.find(name);
  return found == shard.by_name.end() ? nullptr : found->second.get();
}

NodeAccount& NodeAccounts::account(Shard& shard, std::string_view name, std::int64_t now_ms) {
  if (NodeAccount* const known = find(shard, name)) {
    known->seen_ms = now_ms;
    return *known;
  }
  const std::size_t most = std::max<std::size_t>(most_ / shard_count, 1);
  if (shard.by_name.size() >= most) {
    // Half of them at a time, oldest first, so that a flood does not pay for a sweep each time.
    std::int64_t before = now_ms - 60'000;
    for (int i = 0; i < 3 && shard.by_name.size() >= most; ++i, before += 30'000)
      sweep(shard, now_ms, before);
    if (shard.by_name.size() >= most) {
      if (shard.shared == nullptr) shard.shared = make(shared_name);
      return *shard.shared;
    }
  }
  auto made = make(name);
  made->seen_ms = now_ms;
  NodeAccount& out = *made;
  shard.by_name.emplace(out.name, std::move(made));
  return out;
}

void NodeAccounts::sweep(Shard& shard, std::int64_t now_ms, std::int64_t before_ms) {
  std::erase_if(shard.by_name, [&](const auto& entry) {
    return entry.second->seen_ms <= before_ms && entry.second->idle(now_ms);
  });
}

void NodeAccounts::for_each(const std::function<void(NodeAccount&)>& visit) {
  for (Shard& shard : shards_) {
    MutexLock lock(shard.mutex);
    for (auto& [name, account] : shard.by_name) visit(*account);
    if (shard.shared != nullptr) visit(*shard.shared);
  }
}

}  // namespace cairn::ratelimit
