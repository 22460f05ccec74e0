// SPDX-License-Identifier: Apache-2.0
#include "inference/text_call.h"

namespace cairn::inference {

Result<SamplingOptions> SamplingParams::over(const SamplingOptions& of_model,
                                             std::uint64_t random_seed) const {
  SamplingOptions out = of_model;
  out.temperature = temperature.value_or(out.temperature);
  out.top_p = top_p.value_or(out.top_p);
  out.min_p = min_p.value_or(out.min_p);
  out.repetition_penalty = repetition_penalty.value_or(out.repetition_penalty);
  out.frequency_penalty = frequency_penalty.value_or(out.frequency_penalty);
  out.presence_penalty = presence_penalty.value_or(out.presence_penalty);
  out.top_k = top_k.value_or(out.top_k);
  out.seed = seed.value_or(random_seed);
  out.logit_bias = logit_bias;
  out.logprobs = logprobs;
  out.top_logprobs = top_logprobs;
  CAIRN_CHECK(out.validate());
  return out;
}

}  // namespace cairn::inference
