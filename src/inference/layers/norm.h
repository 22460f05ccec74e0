// SPDX-License-Identifier: Apache-2.0
// The numbers of a norm.
#pragma once

#include "kernels/buffer.h"

namespace cairn::inference {

/// A layer norm, or a norm by the root of the mean square, which has no shift. Without numbers it
/// leaves rows as they are.
struct Norm {
  kernels::Buffer<float> gain;
  kernels::Buffer<float> shift;  // may be empty

  bool empty() const { return gain.empty(); }
};

}  // namespace cairn::inference
