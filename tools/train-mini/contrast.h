// SPDX-License-Identifier: Apache-2.0
// Learning of vectors from texts that belong together, against all others of a batch.
#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include "factorize.h"
#include "training_set.h"

namespace cairn::mini {

struct ContrastOptions {
  std::size_t steps = 16000;
  std::size_t batch = 512;
  float rate = 0.02F;    // of Adagrad, falling to a tenth along a line
  float sharpness = 20;  // cosines are multiplied by it before the softmax
  double dropped = 0.1;  // share of tokens left out of a text at random
  std::array<double, task_count> shares{0.16, 0.12, 0.04, 0.12, 0.08, 0.13, 0.12, 0.23};
  std::size_t threads = 2;  // does not change the result
};

/// Improves `vectors`, of which the sum over a text is the text's vector (so their lengths are the
/// tokens' weights), so that the two texts of an example are nearer than any other two of a batch.
/// `report` is called now and then with the step and the mean loss.
void learn_by_contrast(const TrainingSet& texts, const ContrastOptions& options, Random& random,
                       Matrix& vectors,
                       const std::function<void(std::size_t step, double loss)>& report);

}  // namespace cairn::mini
