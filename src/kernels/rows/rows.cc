// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the arithmetic on rows.
#include "kernels/rows/rows.h"

#include "kernels/rows/rows_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const RowKernels*>& usable_row_kernels() {
  static const std::vector<const RowKernels*> usable = [] {
    std::vector<const RowKernels*> out{&scalar_row_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_row_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_row_kernels());
    return out;
  }();
  return usable;
}

const RowKernels& row_kernels() {
  static const RowKernels& widest = *usable_row_kernels().back();
  return widest;
}

}  // namespace cairn::kernels
