// SPDX-License-Identifier: Apache-2.0
// The text of the products on tiles, compiled for tiles in plain C++; what these tiles do.
#include "kernels/matrix/plain_tiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/matrix/product_versions.h"
#include "kernels/matrix/trial.h"

#define CAIRN_LANE __attribute__((always_inline)) inline
#define CAIRN_FINISH __attribute__((noinline)) inline
#define CAIRN_TILED

namespace cairn::kernels {
namespace plain_tiles_test {

constexpr std::size_t width = 16;
#include "kernels/lanes.inc"

#include "kernels/matrix/finish.inc"
#include "kernels/matrix/tile_product.inc"

template <class Tiles, Arithmetic kind>
void multiply_plainly(const Product& product) {
  Tiles tiles;
  multiply_on_tiles<Tiles, kind>(tiles, product);
  CHECK(tiles.is_released());
}

template <class Tiles>
MatrixKernels kernels_on() {
  MatrixKernels out = scalar_matrix_kernels();
  out.name = "plain tiles";
  out.bfloat16 = multiply_plainly<Tiles, Arithmetic::bfloat16>;
  out.int8 = multiply_plainly<Tiles, Arithmetic::int8>;
  return out;
}

TEST_CASE("tiles: a trial passes what is right") {
  CHECK(passes_trial(scalar_matrix_kernels()));
  CHECK(passes_trial(plain_tile_kernels()));
}

/// A processor that forgets one tile of sums in one arithmetic.
template <Arithmetic forgetful, int forgotten>
struct ForgetfulTiles : PlainTiles {
  template <Arithmetic kind, int sums, int rows, int weights>
  void add() {
    PlainTiles::add<kind, sums, rows, weights>();
    if (kind == forgetful && sums == forgotten) clear_tile(sums);
  }
};

/// A processor whose second tile of rows is the first.
struct StuckTiles : PlainTiles {
  template <int tile>
  void load_rarely(const std::byte* from, std::size_t stride) {
    load_tile(tile, from - (tile == 5 ? most_tile_rows * stride : 0), stride);
  }
};

TEST_CASE("tiles: a trial fails what differs in one kind of block or arithmetic") {
  CHECK_FALSE(passes_trial(kernels_on<ForgetfulTiles<Arithmetic::bfloat16, 3>>()));
  CHECK_FALSE(passes_trial(kernels_on<ForgetfulTiles<Arithmetic::int8, 0>>()));
  CHECK_FALSE(passes_trial(kernels_on<ForgetfulTiles<Arithmetic::int8, 2>>()));
  CHECK_FALSE(passes_trial(kernels_on<StuckTiles>()));
}

/// One row of rows, 16 rows of weights that are zero but for those given.
template <class Number, std::size_t count>
void load_numbers(PlainTiles& tiles, std::size_t tile, const Number (&numbers)[count]) {
  std::byte memory[most_tile_rows * tile_row_bytes] = {};
  std::memcpy(memory, numbers, sizeof numbers);
  tiles.load_tile(tile, memory, tile_row_bytes);
}

template <class Number>
Number first_sum(const PlainTiles& tiles) {
  std::byte memory[most_tile_rows * tile_row_bytes] = {};
  tiles.store_tile(0, memory, tile_row_bytes);
  Number out;
  std::memcpy(&out, memory, sizeof out);
  return out;
}

TEST_CASE("tiles: sums of bfloat16 have no denormal numbers") {
  PlainTiles tiles;
  tiles.configure(tiles_for(1));
  const Bf16 denormal = {0x0040}, one = to_bf16(1), two = to_bf16(2);
  load_numbers(tiles, 4, {denormal, one});
  load_numbers(tiles, 6, {one, two});
  tiles.clear_tile(0);
  tiles.add_bfloat16(0, 4, 6);
  CHECK(first_sum<float>(tiles) == 2);
  load_numbers(tiles, 4, {to_bf16(std::numeric_limits<float>::min()), Bf16{0}});
  load_numbers(tiles, 6, {to_bf16(0.5F), Bf16{0}});
  tiles.clear_tile(0);
  tiles.add_bfloat16(0, 4, 6);
  CHECK(first_sum<float>(tiles) == 0);
}

TEST_CASE("tiles: rows of bytes are unsigned, weights are signed") {
  PlainTiles tiles;
  tiles.configure(tiles_for(1));
  const std::int8_t row[] = {-1, 2, 0, 1}, weights[] = {-128, 3, 100, -1};
  load_numbers(tiles, 4, row);
  load_numbers(tiles, 6, weights);
  tiles.clear_tile(0);
  tiles.add_int8(0, 4, 6);
  tiles.add_int8(0, 4, 6);
  CHECK(first_sum<std::int32_t>(tiles) == 2 * (255 * -128 + 2 * 3 - 1));
}

TEST_CASE("tiles: one row of a tile is loaded and stored where it has one") {
  PlainTiles tiles;
  tiles.configure(tiles_for(17));
  std::byte memory[2 * tile_row_bytes];
  std::fill(std::begin(memory), std::end(memory), std::byte{7});
  tiles.load_tile(5, memory, tile_row_bytes);
  std::fill(std::begin(memory), std::end(memory), std::byte{1});
  tiles.store_tile(5, memory, tile_row_bytes);
  CHECK(memory[tile_row_bytes - 1] == std::byte{7});
  CHECK(memory[tile_row_bytes] == std::byte{1});
}

}  // namespace plain_tiles_test

const MatrixKernels& plain_tile_kernels() {
  static const MatrixKernels kernels = plain_tiles_test::kernels_on<PlainTiles>();
  return kernels;
}

}  // namespace cairn::kernels
