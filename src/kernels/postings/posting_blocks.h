// SPDX-License-Identifier: Apache-2.0
// Blocks of 128 postings: documents out of differences, BM25, and the ones that are good enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::kernels {

inline constexpr std::size_t posting_block = 128;

/// One version of the arithmetic on blocks. Pointers need no alignment. Every version returns the
/// same bits: products are rounded before they are added.
struct PostingKernels {
  std::string_view name;  // "scalar", "avx2", "avx512"

  /// Of 128 differences minus one, makes numbers: values[i] = before + the sum of (values[0..i] +
  /// 1), modulo 2^32. Returns the greatest of them.
  std::uint32_t (*add_up)(std::uint32_t* values, std::uint32_t before);
  /// How many of 128 ascending numbers are less than `number`.
  std::uint32_t (*count_below)(const std::uint32_t* values, std::uint32_t number);
  /// The greatest of `count` floats of at least 0, wherever their bytes lie; 0 where there are
  /// none.
  float (*greatest)(const char* values, std::size_t count);
  /// scores[i] = weight - weight / (1 + freqs[i] * inverse[norms[docs[i]]]) for the first `count`
  /// of a block. `norms` has a byte for each of these documents, `inverse` 256 numbers.
  void (*bm25)(const std::uint32_t* docs, const std::uint32_t* freqs, std::size_t count,
               const std::uint8_t* norms, const float* inverse, float weight, float* scores);
  /// The documents in [low, high) whose score is greater than `need`, among the first `count` of a
  /// block, in their order: how many. Both outputs have room for 128 + 16.
  std::size_t (*select)(const std::uint32_t* docs, const float* scores, std::size_t count,
                        std::uint32_t low, std::uint32_t high, float need, std::uint32_t* out_docs,
                        float* out_scores);
  /// The first of `count` ascending numbers that are not greater than `last`: how many. Those whose
  /// sum is greater than `need` are written: `kept` of them. Both outputs have room for 128 + 8.
  std::size_t (*keep_run)(const std::uint32_t* numbers, const double* sums, std::size_t count,
                          std::uint32_t last, double need, std::uint32_t* out_numbers,
                          double* out_sums, std::size_t& kept);
  /// Which of `count` ascending numbers stand in a block of ascending ones, in their order: how
  /// many. which[i] is the place of one among the numbers, places[i] that in the block. Both
  /// outputs have room for count + 1.
  std::size_t (*find_each)(const std::uint32_t* values, const std::uint32_t* numbers,
                           std::size_t count, std::uint8_t* which, std::uint8_t* places);
  /// Of 64 * words bytes, bit i is whether byte i is not 0. Clears the bytes.
  void (*take_marks)(std::uint8_t* marks, std::size_t words, std::uint64_t* bits);
};

/// The version in use, chosen at the first call.
const PostingKernels& posting_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const PostingKernels*>& usable_posting_kernels();

}  // namespace cairn::kernels
