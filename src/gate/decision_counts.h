// SPDX-License-Identifier: Apache-2.0
// What the limits did, counted without making threads wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ratelimit/limiter.h"

namespace cairn::gate {

/// Each thread gets its own stripe; when stripes run out, threads share the last one.
/// Safe from any thread; sums are as old as their last addition.
class DecisionCounts {
 public:
  /// A slot counts for one resource on one surface.
  static constexpr std::size_t slots = 128;
  static constexpr std::size_t refusals = 11;
  enum Result : std::uint8_t { admitted, refused, shadowed, near_limit, results };

  void decided(std::size_t slot, ratelimit::Surface surface, const ratelimit::Decision& decision) {
    const std::size_t at = my_stripe();
    auto& counts = stripes_[at].decided[slot];
    if (!decision.admitted()) [[unlikely]] {
      add(at, counts[refused]);
      add(at, of(at, surface).refused_for[static_cast<std::size_t>(decision.refusal)]);
      return;
    }
    add(at, counts[decision.shadowed ? shadowed : admitted]);
    const auto& window = decision.window;
    if (window && std::uint64_t{window->used} * 5 >= std::uint64_t{window->limit} * 4) [[unlikely]]
      add(at, counts[near_limit]);
  }
  void began(ratelimit::Surface surface) {
    const std::size_t at = my_stripe();
    add(at, of(at, surface).began);
  }
  void ended(ratelimit::Surface surface, std::int64_t cpu_ns) {
    const std::size_t at = my_stripe();
    Face& face = of(at, surface);
    add(at, face.ended);
    if (cpu_ns > 0) add(at, face.cpu_ns, static_cast<std::uint64_t>(cpu_ns));
  }

  std::uint64_t decided(std::size_t slot, Result result) const;
  std::uint64_t refused_for(ratelimit::Surface surface, ratelimit::Refusal refusal) const;
  /// Requests that began and have not ended.
  std::uint64_t live(ratelimit::Surface surface) const;
  std::uint64_t cpu_ns(ratelimit::Surface surface) const;

 private:
  using Number = std::atomic<std::uint64_t>;
  struct Face {
    Number began{0}, ended{0}, cpu_ns{0};
    std::array<Number, refusals> refused_for{};
  };
  struct alignas(64) Stripe {
    std::array<Face, ratelimit::surface_count> faces{};
    std::array<std::array<Number, results>, slots> decided{};
  };
  static constexpr std::size_t stripe_count = 64;  // with an owner; one more without

  Face& of(std::size_t stripe, ratelimit::Surface surface) {
    return stripes_[stripe].faces[static_cast<std::size_t>(surface)];
  }
  // Two that own a stripe one after the other are ordered by the taking of it.
  static void add(std::size_t at, Number& number, std::uint64_t n = 1) {
    if (at < stripe_count)
      number.store(number.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    else
      number.fetch_add(n, std::memory_order_relaxed);
  }
  static constexpr std::size_t unknown = ~std::size_t{0};
  static inline constinit thread_local std::size_t my_stripe_ = unknown;
  struct Taken;
  static std::size_t take_stripe();
  static std::size_t my_stripe() {
    if (my_stripe_ == unknown) [[unlikely]]
      my_stripe_ = take_stripe();
    return my_stripe_;
  }
  template <class Pick>
  std::uint64_t sum(const Pick& pick) const {
    std::uint64_t total = 0;
    for (const Stripe& stripe : stripes_) total += pick(stripe).load(std::memory_order_relaxed);
    return total;
  }
  std::vector<Stripe> stripes_ = std::vector<Stripe>(stripe_count + 1);
};

}  // namespace cairn::gate
