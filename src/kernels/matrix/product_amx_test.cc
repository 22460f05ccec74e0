// SPDX-License-Identifier: Apache-2.0
// The products on AMX as they are compiled, on machines without AMX: each of its instructions is
// refused by the processor, decoded from its bytes and done by plain tiles.
#include <doctest/doctest.h>
#include <signal.h>
#include <ucontext.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/matrix/panels.h"
#include "kernels/matrix/plain_tiles.h"
#include "kernels/matrix/product_versions.h"
#include "kernels/matrix/trial.h"
#include "os/cpu.h"

namespace cairn::kernels {
namespace product_amx_test {

PlainTiles machine_tiles;
int decoded_instructions = 0;

/// The registers of an instruction that was refused.
class Registers {
 public:
  explicit Registers(void* context)
      : general_(static_cast<ucontext_t*>(context)->uc_mcontext.gregs) {}

  std::uint64_t number(std::size_t index) const {
    static constexpr int places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                     REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                     REG_R12, REG_R13, REG_R14, REG_R15};
    return static_cast<std::uint64_t>(general_[places[index]]);
  }
  const std::uint8_t* instruction() const {
    return reinterpret_cast<const std::uint8_t*>(general_[REG_RIP]);
  }
  void go_on_after(std::size_t bytes) { general_[REG_RIP] += static_cast<greg_t>(bytes); }

 private:
  greg_t* general_;
};

/// An instruction with a VEX prefix of three bytes. [Intel manual, volume 2, sections 2.1 and 2.3]
struct Vex {
  std::uint8_t map, prefix, opcode, mode, reg, rm, vector;
  std::size_t size;      // in bytes
  std::uint64_t base;    // of the operand in memory, where it has one
  std::uint64_t stride;  // the index register
};

Vex decode(const Registers& registers) {
  const std::uint8_t* const at = registers.instruction();
  Vex out = {};
  if (at[0] != 0xc4) return out;
  out.map = at[1] & 0x1f;
  out.prefix = at[2] & 3;
  out.vector = static_cast<std::uint8_t>(~at[2] >> 3 & 0xf);
  out.opcode = at[3];
  const std::uint8_t fields = at[4];
  const std::size_t more_index = (at[1] & 0x40) != 0 ? 0 : 8;
  const std::size_t more_base = (at[1] & 0x20) != 0 ? 0 : 8;
  out.mode = fields >> 6;
  out.reg = fields >> 3 & 7;
  out.rm = fields & 7;
  out.size = 5;
  if (out.mode == 3) return out;
  std::size_t base = out.rm;
  if (out.rm == 4) {
    const std::uint8_t scaled = at[out.size++];
    base = scaled & 7;
    const std::size_t index = (scaled >> 3 & 7) + more_index;
    if (index != 4) out.stride = registers.number(index) << (scaled >> 6);
  }
  out.base = registers.number(base + more_base);
  std::int64_t displacement = 0;
  if (out.mode == 1) {
    displacement = static_cast<std::int8_t>(at[out.size]);
    out.size += 1;
  } else if (out.mode == 2) {
    std::int32_t wide;
    std::memcpy(&wide, at + out.size, sizeof wide);
    displacement = wide;
    out.size += sizeof wide;
  }
  out.base += static_cast<std::uint64_t>(displacement);
  return out;
}

/// The rows that a configuration asks for; every row must have 64 bytes.
TileRows rows_of(const std::uint8_t* configuration) {
  TileRows out;
  for (std::size_t tile = 0; tile < tile_count; ++tile) {
    std::uint16_t bytes;
    std::memcpy(&bytes, configuration + 16 + 2 * tile, sizeof bytes);
    if (configuration[0] == 1 && bytes == tile_row_bytes) out.of[tile] = configuration[48 + tile];
  }
  return out;
}

/// Does what the instruction says; false for one that is not of AMX.
bool obey(const Vex& given) {
  constexpr std::uint8_t no_prefix = 0, prefix_66 = 1, prefix_f3 = 2, prefix_f2 = 3;
  if (given.map != 2) return false;
  const auto kind = static_cast<unsigned>(given.opcode << 8 | given.prefix);
  const auto is = [&](unsigned opcode, std::uint8_t prefix, bool in_memory) {
    return kind == (opcode << 8 | prefix) && in_memory == (given.mode != 3);
  };
  if (is(0x49, no_prefix, true)) {
    machine_tiles.configure(rows_of(reinterpret_cast<const std::uint8_t*>(given.base)));
  } else if (is(0x49, no_prefix, false)) {
    machine_tiles.release();
  } else if (is(0x49, prefix_f2, false)) {
    machine_tiles.clear_tile(given.reg);
  } else if (is(0x4b, prefix_f2, true) || is(0x4b, prefix_66, true)) {
    const auto* const from = reinterpret_cast<const std::byte*>(given.base);
    machine_tiles.load_tile(given.reg, from, given.stride);
  } else if (is(0x4b, prefix_f3, true)) {
    machine_tiles.store_tile(given.reg, reinterpret_cast<std::byte*>(given.base), given.stride);
  } else if (is(0x5c, prefix_f3, false)) {
    machine_tiles.add_bfloat16(given.reg, given.rm, given.vector);
  } else if (is(0x5e, prefix_66, false)) {
    machine_tiles.add_int8(given.reg, given.rm, given.vector);
  } else {
    return false;
  }
  return true;
}

void do_refused(int number, siginfo_t*, void* context) {
  Registers registers(context);
  const Vex given = decode(registers);
  if (!obey(given)) {
    signal(number, SIG_DFL);  // comes again, and ends the process
    return;
  }
  ++decoded_instructions;
  registers.go_on_after(given.size);
}

/// Refused instructions are decoded while this stands.
class Decoding {
 public:
  Decoding() {
    struct sigaction to = {};
    to.sa_sigaction = do_refused;
    to.sa_flags = SA_SIGINFO;
    REQUIRE(sigaction(SIGILL, &to, &before_) == 0);
    decoded_instructions = 0;
  }
  ~Decoding() { sigaction(SIGILL, &before_, nullptr); }
  Decoding(const Decoding&) = delete;
  Decoding& operator=(const Decoding&) = delete;

