// SPDX-License-Identifier: Apache-2.0
// What the writer and the reader of a vector index share. docs/internals/formats.md describes the
// bytes, vectors.md what they are for.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "index/vectors/rotation.h"
#include "index/vectors/row_codes.h"

namespace cairn::index {

/// How the rows of a field are compared, as far as an index of them must know.
struct VectorRules {
  Nearness nearness = Nearness::distance;
  bool bytes = false;     // elements are 8-bit
  bool unit = false;      // compared at unit length: bytes by cosine
  bool is_exact = false;  // the field wants no index: every row is compared
};

/// Fewer rows are compared one by one.
inline constexpr std::uint32_t indexed_rows_min = 1024;
/// Rows that a list has on average, and at most.
inline constexpr std::uint32_t list_rows_mean = 128;
inline constexpr std::uint32_t list_rows_max = 512;

/// The share of rows by how much nearer they are to a query than their list's centroid says, in
/// steps of a quarter of what is usual at random.
inline constexpr std::size_t tail_steps = 64;
inline constexpr float tail_steps_of_one = 4;

struct VectorIndexHeader {
  std::uint32_t version = 1;
  std::uint32_t nearness = 0;
  std::uint32_t rows = 0;
  std::uint32_t dims = 0;
  std::uint32_t lists = 0;
  std::uint32_t blocks = 0;  // of 32 rows
  std::uint32_t has_docs = 0;
  std::uint32_t reserved[9] = {};
};
static_assert(sizeof(VectorIndexHeader) == 64);

/// Bytes of a block of sign codes with its factors.
inline constexpr std::size_t sign_block_bytes(std::size_t padded) { return padded * 4 + 256; }
/// Bytes of a row of fine codes with its factors.
inline constexpr std::size_t fine_row_bytes(std::size_t padded) { return padded / 2 + 8; }

/// Bytes of a row of coarse codes, two bits a dimension about the middle of all rows, with factors.
inline constexpr std::size_t coarse_row_bytes(std::size_t padded) { return padded / 4 + 8; }

/// By how much nearer a row may be than its list's centroid says before it counts as below
/// `distance`, in what is usual at random: see vectors.md. `centroid` is the query's distance (or
/// turned product) to the centroid, `length` that of what the codes are multiplied with.
inline float surprise(Nearness nearness, float centroid, float radius, float length, float distance,
                      std::size_t padded) {
  const float usual = length * radius / std::sqrt(static_cast<float>(padded));
  if (nearness == Nearness::product) return usual > 0 ? (centroid - distance) / usual : HUGE_VALF;
  const float ahead = centroid + radius * radius - distance;
  return usual > 0 ? ahead / (2 * usual) : (ahead < 0 ? -HUGE_VALF : HUGE_VALF);
}

}  // namespace cairn::index
