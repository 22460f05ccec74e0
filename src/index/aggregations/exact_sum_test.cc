// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/exact_sum.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace cairn::index::exact_sum_test {
namespace {

double sum_of(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.add(number);
  return sum.value();
}

TEST_CASE("exact sum: what rounding would lose is there") {
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({1e100, 1, -1e100}) == 1);
  CHECK(sum_of({0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}) == 1.0);
  CHECK(sum_of({1, 1e-16, -1}) == 1e-16);
  // Halfway between 2^53 and the next number: the least bit beyond decides.
  CHECK(sum_of({9007199254740992.0, 1}) == 9007199254740992.0);
  CHECK(sum_of({9007199254740992.0, 1, 1e-30}) == 9007199254740994.0);
  const double endless = std::numeric_limits<double>::infinity();
  CHECK(sum_of({1, endless, 2}) == endless);
  CHECK(std::isnan(sum_of({endless, -endless})));
}

// Numbers of very unlike sizes, added in many orders and in parts.
TEST_CASE("exact sum: no order and no parting changes it") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> numbers;
    for (int i = 0; i < 200; ++i) {
      const double sign = random() % 2 == 0 ? 1 : -1;
      const int size = static_cast<int>(random() % 200) - 100;
      numbers.push_back(std::ldexp(sign * static_cast<double>(random() >> 11), size));
    }
    const double whole = sum_of(numbers);
    for (int order = 0; order < 5; ++order) {
      std::shuffle(numbers.begin(), numbers.end(), random);
      CHECK(sum_of(numbers) == whole);
      ExactSum first, second;
      const std::size_t cut = random() % numbers.size();
      for (std::size_t i = 0; i < numbers.size(); ++i) (i < cut ? first : second).add(numbers[i]);
      first.add(second);
      CHECK(first.value() == whole);
    }
  }
}

}  // namespace
}  // namespace cairn::index::exact_sum_test