 private:
  struct sigaction before_ = {};
};

MatrixKernels compiled_kernels() {
  MatrixKernels out = scalar_matrix_kernels();
  out.name = "amx";
  out.bfloat16 = amx_bfloat16;
  out.int8 = amx_int8;
  return out;
}

TEST_CASE("amx: what is compiled for the processor's tiles passes the trial") {
  if (!os::cpu_features().avx512) {
    MESSAGE("not run: results are finished with AVX-512, which this processor has not");
    return;
  }
  const Decoding decoding;
  CHECK(passes_trial(compiled_kernels()));
  CHECK(machine_tiles.is_released());
  if (!os::cpu_features().amx) CHECK(decoded_instructions > 1000);
}

/// Sums of any bfloat16 numbers; both are finished alike.
std::vector<float> sums_of(const MatrixKernels& kernels, const std::vector<Bf16>& rows,
                           const std::vector<std::byte>& panels, std::size_t row_count,
                           std::size_t columns, std::size_t depth) {
  std::vector<float> out(row_count * columns);
  Product product;
  product.rows = rows.data();
  product.row_stride = depth * sizeof(Bf16);
  product.row_count = row_count;
  product.panels = panels.data();
  product.steps = panel_steps(Arithmetic::bfloat16, depth);
  product.columns = columns;
  product.finish.out = out.data();
  product.finish.out_stride = columns;
  kernels.bfloat16(product);
  return out;
}

TEST_CASE("amx: rounded sums have the bits of plain tiles") {
  if (!os::cpu_features().avx512) return;
  const Decoding decoding;
  std::mt19937 random(3);
  std::normal_distribution<float> numbers;
  constexpr std::size_t depth = 96, columns = 112, most_rows = 37;
  std::vector<Bf16> rows(most_rows * depth);
  for (Bf16& number : rows) number = to_bf16(numbers(random));
  std::vector<std::byte> panels(panels_bytes(Arithmetic::bfloat16, depth, columns));
  std::vector<float> column(depth);
  for (std::size_t c = 0; c < columns; ++c) {
    for (float& number : column) number = numbers(random);
    pack_column(Arithmetic::bfloat16, column.data(), depth, 1, c, panels.data());
  }
  for (const std::size_t count : {1UL, 9UL, 20UL, 32UL, most_rows}) {
    CAPTURE(count);
    const auto given = sums_of(compiled_kernels(), rows, panels, count, columns, depth);
    const auto wanted = sums_of(plain_tile_kernels(), rows, panels, count, columns, depth);
    if (!os::cpu_features().amx) CHECK(given == wanted);
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (std::fabs(given[i] - wanted[i]) > 1e-4F) FAIL("sum " << i);
    }
  }
}

}  // namespace product_amx_test
}  // namespace cairn::kernels
