// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations/exact_sum.h"

#include <cmath>

namespace cairn::index {

void ExactSum::set_part(std::size_t i, double number) {
  if (i < at_hand) {
    parts_[i] = number;
    return;
  }
  if (more_ == nullptr) more_ = std::make_unique<std::vector<double>>();
  if (more_->size() <= i - at_hand) more_->resize(i - at_hand + 1);
  (*more_)[i - at_hand] = number;
}

void ExactSum::add(double number) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_ && std::isfinite(number); ++i) {
    const double own = part(i);
    const double sum = number + own;
    const double back = sum - number;
    const double lost = (number - (sum - back)) + (own - back);
    if (lost != 0) set_part(kept++, lost);
    number = sum;
  }
  if (!std::isfinite(number)) {
    endless_ += number;
    count_ = 0;
    return;
  }
  if (number != 0) set_part(kept++, number);
  count_ = kept;
}

void ExactSum::add(const ExactSum& other) {
  for (std::size_t i = 0; i < other.count_; ++i) add(other.part(i));
  endless_ += other.endless_;
}

double ExactSum::value() const {
  if (endless_ != 0) return endless_;  // no number is not 0 either
  if (count_ == 0) return 0;
  std::size_t left = count_ - 1;
  double sum = part(left), lost = 0;
  while (left > 0 && lost == 0) {
    const double next = part(--left);
    const double before = sum;
    sum = before + next;
    lost = next - (sum - before);
  }
  // Halfway between two numbers, what is left decides.
  if (left > 0 && ((lost < 0 && part(left - 1) < 0) || (lost > 0 && part(left - 1) > 0))) {
    const double twice = lost * 2;
    const double other = sum + twice;
    if (twice == other - sum) sum = other;
  }
  return sum;
}

}  // namespace cairn::index
