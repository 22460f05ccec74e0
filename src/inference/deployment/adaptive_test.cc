// SPDX-License-Identifier: Apache-2.0
#include "inference/deployment/adaptive.h"

#include <doctest/doctest.h>

namespace cairn::inference::adaptive_test {
namespace {

AdaptiveAllocations between(std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
  return {.enabled = true, .min_number_of_allocations = least, .max_number_of_allocations = most};
}

/// Feeds a steady load and lets the scaler decide after each interval.
std::int64_t settle(AdaptiveScaler& scaler, std::int64_t now, double per_second, double mean,
                    int intervals, const AdaptiveAllocations& bounds = between(1, {})) {
  for (int i = 0; i < intervals; ++i) {
    scaler.add({.seconds = 10,
                .inputs = static_cast<std::uint64_t>(per_second * 10),
                .mean_seconds = mean});
    const std::int64_t next = scaler.needed(now, bounds, 32);
    if (next != now) scaler.scaled();
    now = next;
  }
  return now;
}

TEST_CASE("load filter: settles on a value that stays, whatever the noise") {
  LoadFilter filter(100, true);
  CHECK_FALSE(filter.has_value());
  for (int i = 0; i < 500; ++i) filter.add(i % 2 == 0 ? 9 : 11, 4, false);
  CHECK(filter.estimate() == doctest::Approx(10).epsilon(0.05));
  CHECK(filter.lower() < filter.estimate());
  CHECK(filter.upper() > filter.estimate());
}

TEST_CASE("load filter: follows a jump at once where it looks for one") {
  LoadFilter detects(100, true);
  LoadFilter lags(100, false);
  for (int i = 0; i < 50; ++i) detects.add(1, 0.01, false), lags.add(1, 0.01, false);
  detects.add(100, 0.01, false);
  lags.add(100, 0.01, false);
  CHECK(detects.estimate() > 90);
  CHECK(lags.estimate() < 50);
}

TEST_CASE("load filter: a value of nothing with no variance stays nothing") {
  LoadFilter filter(100, true);
  for (int i = 0; i < 5; ++i) filter.add(0, 0, true);
  CHECK(filter.estimate() == 0);
}

TEST_CASE("scaler: as many allocations as the load keeps busy") {
  AdaptiveScaler scaler;
  CHECK(settle(scaler, 1, 25, 0.1, 10) == 3);    // 2.5 allocations' worth of work
  CHECK(settle(scaler, 3, 100, 0.1, 20) == 11);  // 10, of which the lower estimate counts
}

TEST_CASE("scaler: gives allocations back when the load goes") {
  AdaptiveScaler scaler;
  const std::int64_t high = settle(scaler, 1, 100, 0.1, 10);
  CHECK(high >= 11);
  CHECK(settle(scaler, high, 1, 0.1, 200) == 1);
}

TEST_CASE("scaler: keeps within its bounds, and 32 where there is no maximum") {
  AdaptiveScaler scaler;
  CHECK(settle(scaler, 1, 1000, 1, 5, between(1, 4)) == 4);
  CHECK(settle(scaler, 1, 1000, 1, 5) == 32);
  AdaptiveScaler idle;
  CHECK(settle(idle, 5, 0, 0, 50, between(2, 8)) == 2);
}

TEST_CASE("scaler: nothing known changes nothing, but for the bounds") {
  const AdaptiveScaler scaler;
  CHECK(scaler.needed(3, between({}, {}), 32) == 3);
  CHECK(scaler.needed(0, between(2, {}), 32) == 2);
  CHECK(scaler.needed(9, between({}, 4), 32) == 4);
}

TEST_CASE("scaler: zero allocations stay zero without load and become one with it") {
  AdaptiveScaler scaler;
  scaler.add({.seconds = 10});
  CHECK(scaler.needed(0, between(0, {}), 32) == 0);
  for (int i = 0; i < 3; ++i) scaler.add({.seconds = 10, .inputs = 50, .mean_seconds = 0.01});
  CHECK(scaler.needed(0, between(0, {}), 32) == 1);
}

TEST_CASE("scaler: an interval of no length is passed over") {
  AdaptiveScaler scaler;
  scaler.add({.seconds = 0, .inputs = 1000, .mean_seconds = 10});
  CHECK(scaler.needed(1, between(0, {}), 32) == 1);
}

}  // namespace
}  // namespace cairn::inference::adaptive_test
