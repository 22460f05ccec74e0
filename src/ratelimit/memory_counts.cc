// SPDX-License-Identifier: Apache-2.0
// The stripes added up, as metrics.
#include "ratelimit/memory_counts.h"

#include <bit>
#include <string>

namespace cairn::ratelimit {
namespace {

std::string surface_name(std::size_t surface) {
  return std::string(name_of(static_cast<Surface>(surface)));
}

// A bit for each stripe with an owner.
std::atomic<std::uint64_t> taken{0};

}  // namespace

// Gives the stripe back when the thread ends; what it counts after that is everybody's.
struct MemoryCounts::Taken {
  std::size_t stripe;
  ~Taken() {
    my_stripe_ = stripe_count;
    taken.fetch_and(~(std::uint64_t{1} << stripe), std::memory_order_release);
  }
};

std::size_t MemoryCounts::take_stripe() {
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

std::vector<os::Metrics::Sample> MemoryCounts::decisions(
    const std::vector<std::string>& names) const {
  std::vector<os::Metrics::Sample> out;
  const auto put = [&](std::size_t surface, std::size_t resource, const char* result,
                       std::uint64_t count) {
    if (count == 0) return;
    out.push_back({{{"surface", surface_name(surface)},
                    {"resource", resource < names.size() ? names[resource] : "other"},
                    {"result", result}},
                   static_cast<double>(count)});
  };
  for (std::size_t s = 0; s < surface_count; ++s) {
    for (std::size_t r = 0; r < resources_max; ++r) {
      put(s, r, "admitted", sum([&](const Stripe& x) -> auto& { return x.admitted[s][r]; }));
      put(s, r, "refused", sum([&](const Stripe& x) -> auto& { return x.refused[s][r]; }));
      put(s, r, "shadowed", sum([&](const Stripe& x) -> auto& { return x.shadowed[s][r]; }));
    }
  }
  return out;
}

std::vector<os::Metrics::Sample> MemoryCounts::refused() const {
  std::vector<os::Metrics::Sample> out;
  for (std::size_t s = 0; s < surface_count; ++s) {
    for (std::size_t kind = 1; kind < refusals; ++kind) {
      const auto count = sum([&](const Stripe& x) -> auto& { return x.refused_for[s][kind]; });
      if (count == 0) continue;
      out.push_back({{{"surface", surface_name(s)},
                      {"kind", std::string(name_of(static_cast<Refusal>(kind)))}},
                     static_cast<double>(count)});
    }
  }
  return out;
}

std::vector<os::Metrics::Sample> MemoryCounts::under_way() const {
  std::vector<os::Metrics::Sample> out;
  for (std::size_t s = 0; s < surface_count; ++s) {
    // Ends first: a request that ends in between must not make the difference negative.
    const auto ended = sum([&](const Stripe& x) -> auto& { return x.ended[s]; });
    std::uint64_t begun = 0;
    for (std::size_t r = 0; r < resources_max; ++r)
      begun += sum([&](const Stripe& x) -> auto& { return x.admitted[s][r]; }) +
               sum([&](const Stripe& x) -> auto& { return x.shadowed[s][r]; });
    out.push_back(
        {{{"surface", surface_name(s)}}, static_cast<double>(begun > ended ? begun - ended : 0)});
  }
  return out;
}

std::vector<os::Metrics::Sample> MemoryCounts::cpu_seconds() const {
  std::vector<os::Metrics::Sample> out;
  for (std::size_t s = 0; s < surface_count; ++s) {
    const auto ns = sum([&](const Stripe& x) -> auto& { return x.cpu_ns[s]; });
    out.push_back({{{"surface", surface_name(s)}}, static_cast<double>(ns) / 1e9});
  }
  return out;
}

std::uint64_t MemoryCounts::near_limit() const {
  return sum([](const Stripe& x) -> auto& { return x.near_limit; });
}
std::uint64_t MemoryCounts::double_releases() const {
  return sum([](const Stripe& x) -> auto& { return x.released_twice; });
}

}  // namespace cairn::ratelimit
