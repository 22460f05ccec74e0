// SPDX-License-Identifier: Apache-2.0
// Random numbers and functions that give the same bits on every machine, unlike those of libm,
// whose last digit depends on the processor.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace cairn::mini {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t number() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27U) * 0x94d049bb133111ebU;
    return z ^ z >> 31U;
  }
  /// Uniform over [0, bound), for bounds up to 2^32.
  std::uint64_t below(std::uint64_t bound) { return (number() >> 32U) * bound >> 32U; }
  double unit() { return static_cast<double>(number() >> 11U) * 0x1p-53; }  // [0, 1)
  /// About normal: the sum of twelve uniform numbers, which needs no libm.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

template <class Element>
void shuffle(std::vector<Element>& elements, Random& random) {
  for (std::size_t i = elements.size(); i > 1; --i) {
    std::swap(elements[i - 1], elements[random.below(i)]);
  }
}

/// e^x to about 1e-13, by halving the argument into the range of a short series.
inline double exp_of(double x) {
  if (x < -700) return 0;
  if (x > 700) x = 700;
  const double scaled = std::nearbyint(x * 1.4426950408889634);
  const double rest = x - scaled * 0.6931471805599453;
  double sum = 1;
  for (int n = 14; n > 0; --n) sum = 1 + rest / n * sum;
  return std::ldexp(sum, static_cast<int>(scaled));
}

/// Natural logarithm of a positive number, by the series of the inverse hyperbolic tangent.
inline double log_of(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.7071067811865476) {
    mantissa *= 2;
    --exponent;
  }
  const double t = (mantissa - 1) / (mantissa + 1);
  double sum = 0;
  for (int n = 19; n > 0; n -= 2) sum = 1.0 / n + t * t * sum;
  return 2 * t * sum + exponent * 0.6931471805599453;
}

/// x^y for positive x.
inline double power_of(double x, double y) { return exp_of(y * log_of(x)); }

}  // namespace cairn::mini
