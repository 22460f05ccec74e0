// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the decoding.
#include "kernels/columns/unpack.h"

#include "kernels/columns/unpack_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const UnpackKernels*>& usable_unpack_kernels() {
  static const std::vector<const UnpackKernels*> usable = [] {
    std::vector<const UnpackKernels*> out{&scalar_unpack_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_unpack_kernels());
    if (os::cpu_features().avx512_vbmi) out.push_back(&avx512_unpack_kernels());
    return out;
  }();
  return usable;
}

const UnpackKernels& unpack_kernels() {
  static const UnpackKernels& widest = *usable_unpack_kernels().back();
  return widest;
}

}  // namespace cairn::kernels
