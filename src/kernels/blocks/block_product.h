// SPDX-License-Identifier: Apache-2.0
// Products of rows of bytes times weights of few bits that have scales of their own in blocks of 16
// or 32, as the files of llama.cpp have them (ggml's quantised types). The weights are multiplied
// as they are: nothing is rounded again.
//
// The right-hand matrix lies in panels of 32 columns, a panel in groups of depth: the scales of its
// columns, then its numbers in steps as of matrix/product.h, 4 numbers of each column after the
// other. Types of 4 bits have two steps in the place of one, the first in the lower halves of
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/matrix/product.h"

namespace cairn::kernels {

/// Columns of a panel: few, so that six rows by all of them have their sums in registers.
inline constexpr std::size_t block_columns = 32;
/// Numbers of depth that stand together.
inline constexpr std::size_t block_part = 32;

/// The types, with the value of number q in a group with the half-precision scales d and m, and in
/// a block with the small scale s and the small offset o.
enum class BlockType {
  q8_0,  // d * q, q a signed byte
  q4_0,  // d * (q - 8), q of 4 bits
  q4_k,  // d * s * q - m * o, q of 4 bits
  q6_k,  // d * s * q, q of -32 to 31
};

/// Sizes of a type. A group of a panel has the halves d, and m where there are offsets; then, for
/// each 32 numbers of depth, the small scales of two blocks or the small scale and offset of one,
/// and the numbers. So products read memory from end to end.
struct BlockLayout {
  std::size_t block = 32;     // numbers of a block
  std::size_t parts = 1;      // of 32 numbers, of a group
  bool halves = false;        // numbers of 4 bits
  bool small_scales = false;  // each block has a scale of a byte
  bool offsets = false;       // and an offset of a byte
  bool centred = false;       // numbers count from -8
  /// Whether products need the sums of their rows: it is less work to take offsets out of those.
  constexpr bool takes_sums() const { return offsets || centred; }

  constexpr std::size_t depth() const { return parts * block_part; }  // of a group
  constexpr std::size_t header_bytes() const { return block_columns * 2 * (offsets ? 2 : 1); }
  constexpr std::size_t small_bytes() const { return small_scales ? block_columns * 2 : 0; }
  constexpr std::size_t part_bytes() const {
    return small_bytes() + block_columns * block_part / (halves ? 2 : 1);
  }
  constexpr std::size_t bytes() const { return header_bytes() + parts * part_bytes(); }
};

constexpr BlockLayout layout_of(BlockType type) {
  switch (type) {
    case BlockType::q8_0:
      return {};
    case BlockType::q4_0:
      return {.halves = true, .centred = true};
    case BlockType::q4_k:
      return {.parts = 8, .halves = true, .small_scales = true, .offsets = true};
    case BlockType::q6_k:
      return {.block = 16, .parts = 8, .small_scales = true};
  }
  return {};
}

/// The numbers of one group of one column.
struct BlockGroup {
  std::uint16_t scale = 0;        // d, an IEEE half
  std::uint16_t offset = 0;       // m
  std::int8_t scales[16] = {};    // s of each block
  std::uint8_t offsets[16] = {};  // o
  std::int8_t numbers[256] = {};  // q
};

/// Bytes of all panels; `depth` is a multiple of the type's.
std::size_t block_panels_bytes(BlockType type, std::size_t depth, std::size_t columns);

/// Writes group `group` of column `column`.
void pack_group(BlockType type, std::size_t depth, const BlockGroup& from, std::size_t column,
                std::size_t group, std::byte* panels);

/// The sum of each 32 bytes of a row, which offsets are multiplied by.
void sum_blocks(const std::uint8_t* row, std::size_t depth, std::int32_t* to);

/// One product: value = (sum of row number * weight - row_zero * column_sum) * row_scale.
struct BlockProduct {
  BlockType type = BlockType::q8_0;
  const std::uint8_t* rows = nullptr;  // up to BlockKernels::levels
  std::size_t row_stride = 0;
  std::size_t row_count = 0;
  const float* row_scale = nullptr;
  const std::int32_t* row_zero = nullptr;
  const std::int32_t* row_sums = nullptr;  // those of sum_blocks(); where a type takes_sums()
  std::size_t row_sums_stride = 0;
  const std::byte* panels = nullptr;
  std::size_t depth = 0;
  std::size_t columns = 0;            // any number; stored by 16, as those of Finish
  const float* column_sum = nullptr;  // of the column's weights
  float* out = nullptr;
  std::size_t out_stride = 0;
};

/// One version. A row's values depend on that row and the panels alone, bit for bit.
struct BlockKernels {
  std::string_view name;  // "scalar", "avx2", "avx512_vnni"
  void (*multiply)(const BlockProduct&);
  std::int32_t levels;  // greatest number of a row: 255, or 127 where sums of pairs saturate
};

/// The version in use, chosen at the first call; CAIRN_ISA forces a lower one (os/cpu.h).
const BlockKernels& block_kernels();
/// Whether that is more than the scalar one, which is far too slow for a model.
bool are_blocks_fast();
/// All versions that this processor runs, plainest (scalar) first. For tests and benchmarks.
const std::vector<const BlockKernels*>& usable_block_kernels();

}  // namespace cairn::kernels
