// SPDX-License-Identifier: Apache-2.0
// Instruction sets that can be switched off.
#include "os/cpu.h"

#include <doctest/doctest.h>

namespace cairn::os {
namespace cpu_test {

CpuFeatures everything() {
  CpuFeatures out;
  out.avx2 = out.avx512 = out.avx512_vnni = out.avx512_bf16 = out.avx512_vbmi = out.amx = true;
  return out;
}

TEST_CASE("cpu: CAIRN_ISA takes away what lies above") {
  const CpuFeatures amx = limited_to("amx", everything());
  CHECK(amx.amx);
  CHECK(amx.avx512_vnni);
  const CpuFeatures avx512 = limited_to("avx512", everything());
  CHECK_FALSE(avx512.amx);
  CHECK(avx512.avx512);
  CHECK(avx512.avx512_vnni);
  const CpuFeatures avx2 = limited_to("avx2", everything());
  CHECK_FALSE(avx2.amx);
  CHECK_FALSE(avx2.avx512);
  CHECK_FALSE(avx2.avx512_vnni);
  CHECK_FALSE(avx2.avx512_bf16);
  CHECK_FALSE(avx2.avx512_vbmi);
  CHECK(avx2.avx2);
  CHECK_FALSE(limited_to("scalar", everything()).avx2);
  CHECK_FALSE(limited_to("amx", CpuFeatures{}).amx);
}

TEST_CASE("cpu: names of instruction sets") {
  for (const char* name : {"scalar", "avx2", "avx512", "amx"}) CHECK(is_instruction_set(name));
  for (const char* name : {"", "avx", "AVX2", "sse4"}) CHECK_FALSE(is_instruction_set(name));
  CHECK(limited_to("sse4", everything()).amx);
}

}  // namespace cpu_test
}  // namespace cairn::os
