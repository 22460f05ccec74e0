// SPDX-License-Identifier: Apache-2.0
// The versions of the arithmetic on rows, for rows.cc alone. Calling one that the processor does
// not run is an illegal instruction.
#pragma once

#include "kernels/rows/rows.h"

namespace cairn::kernels {

const RowKernels& scalar_row_kernels();
const RowKernels& avx2_row_kernels();
const RowKernels& avx512_row_kernels();

}  // namespace cairn::kernels
