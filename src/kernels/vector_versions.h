// SPDX-License-Identifier: Apache-2.0
// The versions of the vector arithmetic, for vector.cc alone. Calling one that the processor does
// not run is an illegal instruction.
#pragma once

#include "kernels/vector.h"

namespace cairn::kernels {

const VectorKernels& scalar_vector_kernels();
const VectorKernels& avx2_vector_kernels();
const VectorKernels& avx512_vector_kernels();

}  // namespace cairn::kernels
