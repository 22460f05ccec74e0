// SPDX-License-Identifier: Apache-2.0
// The next token from a row of logits.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

struct SamplingOptions {
  double temperature = 1;         // 0: the likeliest token
  std::uint32_t top_k = 0;        // only the k likeliest; 0: all
  double top_p = 1;               // only the likeliest that reach this share together
  double min_p = 0;               // only those with this share of the likeliest one's probability
  double repetition_penalty = 1;  // divides what is positive, multiplies what is negative
  double frequency_penalty = 0;   // for each time that a token was generated
  double presence_penalty = 0;    // for having been generated
  std::vector<std::pair<std::uint32_t, float>> logit_bias = {};
  std::uint64_t seed = 0;
  bool logprobs = false;
  std::uint32_t top_logprobs = 0;  // at most 20

  /// Errors: invalid_argument, naming the option.
  Status validate() const;
};

struct TokenLogprob {
  std::uint32_t id = 0;
  float logprob = 0;  // natural, at least -9999; of the model's own distribution
  friend bool operator==(const TokenLogprob&, const TokenLogprob&) = default;
};

struct SampledToken {
  std::uint32_t id = 0;
  float logprob = 0;                   // 0 unless asked for
  std::vector<TokenLogprob> top = {};  // likeliest first; of equal ones the smaller id
};

/// Draws the tokens of one request, in the order logit_bias, penalties, temperature, top_k, top_p,
/// min_p. A draw depends on seed, request, position and the logits, not on what else is computed.
/// Takes time in proportion to the vocabulary. One thread at a time.
class Sampler {
 public:
  /// `request` tells apart the choices that one seed serves.
  Sampler(SamplingOptions options, std::uint64_t request);

  /// Tokens that the repetition penalty counts beside the generated ones.
  void see_prompt(std::span<const std::uint32_t> ids);
  /// The token at `position`, which counts as generated. `logits` has one number for each id, and
  /// at least one; what is no number is never drawn.
  SampledToken draw(std::span<const float> logits, std::uint64_t position);

 private:
  struct Candidate {
    float logit;
    std::uint32_t id;
  };
  void adjust();
  std::uint32_t likeliest() const;
  std::uint32_t drawn(double chance);
  /// Leaves the `count` likeliest in front, in order.
  void select(std::size_t count);
  void keep_share();
  double weight(const Candidate& one) const;
  void add_logprobs(std::span<const float> logits, SampledToken& out) const;

  SamplingOptions options_;
  std::uint64_t request_;
  std::unordered_map<std::uint32_t, std::uint32_t> seen_;  // how often it was generated
  std::vector<float> row_;
  std::vector<Candidate> candidates_;
  double highest_ = 0;
};

/// A number in [0, 1) for these three, spread evenly.
double chance_of(std::uint64_t seed, std::uint64_t request, std::uint64_t position);

}  // namespace cairn::inference
