// SPDX-License-Identifier: Apache-2.0
// What the limiter did, counted without making threads wait for each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "os/metrics.h"
#include "ratelimit/limiter.h"

namespace cairn::ratelimit {

/// Threads have stripes of their own as long as there are enough; the last stripe is everybody's.
class MemoryCounts {
 public:
  static constexpr std::size_t resources_max = 32;
  static constexpr std::size_t refusals = 10;

  void decided(const Decision& decision, Surface surface, std::uint16_t resource) {
    const std::size_t at = my_stripe();
    Stripe& stripe = stripes_[at];
    const auto s = static_cast<std::size_t>(surface);
    const std::size_t r = resource < resources_max ? resource : 0;
    if (!decision.admitted()) [[unlikely]] {
      add(at, stripe.refused[s][r]);
      add(at, stripe.refused_for[s][static_cast<std::size_t>(decision.refusal)]);
      return;
    }
    add(at, decision.shadowed ? stripe.shadowed[s][r] : stripe.admitted[s][r]);
    const auto& window = decision.window;
    if (window && std::uint64_t{window->used} * 5 >= std::uint64_t{window->limit} * 4) [[unlikely]]
      add(at, stripe.near_limit);
  }
  void ended(Surface surface, std::int64_t cpu_ns) {
    const std::size_t at = my_stripe();
    Stripe& stripe = stripes_[at];
    add(at, stripe.ended[static_cast<std::size_t>(surface)]);
    if (cpu_ns > 0)
      add(at, stripe.cpu_ns[static_cast<std::size_t>(surface)], static_cast<std::uint64_t>(cpu_ns));
  }
  void released_twice() { add(stripe_count, stripes_[stripe_count].released_twice); }

  // For the metrics; `names` are the resources'.
  std::vector<os::Metrics::Sample> decisions(const std::vector<std::string>& names) const;
  std::vector<os::Metrics::Sample> refused() const;
  std::vector<os::Metrics::Sample> under_way() const;
  std::vector<os::Metrics::Sample> cpu_seconds() const;
  std::uint64_t near_limit() const;
  std::uint64_t double_releases() const;

 private:
  using Number = std::atomic<std::uint64_t>;
  struct alignas(64) Stripe {
    std::array<Number, surface_count> ended{}, cpu_ns{};
    std::array<std::array<Number, resources_max>, surface_count> admitted{}, refused{}, shadowed{};
    std::array<std::array<Number, refusals>, surface_count> refused_for{};
    Number near_limit{0}, released_twice{0};
  };
  static constexpr std::size_t stripe_count = 64;  // with an owner; one more without

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

}  // namespace cairn::ratelimit
