// SPDX-License-Identifier: Apache-2.0
// A short trial of products that were written for a processor that few have.
#pragma once

#include "kernels/matrix/product.h"

namespace cairn::kernels {

/// Whether these products in bfloat16 and in int8 are those of the scalar version, to the last bit:
/// all numbers are small and whole, so that sums are exact in any order. Takes about a millisecond.
bool passes_trial(const MatrixKernels& kernels);

}  // namespace cairn::kernels
