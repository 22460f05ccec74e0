// SPDX-License-Identifier: Apache-2.0
// The versions of the arithmetic on codes, for codes.cc alone. Calling one that the processor does
// not run is an illegal instruction.
#pragma once

#include "kernels/codes/codes.h"

namespace cairn::kernels {

const CodeKernels& scalar_code_kernels();
const CodeKernels& avx2_code_kernels();
const CodeKernels& avx512_code_kernels();

}  // namespace cairn::kernels
