// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the arithmetic on codes.
#include "kernels/codes/codes.h"

#include "kernels/codes/codes_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const CodeKernels*>& usable_code_kernels() {
  static const std::vector<const CodeKernels*> usable = [] {
    std::vector<const CodeKernels*> out{&scalar_code_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_code_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_code_kernels());
    return out;
  }();
  return usable;
}

const CodeKernels& code_kernels() {
  static const CodeKernels& widest = *usable_code_kernels().back();
  return widest;
}

}  // namespace cairn::kernels
