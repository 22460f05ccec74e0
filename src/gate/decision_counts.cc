// SPDX-License-Identifier: Apache-2.0
// Stripes taken by threads, and added up.
#include "gate/decision_counts.h"

#include <bit>

namespace cairn::gate {
namespace {

// A bit for each stripe with an owner.
std::atomic<std::uint64_t> taken{0};

}  // namespace

// Gives the stripe back when the thread ends; what it counts after that is everybody's.
struct DecisionCounts::Taken {
  std::size_t stripe;
  ~Taken() {
    my_stripe_ = stripe_count;
    taken.fetch_and(~(std::uint64_t{1} << stripe), std::memory_order_release);
  }
};

std::size_t DecisionCounts::take_stripe() {
  static_assert(stripe_count == 64);
  std::uint64_t now = taken.load();
  while (now != ~std::uint64_t{0}) {
    const auto free = static_cast<std::size_t>(std::countr_one(now));
    if (!taken.compare_exchange_weak(now, now | std::uint64_t{1} << free, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      continue;
    static thread_local const Taken mine{free};
    return mine.stripe;
  }
  return stripe_count;
}

std::uint64_t DecisionCounts::decided(std::size_t slot, Result result) const {
  return sum([=](const Stripe& each) -> auto& { return each.decided[slot][result]; });
}

std::uint64_t DecisionCounts::refused_for(ratelimit::Surface surface,
                                          ratelimit::Refusal refusal) const {
  const auto s = static_cast<std::size_t>(surface);
  const auto kind = static_cast<std::size_t>(refusal);
  return sum([=](const Stripe& each) -> auto& { return each.faces[s].refused_for[kind]; });
}

std::uint64_t DecisionCounts::live(ratelimit::Surface surface) const {
  const auto s = static_cast<std::size_t>(surface);
  // Ends first: a request that ends in between must not make the difference negative.
  const auto ended = sum([=](const Stripe& each) -> auto& { return each.faces[s].ended; });
  const auto began = sum([=](const Stripe& each) -> auto& { return each.faces[s].began; });
  return began > ended ? began - ended : 0;
}

std::uint64_t DecisionCounts::cpu_ns(ratelimit::Surface surface) const {
  const auto s = static_cast<std::size_t>(surface);
  return sum([=](const Stripe& each) -> auto& { return each.faces[s].cpu_ns; });
}

}  // namespace cairn::gate
