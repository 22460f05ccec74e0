// SPDX-License-Identifier: Apache-2.0
// The decoding one number after another: the oracle of the others.
#include "kernels/columns/unpack_versions.h"

namespace cairn::kernels {
namespace {

void unpack(const char* in, std::size_t count, unsigned bits, std::int64_t base,
            std::int64_t* out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + unpack_number(in, i, bits));
}

}  // namespace

const UnpackKernels& scalar_unpack_kernels() {
  static const UnpackKernels kernels{.name = "scalar", .unpack = unpack};
  return kernels;
}

}  // namespace cairn::kernels
