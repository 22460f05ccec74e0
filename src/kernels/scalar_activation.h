// SPDX-License-Identifier: Apache-2.0
// Activations of one number, by the mathematics library.
#pragma once

#include <cmath>

#include "kernels/matrix/product.h"

namespace cairn::kernels {

inline float scalar_activation(float value, Activation activation) {
  const double x = value;
  double out = x;
  switch (activation) {
    case Activation::none: break;
    case Activation::gelu: out = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); break;
    case Activation::gelu_tanh:
      out = 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
      break;
    case Activation::relu: out = x < 0 ? 0 : x; break;
    case Activation::silu: out = x / (1 + std::exp(-x)); break;
    case Activation::tanh: out = std::tanh(x); break;
  }
  return static_cast<float>(out);
}

}  // namespace cairn::kernels
