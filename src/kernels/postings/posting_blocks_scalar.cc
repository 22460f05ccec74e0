// SPDX-License-Identifier: Apache-2.0
// Blocks of postings in plain C++: the oracle of the other versions.
#include <algorithm>
#include <cstring>

#include "kernels/postings/posting_blocks_versions.h"

namespace cairn::kernels {
namespace {

std::uint32_t add_up(std::uint32_t* values, std::uint32_t before) {
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < posting_block; ++i) {
    before += values[i] + 1;
    values[i] = before;
    most = std::max(most, before);
  }
  return most;
}

std::uint32_t count_below(const std::uint32_t* values, std::uint32_t number) {
  return static_cast<std::uint32_t>(std::lower_bound(values, values + posting_block, number) -
                                    values);
}

float greatest(const char* values, std::size_t count) {
  float most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, values + i * sizeof value, sizeof value);
    most = std::max(most, value);
  }
  return most;
}

void bm25(const std::uint32_t* docs, const std::uint32_t* freqs, std::size_t count,
          const std::uint8_t* norms, const float* inverse, float weight, float* scores) {
  for (std::size_t i = 0; i < count; ++i)
    scores[i] = weight - weight / (1.0f + static_cast<float>(freqs[i]) * inverse[norms[docs[i]]]);
}

std::size_t select(const std::uint32_t* docs, const float* scores, std::size_t count,
                   std::uint32_t low, std::uint32_t high, float need, std::uint32_t* out_docs,
                   float* out_scores) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out_docs[n] = docs[i];
    out_scores[n] = scores[i];
    n += docs[i] >= low && docs[i] < high && scores[i] > need ? 1 : 0;
  }
  return n;
}

std::size_t keep_run(const std::uint32_t* numbers, const double* sums, std::size_t count,
                     std::uint32_t last, double need, std::uint32_t* out_numbers, double* out_sums,
                     std::size_t& kept) {
  kept = 0;
  std::size_t i = 0;
  for (; i < count && numbers[i] <= last; ++i) {
    out_numbers[kept] = numbers[i];
    out_sums[kept] = sums[i];
    kept += sums[i] > need ? 1 : 0;
  }
  return i;
}

std::size_t find_each(const std::uint32_t* values, const std::uint32_t* numbers, std::size_t count,
                      std::uint8_t* which, std::uint8_t* places) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t place = count_below(values, numbers[i]);
    if (place == posting_block || values[place] != numbers[i]) continue;
    which[n] = static_cast<std::uint8_t>(i);
    places[n++] = static_cast<std::uint8_t>(place);
  }
  return n;
}

void take_marks(std::uint8_t* marks, std::size_t words, std::uint64_t* bits) {
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      word |= std::uint64_t{marks[64 * w + i] != 0} << i;
      marks[64 * w + i] = 0;
    }
    bits[w] = word;
  }
}

}  // namespace

const PostingKernels& scalar_posting_kernels() {
  static constexpr PostingKernels kernels{.name = "scalar",
                                          .add_up = add_up,
                                          .count_below = count_below,
                                          .greatest = greatest,
                                          .bm25 = bm25,
                                          .select = select,
                                          .keep_run = keep_run,
                                          .find_each = find_each,
                                          .take_marks = take_marks};
  return kernels;
}

}  // namespace cairn::kernels
