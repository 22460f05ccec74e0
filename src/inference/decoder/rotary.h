// SPDX-License-Identifier: Apache-2.0
// Rotary positions and the ways in which models stretch them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "inference/layers/config_fields.h"

namespace cairn::inference {

/// How much each pair of a head's numbers turns from one position to the next, and by what cosines
/// and sines are multiplied. [Su et al. 2021]
struct Rotary {
  std::vector<double> frequencies;  // head_size / 2
  double factor = 1;                // of cosines and sines
};

/// Reads `rope_theta` and `rope_scaling` (or `rope_parameters`, which holds both). Scalings:
/// default, linear, llama3, yarn [Peng et al. 2023]; dynamic, which changes nothing up to
/// `most_tokens`; divided, by a number for each pair in `divisors`. `most_tokens` becomes greater
/// where a scaling says so. Errors: invalid_argument, naming the field; unsupported for another
/// scaling.
Result<Rotary> read_rotary(const ConfigFields& fields, std::size_t head_size,
                           std::size_t& most_tokens);

}  // namespace cairn::inference
