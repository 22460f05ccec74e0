// SPDX-License-Identifier: Apache-2.0
// Who may send now, decided under one lock.
#include "ratelimit/client/pacing.h"

#include <algorithm>

namespace cairn::ratelimit {
namespace {
constexpr std::size_t accounts_before_sweep = 1'024;
}

Pacing::Account& Pacing::account_of(const std::string& identity, std::int64_t now_ms) {
  if (accounts_.size() >= accounts_before_sweep && !accounts_.contains(identity))
    std::erase_if(accounts_, [now_ms](const auto& entry) {
      const Account& account = entry.second;
      const bool held = std::any_of(
          account.resources.begin(), account.resources.end(), [now_ms](const auto& each) {
            return each.second.blocked_until_ms > now_ms ||
                   (each.second.window && each.second.window->ends_ms > now_ms);
          });
      return account.under_way == 0 && account.blocked_until_ms <= now_ms &&
             account.next_write_ms <= now_ms && !held;
    });
  return accounts_[identity];
}

Turn Pacing::ask(const Outgoing& request, std::int64_t now_ms) {
  MutexLock lock(mutex_);
  Account& account = account_of(request.identity, now_ms);
  Resource& resource = account.resources[request.resource];
  const std::int64_t until = std::max(account.blocked_until_ms, resource.blocked_until_ms);
  if (until > now_ms) return {.wait_ms = until - now_ms, .reason = HoldReason::blocked};
  if (resource.window && resource.window->ends_ms <= now_ms) resource.window.reset();
  // Those under way may not be in `remaining` yet.
  if (resource.window && options_.reserve > 0 &&
      resource.window->remaining < std::uint64_t{resource.under_way} + options_.reserve) {
    if (resource.under_way > 0 && resource.window->remaining >= options_.reserve)
      return {.wait_ms = resource.window->ends_ms - now_ms, .reason = HoldReason::at_once};
    return {.wait_ms = resource.window->ends_ms - now_ms, .reason = HoldReason::reserve};
  }
  if (account.under_way >= std::max<std::uint32_t>(options_.at_once, 1))
    return {.wait_ms = 0, .reason = HoldReason::at_once};
  if (request.writes) {
    if (account.next_write_ms > now_ms)
      return {.wait_ms = account.next_write_ms - now_ms, .reason = HoldReason::writes};
    account.next_write_ms = now_ms + options_.between_writes_ms;
  }
  ++account.under_way;
  ++resource.under_way;
  return {.granted = true};
}

void Pacing::ended(const Outgoing& request) {
  MutexLock lock(mutex_);
  const auto found = accounts_.find(request.identity);
  if (found == accounts_.end()) return;
  Resource& resource = found->second.resources[request.resource];
  if (found->second.under_way > 0) --found->second.under_way;
  if (resource.under_way > 0) --resource.under_way;
}

void Pacing::saw(const Outgoing& request, const std::string& resource, const WindowSigns& signs,
                 std::int64_t now_ms) {
  MutexLock lock(mutex_);
  Account& account = account_of(request.identity, now_ms);
  const auto keep = [&](Resource& into) {
    // Responses overtake each other: of one window the least counts, an older window nothing.
    if (into.window && into.window->ends_ms > now_ms) {
      if (signs.reset_s < into.window->reset_s) return;
      if (signs.reset_s == into.window->reset_s) {
        into.window->remaining = std::min(into.window->remaining, signs.remaining);
        return;
      }
    }
    into.window = {signs.reset_s, now_ms + signs.resets_in_ms, signs.remaining};
  };
  keep(account.resources[resource]);
  if (resource != request.resource) keep(account.resources[request.resource]);
}

void Pacing::block(const Outgoing& request, const std::string& resource, std::int64_t until_ms) {
  MutexLock lock(mutex_);
  Account& account = account_of(request.identity, 0);
  for (const std::string& name : {resource, request.resource}) {
    std::int64_t& until = account.resources[name].blocked_until_ms;
    until = std::max(until, until_ms);
  }
}

void Pacing::block_all(const Outgoing& request, std::int64_t until_ms) {
  MutexLock lock(mutex_);
  std::int64_t& until = account_of(request.identity, 0).blocked_until_ms;
  until = std::max(until, until_ms);
}

std::int64_t Pacing::blocked_until_ms(const Outgoing& request) const {
  MutexLock lock(mutex_);
  const auto found = accounts_.find(request.identity);
  if (found == accounts_.end()) return 0;
  const auto resource = found->second.resources.find(request.resource);
  return std::max(found->second.blocked_until_ms, resource == found->second.resources.end()
                                                      ? 0
                                                      : resource->second.blocked_until_ms);
}

}  // namespace cairn::ratelimit
