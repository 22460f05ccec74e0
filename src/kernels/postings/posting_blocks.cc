// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the arithmetic on blocks of postings.
#include "kernels/postings/posting_blocks.h"

#include "kernels/postings/posting_blocks_versions.h"
#include "os/cpu.h"

namespace cairn::kernels {

const std::vector<const PostingKernels*>& usable_posting_kernels() {
  static const std::vector<const PostingKernels*> usable = [] {
    std::vector<const PostingKernels*> out{&scalar_posting_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_posting_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_posting_kernels());
    return out;
  }();
  return usable;
}

const PostingKernels& posting_kernels() {
  static const PostingKernels& widest = *usable_posting_kernels().back();
  return widest;
}

}  // namespace cairn::kernels
