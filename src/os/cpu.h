// SPDX-License-Identifier: Apache-2.0
// What this processor can do, asked once.
#pragma once

#include <cstddef>
#include <string>

namespace cairn::os {

struct CpuFeatures {
  bool avx2 = false;
  bool avx512 = false;  // F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_vbmi = false;
  bool amx = false;  // TILE, INT8, BF16, and permission from the kernel
  std::string brand;
};

const CpuFeatures& cpu_features();
std::size_t cpu_count();       // usable by this process
std::size_t resident_bytes();  // of this process now

}  // namespace cairn::os
