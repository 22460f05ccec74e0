// SPDX-License-Identifier: Apache-2.0
// The most that a core's dot-product instructions do, as the measure of products.
#pragma once

#include <cstdint>
#include <ctime>

#include "kernels/matrix/panels.h"
#include "kernels/matrix/product.h"
#include "os/cpu.h"

namespace cairn::bench {

/// Time that this thread computed, so that other processes change the figures little.
inline double seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

#define CAIRN_SIXTEEN(line)                                                                 \
  line("0") line("1") line("2") line("3") line("4") line("5") line("6") line("7") line("8") \
      line("9") line("10") line("11") line("12") line("13") line("14") line("15")
#define CAIRN_FMA512(r) "vfmadd231ps %%zmm16, %%zmm17, %%zmm" r "\n\t"
#define CAIRN_BF512(r) "vdpbf16ps %%zmm16, %%zmm17, %%zmm" r "\n\t"
#define CAIRN_I8512(r) "vpdpbusd %%zmm16, %%zmm17, %%zmm" r "\n\t"
#define CAIRN_FMA256(r) "vfmadd231ps %%ymm15, %%ymm15, %%ymm" r "\n\t"

/// The accumulators, which the compiler must not keep anything in.
#define CAIRN_SIXTEEN_USED                                                                  \
  "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
      "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

constexpr int peak_loops = 1000000;

/// Operations a second of AMX's tiles, which are loaded once.
inline double tile_peak(kernels::Arithmetic arithmetic) {
  constexpr int loops = 100000;
  struct {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const configuration;
  asm volatile("ldtilecfg %0" : : "m"(configuration) : "memory");  // all tiles are zeros
  const double start = seconds();
  for (int i = 0; i < loops; ++i) {
    if (arithmetic == kernels::Arithmetic::bfloat16) {
      asm volatile(
          "tdpbf16ps %tmm6, %tmm4, %tmm0\n\ttdpbf16ps %tmm7, %tmm4, %tmm1\n\t"
          "tdpbf16ps %tmm6, %tmm5, %tmm2\n\ttdpbf16ps %tmm7, %tmm5, %tmm3");
    } else {
      asm volatile(
          "tdpbusd %tmm6, %tmm4, %tmm0\n\ttdpbusd %tmm7, %tmm4, %tmm1\n\t"
          "tdpbusd %tmm6, %tmm5, %tmm2\n\ttdpbusd %tmm7, %tmm5, %tmm3");
    }
  }
  const double taken = seconds() - start;
  asm volatile("tilerelease" : : : "memory");
  const double depth = 16.0 * static_cast<double>(kernels::step_depth(arithmetic));
  return loops * 4.0 * 2.0 * 16.0 * 16.0 * depth / taken;
}

/// Operations a second of registers alone: nothing is loaded.
inline double peak(kernels::Arithmetic arithmetic) {
  const os::CpuFeatures& cpu = os::cpu_features();
  if (arithmetic != kernels::Arithmetic::float32 && kernels::matrix_kernels().name == "amx") {
    return tile_peak(arithmetic);
  }
  const double start = seconds();
  for (int i = 0; i < peak_loops; ++i) {
    if (!cpu.avx512) {
      asm volatile(CAIRN_SIXTEEN(CAIRN_FMA256)::: CAIRN_SIXTEEN_USED);
    } else if (arithmetic == kernels::Arithmetic::float32) {
      asm volatile(CAIRN_SIXTEEN(CAIRN_FMA512)::: CAIRN_SIXTEEN_USED);
    } else if (arithmetic == kernels::Arithmetic::bfloat16) {
      asm volatile(CAIRN_SIXTEEN(CAIRN_BF512)::: CAIRN_SIXTEEN_USED);
    } else {
      asm volatile(CAIRN_SIXTEEN(CAIRN_I8512)::: CAIRN_SIXTEEN_USED);
    }
  }
  const double per_step =
      cpu.avx512 ? 32.0 * static_cast<double>(kernels::step_depth(arithmetic)) : 16.0;
  const double operations = peak_loops * 16.0 * per_step;
  return operations / (seconds() - start);
}

}  // namespace cairn::bench
