// SPDX-License-Identifier: Apache-2.0
// The versions of attention over pages, for paged_attention.cc alone. Calling one that the
// processor does not run is an illegal instruction.
#pragma once

#include "kernels/pages/paged_attention.h"

namespace cairn::kernels {

const PageKernels& scalar_page_kernels();
const PageKernels& avx2_page_kernels();
const PageKernels& avx512_page_kernels();

}  // namespace cairn::kernels
