// SPDX-License-Identifier: Apache-2.0
// Whole numbers out of packed bits, many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cairn::kernels {

/// One version of the decoding. All give the same numbers. Any thread.
struct UnpackKernels {
  std::string_view name;
  /// out[i] = base + the number in the bits [i * bits, (i + 1) * bits) of `in`, lowest bits first,
  /// for i < count; sums wrap around. `bits`: 1 to 64. 8 bytes behind the last number are readable.
  void (*unpack)(const char* in, std::size_t count, unsigned bits, std::int64_t base,
                 std::int64_t* out);
};

/// The widest version that this processor runs.
const UnpackKernels& unpack_kernels();
/// Those that it runs, the scalar one first.
const std::vector<const UnpackKernels*>& usable_unpack_kernels();

}  // namespace cairn::kernels
