// SPDX-License-Identifier: Apache-2.0
// Means, maxima and single tokens of hidden states.
#include "inference/encoder/pool.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cairn::inference {
namespace {

/// The states that count.
struct States {
  const float* first = nullptr;
  std::size_t stride = 0;
  std::size_t tokens = 0;
  std::size_t hidden = 0;

  const float* at(std::size_t token) const { return first + token * stride; }
};

void write_max(const States& states, float* out) {
  std::copy_n(states.at(0), states.hidden, out);
  for (std::size_t token = 1; token < states.tokens; ++token) {
    for (std::size_t i = 0; i < states.hidden; ++i) out[i] = std::max(out[i], states.at(token)[i]);
  }
}

/// The sum of weight(token) * state, times `factor`.
template <class Weight>
void write_sum(const States& states, float factor, const Weight& weight, float* out) {
  std::fill_n(out, states.hidden, 0.0F);
  for (std::size_t token = 0; token < states.tokens; ++token) {
    const float share = weight(token);
    for (std::size_t i = 0; i < states.hidden; ++i) out[i] += share * states.at(token)[i];
  }
  for (std::size_t i = 0; i < states.hidden; ++i) out[i] *= factor;
}

}  // namespace

std::size_t pooled_size(const Pooling& pooling, std::size_t hidden) {
  const int modes = int{pooling.first} + int{pooling.max} + int{pooling.mean} +
                    int{pooling.mean_sqrt} + int{pooling.weighted_mean} + int{pooling.last};
  return hidden * static_cast<std::size_t>(modes);
}

void pool(const Pooling& pooling, const float* states, std::size_t stride, std::size_t tokens,
          std::size_t prompt, std::size_t hidden, float* out) {
  const States all = {states, stride, tokens, hidden};
  const std::size_t skipped = pooling.include_prompt ? 0 : std::min(prompt, tokens - 1);
  const States seen = {all.at(skipped), stride, tokens - skipped, hidden};
  const auto count = static_cast<float>(seen.tokens);
  const auto next = [&] { return std::exchange(out, out + hidden); };
  const auto alike = [](std::size_t) { return 1.0F; };
  if (pooling.first) std::copy_n(all.at(0), hidden, next());
  if (pooling.max) write_max(seen, next());
  if (pooling.mean) write_sum(seen, 1.0F / count, alike, next());
  if (pooling.mean_sqrt) write_sum(seen, 1.0F / std::sqrt(count), alike, next());
  if (pooling.weighted_mean) {
    const auto by_place = [&](std::size_t token) { return static_cast<float>(token + 1 + skipped); };
    float sum = 0;
    for (std::size_t token = 0; token < seen.tokens; ++token) sum += by_place(token);
    write_sum(seen, 1.0F / sum, by_place, next());
  }
  if (pooling.last) std::copy_n(all.at(tokens - 1), hidden, next());
}

}  // namespace cairn::inference
