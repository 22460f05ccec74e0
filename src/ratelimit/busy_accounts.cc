// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/busy_accounts.h"

#include <utility>

#include "os/clock.h"
#include "ratelimit/limiter.h"

namespace cairn::ratelimit {
namespace {

constexpr std::int64_t forgotten_after_s = 3'600;
constexpr std::int64_t lowered_each_s = 60;

std::int64_t unix_s() { return os::system_clock().unix_ms() / 1'000; }

std::string place_of(std::uint16_t resource, const std::string& account) {
  return std::to_string(resource) + " " + account;
}

}  // namespace

void BusyAccounts::note(const Identity& identity, const Charge& charge, const Decision& decision,
                        std::string_view operation, std::string_view rule) {
  if (!decision.admitted() || decision.shadowed) [[unlikely]]
    note_refused(identity, charge, decision, operation, rule);
  if (!decision.admitted() || !decision.window) return;
  const std::uint32_t used = decision.window->used;
  const std::uint32_t before = used - std::min(charge.cost, used);
  if (std::bit_width(used) == std::bit_width(before)) [[likely]]
    return;
  if (used >= floor_.load(std::memory_order_relaxed))
    note_used(identity, decision.window->resource, used);
}

void BusyAccounts::note_used(const Identity& identity, std::uint16_t resource, std::uint32_t used) {
  const std::int64_t now_s = unix_s();
  const MutexLock lock(mutex_);
  if (now_s - lowered_s_ >= lowered_each_s) {
    lowered_s_ = now_s;
    floor_.store(std::max(floor_.load(std::memory_order_relaxed) / 2, 1u),
                 std::memory_order_relaxed);
  }
  std::string place = place_of(resource, identity.account);
  if (used_.size() >= most && !used_.contains(place)) make_room(now_s);
  used_.insert_or_assign(std::move(place), Entry{{identity, resource, used}, now_s});
}

// Half of them at least go, so that the next time is far away.
void BusyAccounts::make_room(std::int64_t now_s) {
  std::erase_if(used_,
                [&](const auto& each) { return now_s - each.second.noted_s > forgotten_after_s; });
  if (used_.size() < most) return;
  std::vector<std::uint32_t> counts;
  for (const auto& [place, entry] : used_) counts.push_back(entry.of.used);
  const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
  std::nth_element(counts.begin(), middle, counts.end());
  const std::uint32_t least = *middle;
  std::size_t equal = 0;
  std::erase_if(used_, [&](const auto& each) {
    const std::uint32_t used = each.second.of.used;
    return used < least || (used == least && ++equal % 2 == 1);
  });
  floor_.store(least + 1, std::memory_order_relaxed);
}

void BusyAccounts::note_refused(const Identity& identity, const Charge& charge,
                                const Decision& decision, std::string_view operation,
                                std::string_view rule) {
  const std::uint32_t nth = decision.nth_refusal;
  if (nth > 1 && !std::has_single_bit(nth) && nth % 64 != 0) return;
  const std::int64_t now_s = unix_s();
  const Refusal why = decision.admitted() ? decision.shadow : decision.refusal;
  const MutexLock lock(mutex_);
  std::string place = identity.account + " " + std::string(name_of(why)) + " " + std::string(rule);
  if (refused_.size() >= most && !refused_.contains(place)) {
    std::vector<std::int64_t> times;
    for (const auto& [of, entry] : refused_) times.push_back(entry.at_unix_s);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    std::size_t equal = 0;
    std::erase_if(refused_, [oldest = *middle, &equal](const auto& each) {
      return each.second.at_unix_s < oldest ||
             (each.second.at_unix_s == oldest && ++equal % 2 == 1);
    });
  }
  refused_.insert_or_assign(std::move(place),
                            Refused{.identity = identity,
                                    .operation = std::string(operation),
                                    .rule = std::string(rule),
                                    .limit = name_of(why),
                                    .shadowed = decision.admitted(),
                                    .times = nth,
                                    .at_unix_s = now_s,
                                    .until_unix_s = now_s + decision.retry_after_s,
                                    .resource = charge.resource,
                                    .endpoint = charge.endpoint,
                                    .cost = charge.cost,
                                    .points = charge.points,
                                    .content = charge.content,
                                    .graphql = charge.graphql,
                                    .objects = charge.surface == Surface::objects,
                                    .no_primary = charge.no_primary});
}

std::vector<BusyAccounts::Used> BusyAccounts::top(std::uint16_t resource, std::size_t count,
                                                  std::uint32_t since_s) const {
  std::vector<Used> out;
  const std::int64_t since = unix_s() - since_s;
  {
    const MutexLock lock(mutex_);
    for (const auto& [place, entry] : used_)
      if (entry.of.resource == resource && entry.noted_s >= since) out.push_back(entry.of);
  }
  std::sort(out.begin(), out.end(), [](const Used& a, const Used& b) {
    return std::pair(b.used, std::string_view(a.identity.account)) <
           std::pair(a.used, std::string_view(b.identity.account));
  });
  if (out.size() > count) out.resize(count);
  return out;
}

std::vector<BusyAccounts::Refused> BusyAccounts::refused() const {
  std::vector<Refused> out;
  {
    const MutexLock lock(mutex_);
    for (const auto& [place, entry] : refused_) out.push_back(entry);
  }
  std::sort(out.begin(), out.end(), [](const Refused& a, const Refused& b) {
    return std::pair(b.at_unix_s, std::string_view(a.identity.account)) <
           std::pair(a.at_unix_s, std::string_view(b.identity.account));
  });
  return out;
}

}  // namespace cairn::ratelimit
