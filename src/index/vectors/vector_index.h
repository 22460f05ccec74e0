// SPDX-License-Identifier: Apache-2.0
// Reading the vector index of one field of one segment: what lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/vectors/vector_layout.h"

namespace cairn::index {

/// Views into the bytes of a segment, checked once. Immutable; safe from any thread.
class VectorIndex {
 public:
  /// `doc_count`: documents of the segment. `fine_length`: of the section of fine codes. The bytes
  /// must outlive the result. Errors: corrupt, naming `name`.
  static Result<VectorIndex> open(std::string_view bytes, std::uint32_t doc_count,
                                  std::uint64_t fine_length, std::string_view name);

  Nearness nearness() const { return static_cast<Nearness>(header_.nearness); }
  std::uint32_t rows() const { return header_.rows; }
  std::uint32_t dims() const { return header_.dims; }
  std::size_t padded() const { return padded_; }
  std::uint32_t lists() const { return header_.lists; }

  struct List {
    std::uint32_t rows = 0;
    std::uint32_t first_block = 0;
    std::uint64_t fine_offset = 0;  // in the section of fine codes
    std::uint32_t fine_check = 0;
  };
  const List& list(std::uint32_t i) const { return lists_[i]; }
  std::uint64_t fine_length(std::uint32_t i) const {
    return lists_[i].rows * fine_row_bytes(padded_);
  }
  float radius(std::uint32_t i) const { return radii_[i]; }
  float mean_radius() const { return mean_radius_; }
  const float* center() const { return center_; }
  std::span<const float> centroids() const { return {centroids_, lists_.size() * padded_}; }
  const float* centroid(std::uint32_t i) const { return centroids_ + i * padded_; }
  /// Blocks of the centroids' own signs, 32 lists each.
  const std::uint8_t* centroid_block(std::size_t i) const {
    return centroid_blocks_ + i * sign_block_bytes(padded_);
  }
  const std::uint8_t* block(std::size_t i) const { return blocks_ + i * sign_block_bytes(padded_); }
  /// A place is 32 times a block and a row of it. UINT32_MAX where no row stands.
  std::uint32_t row_at(std::size_t place) const { return row_of_[place]; }
  std::uint32_t place_of(std::uint32_t row) const { return place_of_[row]; }
  std::uint32_t list_of_block(std::size_t block) const { return list_of_block_[block]; }
  std::uint32_t doc_of(std::uint32_t row) const { return docs_ == nullptr ? row : docs_[row]; }
  /// The first row of a document or of a later one.
  std::uint32_t first_row_of(std::uint32_t doc) const;
  std::uint32_t row_check(std::uint32_t row) const { return row_checks_[row]; }
  /// The share of rows that are nearer than their centroid says by more than so much.
  float tail(float surprise) const {
    if (!(surprise > 0)) return 1;
    const float step = surprise * tail_steps_of_one;
    return step < static_cast<float>(tail_steps) ? tail_[static_cast<std::size_t>(step)] : 0.0f;
  }
  /// Where its sections of codes begin in the segment, as the segment has told it.
  void set_sections(std::uint64_t fine, std::optional<std::uint64_t> coarse) {
    fine_section_ = fine;
    coarse_section_ = coarse;
  }
  std::uint64_t fine_section() const { return fine_section_; }
  /// Of coarse codes; nothing where the segment has none.
  std::optional<std::uint64_t> coarse_section() const { return coarse_section_; }
  std::size_t memory_bytes() const {
    return lists_.size() * sizeof(List) + list_of_block_.size() * 4;
  }

 private:
  VectorIndexHeader header_;
  std::size_t padded_ = 0;
  std::vector<List> lists_;
  std::vector<std::uint32_t> list_of_block_;
  float mean_radius_ = 0;
  std::uint64_t fine_section_ = 0;
  std::optional<std::uint64_t> coarse_section_;
  const float* tail_ = nullptr;
  const float* radii_ = nullptr;
  const float* center_ = nullptr;
  const float* centroids_ = nullptr;
  const std::uint8_t* centroid_blocks_ = nullptr;
  const std::uint32_t* row_of_ = nullptr;
  const std::uint32_t* place_of_ = nullptr;
  const std::uint32_t* row_checks_ = nullptr;
  const std::uint32_t* docs_ = nullptr;  // null: each row's document is its own number
  const std::uint8_t* blocks_ = nullptr;
};

}  // namespace cairn::index
