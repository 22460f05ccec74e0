// SPDX-License-Identifier: Apache-2.0
// Tiles in plain C++, by the definition of the instructions of AMX: for tests, on any machine. [Intel
// 64 and IA-32 Architectures Software Developer's Manual, volume 2: LDTILECFG, TILELOADD, TDPBF16PS,
// TDPBUSD]
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/bf16.h"
#include "kernels/matrix/product.h"
#include "kernels/matrix/tiles.h"

namespace cairn::kernels {

/// Eight tiles and their state. What a processor refuses by an exception ends the process.
class PlainTiles {
 public:
  void configure(const TileRows& rows) {
    release();
    for (std::size_t tile = 0; tile < tile_count; ++tile) {
      expect(rows.of[tile] >= 1 && rows.of[tile] <= most_tile_rows, "rows of a tile");
      rows_[tile] = rows.of[tile];
    }
  }

  void clear_tile(std::size_t tile) {
    expect(rows_[tile] > 0, "a tile that is not configured");
    std::memset(tiles_[tile], 0, sizeof tiles_[tile]);
  }

  void load_tile(std::size_t tile, const std::byte* from, std::size_t stride) {
    clear_tile(tile);
    for (std::size_t r = 0; r < rows_[tile]; ++r) {
      std::memcpy(tiles_[tile][r], from + r * stride, tile_row_bytes);
    }
  }

  void store_tile(std::size_t tile, std::byte* to, std::size_t stride) const {
    expect(rows_[tile] > 0, "a tile that is not configured");
    for (std::size_t r = 0; r < rows_[tile]; ++r) {
      std::memcpy(to + r * stride, tiles_[tile][r], tile_row_bytes);
    }
  }

  /// Products of the first and of the second numbers of each pair have a sum of their own.
  void add_bfloat16(std::size_t sums, std::size_t rows, std::size_t weights) {
    expect_fit(sums, rows, weights);
    for (std::size_t r = 0; r < rows_[sums]; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        float of_pair[2] = {};
        for (std::size_t k = 0; k < rows_[weights]; ++k) {
          for (std::size_t i = 0; i < 2; ++i) {
            const float a = flushed(to_float(at<Bf16>(rows, r, 2 * k + i)));
            const float b = flushed(to_float(at<Bf16>(weights, k, 2 * c + i)));
            of_pair[i] = flushed(std::fma(a, b, of_pair[i]));
          }
        }
        const float added = flushed(of_pair[0] + of_pair[1]);
        set(sums, r, c, flushed(flushed(at<float>(sums, r, c)) + added));
      }
    }
  }

  /// Unsigned rows, signed weights.
  void add_int8(std::size_t sums, std::size_t rows, std::size_t weights) {
    expect_fit(sums, rows, weights);
    for (std::size_t r = 0; r < rows_[sums]; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < rows_[weights] * 4UL; ++i) {
          sum += at<std::uint8_t>(rows, r, i) * at<std::int8_t>(weights, i / 4, c * 4 + i % 4);
        }
        set(sums, r, c, at<std::uint32_t>(sums, r, c) + static_cast<std::uint32_t>(sum));
      }
    }
  }

  void release() {
    std::memset(tiles_, 0, sizeof tiles_);
    std::memset(rows_, 0, sizeof rows_);
  }
  bool is_released() const {
    for (const std::uint8_t rows : rows_) {
      if (rows != 0) return false;
    }
    return true;
  }

  // As tiles.h asks.
  template <int tile>
  void clear() {
    clear_tile(tile);
  }
  template <int tile>
  void load(const std::byte* from, std::size_t stride) {
    load_tile(tile, from, stride);
  }
  template <int tile>
  void load_rarely(const std::byte* from, std::size_t stride) {
    load_tile(tile, from, stride);
  }
  template <int tile>
  void store(float* to, std::size_t stride) const {
    store_tile(tile, reinterpret_cast<std::byte*>(to), stride);
  }
  template <Arithmetic kind, int sums, int rows, int weights>
  void add() {
    kind == Arithmetic::int8 ? add_int8(sums, rows, weights) : add_bfloat16(sums, rows, weights);
  }

 private:
  static constexpr std::size_t columns = tile_row_bytes / 4;

  static void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "tiles: the processor would refuse: %s\n", what);
    std::abort();
  }
  void expect_fit(std::size_t sums, std::size_t rows, std::size_t weights) const {
    expect(sums != rows && rows != weights && weights != sums, "one tile twice");
    expect(rows_[sums] > 0 && rows_[sums] == rows_[rows], "sums and rows of different counts");
    expect(rows_[weights] == most_tile_rows, "weights of another depth than rows");
  }
  /// Denormal numbers count as 0, given or computed.
  static float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
  }
  template <class Number>
  Number at(std::size_t tile, std::size_t row, std::size_t index) const {
    Number out;
    std::memcpy(&out, tiles_[tile][row] + index * sizeof out, sizeof out);
    return out;
  }
  template <class Number>
  void set(std::size_t tile, std::size_t row, std::size_t index, Number value) {
    std::memcpy(tiles_[tile][row] + index * sizeof value, &value, sizeof value);
  }

  std::byte tiles_[tile_count][most_tile_rows][tile_row_bytes] = {};
  std::uint8_t rows_[tile_count] = {};
};

/// The products on such tiles.
const MatrixKernels& plain_tile_kernels();

}  // namespace cairn::kernels
