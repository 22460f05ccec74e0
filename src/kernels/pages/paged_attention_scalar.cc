// SPDX-License-Identifier: Apache-2.0
// Attention over pages by its definition, all scores at once: the oracle of the other versions.
#include <algorithm>
#include <cmath>

#include "kernels/pages/paged_attention_versions.h"

namespace cairn::kernels {
namespace scalar_pages {

double number(float value) { return static_cast<double>(value); }
double number(Bf16 value) { return static_cast<double>(to_float(value)); }

template <class Number>
void attend_one(const PagedQueries<Number>& in, const float* query, std::size_t seen, float* out) {
  std::vector<double> weights(seen);
  double greatest = -INFINITY, sum = 0;
  for (std::size_t key = 0; key < seen; ++key) {
    const Number* const keys = in.pages[key / page_tokens] + key % page_tokens;
    double score = 0;
    for (std::size_t i = 0; i < in.head_size; ++i) {
      score += static_cast<double>(query[i]) * number(keys[i * page_tokens]);
    }
    weights[key] = score * static_cast<double>(in.scale);
    greatest = std::max(greatest, weights[key]);
  }
  for (double& weight : weights) sum += weight = std::exp(weight - greatest);
  for (std::size_t i = 0; i < in.head_size; ++i) {
    double total = 0;
    for (std::size_t key = 0; key < seen; ++key) {
      const Number* const values = in.pages[key / page_tokens] + page_keys(in.head_size) +
                                   key % page_tokens * page_stride(in.head_size);
      total += weights[key] * number(values[i]);
    }
    out[i] = static_cast<float>(total / sum);
  }
}

template <class Number>
void attend(const PagedQueries<Number>& in) {
  for (std::size_t token = 0; token < in.tokens; ++token) {
    for (std::size_t head = 0; head < in.group; ++head) {
      attend_one(in, in.queries + token * in.query_stride + head * in.head_size,
                 in.first_position + token + 1,
                 in.out + token * in.out_stride + head * in.head_size);
    }
  }
}

}  // namespace scalar_pages

const PageKernels& scalar_page_kernels() {
  static const PageKernels table = {"scalar", scalar_pages::attend<float>,
                                    scalar_pages::attend<Bf16>};
  return table;
}

}  // namespace cairn::kernels
