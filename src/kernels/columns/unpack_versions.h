// SPDX-License-Identifier: Apache-2.0
// The versions of the decoding, for unpack.cc alone. Calling one that the processor does not run is
// an illegal instruction.
#pragma once

#include <cstring>

#include "kernels/columns/unpack.h"

namespace cairn::kernels {

const UnpackKernels& scalar_unpack_kernels();
const UnpackKernels& avx2_unpack_kernels();
const UnpackKernels& avx512_unpack_kernels();

/// The number at `i`, by itself.
inline std::uint64_t unpack_number(const char* in, std::size_t i, unsigned bits) {
  const std::size_t bit = i * bits;
  const auto shift = static_cast<unsigned>(bit % 8);
  std::uint64_t number;
  std::memcpy(&number, in + bit / 8, sizeof number);
  number >>= shift;
  if (shift + bits > 64) {
    const std::uint64_t high = static_cast<unsigned char>(in[bit / 8 + 8]);
    number |= high << (64 - shift);
  }
  return bits == 64 ? number : number & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace cairn::kernels
