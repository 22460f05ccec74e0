// SPDX-License-Identifier: Apache-2.0
// The versions of the products by blocks, for block_product.cc alone. Calling one that the
// processor does not run is an illegal instruction.
#pragma once

#include "kernels/blocks/block_product.h"

namespace cairn::kernels {

const BlockKernels& scalar_block_kernels();
const BlockKernels& avx2_block_kernels();
const BlockKernels& avx512_block_kernels();  // AVX512_VNNI

}  // namespace cairn::kernels
