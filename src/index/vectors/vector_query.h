// SPDX-License-Identifier: Apache-2.0
// A query made ready for vector indices, and the rows that were found to be nearest so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "index/vectors/vector_layout.h"
#include "kernels/codes/codes.h"

namespace cairn::index {

/// One query vector, rotated and coded, for all segments. Immutable; safe from any thread.
class VectorQuery {
 public:
  /// `vector` is as rows are compared: of unit length where VectorRules::unit says so.
  VectorQuery(Nearness nearness, std::span<const float> vector);

  Nearness nearness() const { return nearness_; }
  std::size_t dims() const { return dims_; }
  const float* rotated() const { return rotated_.data(); }
  /// The squared distance to a rotated vector, or their product with its sign turned.
  float distance(const float* rotated) const;
  /// The length of what codes are multiplied with, where the centroid is at this distance.
  float length(float centroid_distance) const;
  /// For blocks of a list: estimates less `slack` deviations of them.
  kernels::SignQuery signs(float centroid_distance, float slack) const;
  /// The estimate of a row by its fine code, and its usual error.
  struct Estimate {
    float distance = 0;
    float error = 0;
  };
  Estimate estimate(float centroid_distance, const std::uint8_t* fine) const;
  /// The same by its coarse code about a middle that is at this distance.
  Estimate estimate_coarse(float center_distance, const std::uint8_t* coarse) const;

 private:
  Nearness nearness_;
  std::size_t dims_;
  std::vector<float> rotated_;
  std::vector<std::uint8_t> table_;
  std::vector<std::int8_t> numbers_;  // rotated_ in bytes
  float table_step_ = 1, table_offset_ = 0;
  float number_scale_ = 1, number_offset_ = 0, number_sum_ = 0;
  float length_ = 0;
};

/// The nearest rows of all segments, by their estimates.
class NearestRows {
 public:
  struct Row {
    float distance = 0;
    float error = 0;  // usual
    std::uint32_t segment = 0;
    std::uint32_t row = 0;
    std::uint32_t doc = 0;
  };
  /// Keeps `count` rows at most, and of those no more than may be among the `wanted` nearest.
  NearestRows(std::size_t count, std::size_t wanted)
      : count_(std::max<std::size_t>(count, 1)),
        wanted_(std::clamp<std::size_t>(wanted, 1, count_)) {}

  bool full() const { return rows_.size() >= count_; }
  /// What a row must not be above to be kept.
  float limit() const { return limit_; }
  /// The estimate of the last of the wanted rows; infinity where there are not so many yet.
  float wanted_limit() const {
    return least_.size() >= wanted_ ? least_.front() : std::numeric_limits<float>::infinity();
  }
  bool has_wanted() const { return least_.size() >= wanted_; }
  void add(const Row& row) {
    if (full()) {
      if (!nearer(row, rows_.front())) return;
      std::pop_heap(rows_.begin(), rows_.end(), nearer);
      rows_.pop_back();
    }
    rows_.push_back(row);
    std::push_heap(rows_.begin(), rows_.end(), nearer);
    if (!has_wanted() || row.distance < least_.front()) {
      if (has_wanted()) {
        std::pop_heap(least_.begin(), least_.end());
        least_.pop_back();
      }
      least_.push_back(row.distance);
      std::push_heap(least_.begin(), least_.end());
      error_ = row.error;
    }
    if (full()) limit_ = rows_.front().distance;
    if (has_wanted()) limit_ = std::min(limit_, least_.front() + kept_errors * error_);
  }
  /// Notes that so many rows were compared by their codes.
  void count_compared(std::uint64_t rows) { compared_ += rows; }
  std::uint64_t compared() const { return compared_; }
  /// Nearest first; rows of one distance in their order.
  std::vector<Row> sorted() const {
    std::vector<Row> out = rows_;
    std::sort(out.begin(), out.end(), nearer);
    return out;
  }

 private:
  // Rows whose estimates are so many usual errors behind the last wanted one are not kept.
  static constexpr float kept_errors = 4;
  static bool nearer(const Row& a, const Row& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.segment != b.segment ? a.segment < b.segment : a.row < b.row;
  }
  std::size_t count_;
  std::size_t wanted_;
  std::vector<Row> rows_;     // a heap, the farthest on top
  std::vector<float> least_;  // the wanted estimates, the greatest on top
  float error_ = 0;
  std::uint64_t compared_ = 0;
  float limit_ = std::numeric_limits<float>::infinity();
};

}  // namespace cairn::index
