// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the vector arithmetic.
#include "kernels/vector.h"

#include "kernels/vector_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const VectorKernels*>& usable_vector_kernels() {
  static const std::vector<const VectorKernels*> usable = [] {
    std::vector<const VectorKernels*> out{&scalar_vector_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_vector_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_vector_kernels());
    return out;
  }();
  return usable;
}

const VectorKernels& vector_kernels() {
  static const VectorKernels& widest = *usable_vector_kernels().back();
  return widest;
}

}  // namespace cairn::kernels
