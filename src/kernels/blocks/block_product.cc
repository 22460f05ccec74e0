// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the products by blocks.
#include "kernels/blocks/block_product.h"

#include "kernels/blocks/block_product_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const BlockKernels*>& usable_block_kernels() {
  static const std::vector<const BlockKernels*> usable = [] {
    const os::CpuFeatures& cpu = os::cpu_features();
    std::vector<const BlockKernels*> out{&scalar_block_kernels()};
    if (cpu.avx2) out.push_back(&avx2_block_kernels());
    if (cpu.avx512 && cpu.avx512_vnni) out.push_back(&avx512_block_kernels());
    return out;
  }();
  return usable;
}

const BlockKernels& block_kernels() {
  static const BlockKernels& widest = *usable_block_kernels().back();
  return widest;
}

bool are_blocks_fast() { return &block_kernels() != &scalar_block_kernels(); }

}  // namespace cairn::kernels
