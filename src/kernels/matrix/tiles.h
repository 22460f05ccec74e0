// SPDX-License-Identifier: Apache-2.0
// What a product on tiles asks of a processor, or of what stands for one: eight tiles of at most 16
// rows of 64 bytes. A type of tiles has these functions:
//   configure(rows)               tiles have so many rows from now on, and are zero
//   clear<tile>()                 zeros
//   load<tile>(from, stride)      its rows from memory, `stride` bytes apart
//   load_rarely<tile>(…)          the same, of what is needed again only when other memory was
//   add<kind, sums, rows, weights>()   sums += rows * weights
//   store<tile>(to, stride)       its rows to memory
//   release()                     the thread has no tiles any more
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::kernels {

inline constexpr std::size_t tile_count = 8;
inline constexpr std::size_t most_tile_rows = 16;
inline constexpr std::size_t tile_row_bytes = 64;

/// Rows of each tile, 1 to 16.
struct TileRows {
  std::uint8_t of[tile_count] = {};
};

}  // namespace cairn::kernels
