// SPDX-License-Identifier: Apache-2.0
// A counter for what happens so often that threads would wait for each other's cache line.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cairn::os {

/// Each thread adds to one of a few lines of its own, which a few threads share. The value is as
/// old as its last addition. Safe from any thread.
class StripedCounter {
 public:
  void add(std::uint64_t n = 1) {
    stripes_[my_stripe()].value.fetch_add(n, std::memory_order_relaxed);
  }
  std::uint64_t value() const {
    std::uint64_t total = 0;
    for (const Stripe& stripe : stripes_) total += stripe.value.load(std::memory_order_relaxed);
    return total;
  }

 private:
  static constexpr std::size_t stripe_count = 16;
  struct alignas(64) Stripe {
    std::atomic<std::uint64_t> value{0};
  };
  static std::size_t my_stripe() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1) % stripe_count;
    return mine;
  }
  std::array<Stripe, stripe_count> stripes_{};
};

}  // namespace cairn::os
