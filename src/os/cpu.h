// SPDX-License-Identifier: Apache-2.0
// What this processor can do, asked once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::os {

struct CpuFeatures {
  bool avx2 = false;
  bool avx512 = false;  // F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_vbmi = false;
  bool amx = false;  // TILE, INT8, BF16, and permission from the kernel
  bool amx_refused = false;  // the processor has them, the kernel gives no permission
  std::string brand;
};

/// What this processor can do, or less of it where the environment variable CAIRN_ISA names an
/// instruction set to stop at. Asked once, at the first call.
const CpuFeatures& cpu_features();
/// Names that CAIRN_ISA may have: "scalar", "avx2", "avx512", "amx" (all that there is).
bool is_instruction_set(std::string_view name);
/// `features` without what lies above the named instruction set. Other names change nothing.
CpuFeatures limited_to(std::string_view instruction_set, CpuFeatures features);
std::size_t cpu_count();       // usable by this process
std::size_t resident_bytes();  // of this process now

}  // namespace cairn::os
