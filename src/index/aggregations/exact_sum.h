// SPDX-License-Identifier: Apache-2.0
// A sum of doubles that does not depend on the order in which they come.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace cairn::index {

/// Exact until it is asked for, and then rounded once: as numbers that do not overlap (Shewchuk:
/// Adaptive Precision Floating-Point Arithmetic, 1997), of which there are hardly ever more than
/// three. One thread.
class ExactSum {
 public:
  void add(double number);
  void add(const ExactSum& other);
  double value() const;

 private:
  static constexpr std::size_t at_hand = 3;
  double part(std::size_t i) const { return i < at_hand ? parts_[i] : (*more_)[i - at_hand]; }
  void set_part(std::size_t i, double number);

  std::array<double, at_hand> parts_ = {};  // the least first
  std::unique_ptr<std::vector<double>> more_;
  std::size_t count_ = 0;
  double endless_ = 0;  // of what has no end or is no number, and of what grew beyond all numbers
};

}  // namespace cairn::index
