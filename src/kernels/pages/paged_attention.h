// SPDX-License-Identifier: Apache-2.0
// Attention of decoders over keys and values that lie in pages.
//
// A page holds one head's keys and values of 32 tokens. Keys lie across: for each number of a head,
// those of the 32 tokens, so that a vector takes the scores of many tokens at once. Values lie
// token by token.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/bf16.h"

namespace cairn::kernels {

/// Tokens of a page.
inline constexpr std::size_t page_tokens = 32;

/// Numbers from one token's values to the next in a page: the head's size, filled up to whole
/// vectors.
inline constexpr std::size_t page_stride(std::size_t head_size) {
  return (head_size + 15) / 16 * 16;
}
/// Numbers of one head's keys (or values) in a page; keys lie first, values behind them.
inline constexpr std::size_t page_keys(std::size_t head_size) { return head_size * page_tokens; }
inline constexpr std::size_t page_numbers(std::size_t head_size) {
  return page_keys(head_size) + page_stride(head_size) * page_tokens;
}

/// Tokens that follow each other in one sequence ask the keys and values of one head; `group` heads
/// of queries share it. Query i of token t is at queries + t * stride + i * head_size; the result
/// at the same place of `out`.
template <class Number>
struct PagedQueries {
  const float* queries = nullptr;
  std::size_t query_stride = 0;
  float* out = nullptr;
  std::size_t out_stride = 0;
  std::size_t tokens = 0;
  std::size_t group = 1;
  std::size_t head_size = 0;
  std::size_t first_position = 0;        // of the first of the tokens: it sees that many before it
  const Number* const* pages = nullptr;  // in order, up to the last token's
  float scale = 1;                       // of scores
};

/// One version. out = softmax(scale * query . keys) . values over the token's own and all earlier
/// positions, page by page in order. [Milakov and Gimelshein 2018; Kwon et al. 2023]
/// A query's result depends, bit for bit, on that query and on what it sees alone.
struct PageKernels {
  std::string_view name;  // "scalar", "avx2", "avx512"
  void (*attend_f32)(const PagedQueries<float>& queries);
  void (*attend_bf16)(const PagedQueries<Bf16>& queries);
};

/// The version in use, chosen at the first call; CAIRN_ISA forces a lower one (os/cpu.h).
const PageKernels& page_kernels();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const PageKernels*>& usable_page_kernels();

/// Writes the keys and values of one token, head_size numbers each, to place `token` of a page.
template <class Number>
void put_in_page(const float* key, const float* value, std::size_t head_size, std::size_t token,
                 Number* page);
extern template void put_in_page(const float*, const float*, std::size_t, std::size_t, float*);
extern template void put_in_page(const float*, const float*, std::size_t, std::size_t, Bf16*);

}  // namespace cairn::kernels
