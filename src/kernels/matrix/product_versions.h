// SPDX-License-Identifier: Apache-2.0
// The versions of the products, for their choice, their trial and their tests. Calling one that the
// processor does not run is an illegal instruction.
#pragma once

#include "kernels/matrix/product.h"

namespace cairn::kernels {

const MatrixKernels& scalar_matrix_kernels();
const MatrixKernels& avx2_matrix_kernels();
void avx512_float32(const Product& product);
void avx512_bfloat16(const Product& product);  // AVX512_BF16
void avx512_int8(const Product& product);      // AVX512_VNNI
void amx_bfloat16(const Product& product);     // AMX_BF16 and AVX-512
void amx_int8(const Product& product);         // AMX_INT8 and AVX-512

}  // namespace cairn::kernels
