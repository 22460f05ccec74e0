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

/// Each thread adds to one of several stripes; a stripe's hot numbers share few cache lines.
class MemoryCounts {
 public:
  static constexpr std::size_t resources_max = 32;
  static constexpr std::size_t refusals = 10;

  void decided(const Decision& decision, Surface surface, std::uint16_t resource, bool held) {
    Stripe& stripe = mine();
    const auto s = static_cast<std::size_t>(surface);
    const std::size_t r = resource < resources_max ? resource : 0;
    if (!decision.admitted()) [[unlikely]] {
      add(stripe.refused[s][r]);
      add(stripe.refused_for[s][static_cast<std::size_t>(decision.refusal)]);
      return;
    }
    if (decision.shadowed) [[unlikely]]
      add(stripe.shadowed[s][r]);
    else
      add(stripe.admitted[s][r]);
    if (held) add(stripe.begun[s]);
    const auto& window = decision.window;
    if (window && std::uint64_t{window->used} * 5 >= std::uint64_t{window->limit} * 4) [[unlikely]]
      add(stripe.near_limit);
  }
  void ended(Surface surface, std::int64_t cpu_ns) {
    Stripe& stripe = mine();
    add(stripe.ended[static_cast<std::size_t>(surface)]);
    if (cpu_ns > 0)
      stripe.cpu_ns[static_cast<std::size_t>(surface)].fetch_add(static_cast<std::uint64_t>(cpu_ns),
                                                                 std::memory_order_relaxed);
  }
  void released_twice() { add(stripes_[0].released_twice); }

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
    // in the order of use: one line for one surface, more or less
    std::array<Number, surface_count> begun{}, ended{}, cpu_ns{};
    Number near_limit{0}, released_twice{0};
    std::array<std::array<Number, resources_max>, surface_count> admitted{}, refused{}, shadowed{};
    std::array<std::array<Number, refusals>, surface_count> refused_for{};
  };
  static constexpr std::size_t stripe_count = 16;

  static void add(Number& number) { number.fetch_add(1, std::memory_order_relaxed); }
  static std::size_t my_stripe() {
    static std::atomic<std::size_t> next{0};
    static thread_local const std::size_t mine = next.fetch_add(1) % stripe_count;
    return mine;
  }
  Stripe& mine() { return stripes_[my_stripe()]; }
  template <class Pick>
  std::uint64_t sum(const Pick& pick) const {
    std::uint64_t total = 0;
    for (const Stripe& stripe : stripes_) total += pick(stripe).load(std::memory_order_relaxed);
    return total;
  }
  std::array<Stripe, stripe_count> stripes_{};
};

}  // namespace cairn::ratelimit
