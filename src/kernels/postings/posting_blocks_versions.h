// SPDX-License-Identifier: Apache-2.0
// The versions of the arithmetic on blocks of postings, for posting_blocks.cc alone. Calling one
// that the processor does not run is an illegal instruction.
#pragma once

#include "kernels/postings/posting_blocks.h"

namespace cairn::kernels {

const PostingKernels& scalar_posting_kernels();
const PostingKernels& avx2_posting_kernels();
const PostingKernels& avx512_posting_kernels();

}  // namespace cairn::kernels
