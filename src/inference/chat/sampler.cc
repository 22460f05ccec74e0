// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "inference/errors.h"

namespace cairn::inference {
namespace {

constexpr float never_drawn = -std::numeric_limits<float>::infinity();
constexpr float highest_logit = 1e30F;   // so that differences are numbers
constexpr double least_logprob = -9999;  // JSON has no infinity
constexpr std::size_t most_biases = 1024;
constexpr std::uint32_t most_top_logprobs = 20;

/// The finaliser of SplitMix64: each bit of the input moves half of the output's.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

Status within(std::string_view name, double value, double least, double most) {
  if (value >= least && value <= most) return ok_status();
  return bad_request("[" + std::string(name) + "] must be from " + std::to_string(least) + " to " +
                     std::to_string(most));
}

/// What is no number is never drawn, and what is infinite a large number.
float as_number(float logit) {
  return std::isnan(logit) ? never_drawn : std::min(logit, highest_logit);
}

template <class Candidate>
bool is_before(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

}  // namespace

double chance_of(std::uint64_t seed, std::uint64_t request, std::uint64_t position) {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ request) ^ position);
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

Status SamplingOptions::validate() const {
  CAIRN_CHECK(within("temperature", temperature, 0, 100));
  CAIRN_CHECK(within("top_p", top_p, 0, 1));
  CAIRN_CHECK(within("min_p", min_p, 0, 1));
  CAIRN_CHECK(within("repetition_penalty", repetition_penalty, 0.01, 100));
  CAIRN_CHECK(within("frequency_penalty", frequency_penalty, -2, 2));
  CAIRN_CHECK(within("presence_penalty", presence_penalty, -2, 2));
  CAIRN_CHECK(within("top_logprobs", top_logprobs, 0, most_top_logprobs));
  if (logit_bias.size() > most_biases)
    return bad_request("[logit_bias] may name at most 1024 tokens");
  for (const auto& one : logit_bias) CAIRN_CHECK(within("logit_bias", one.second, -100, 100));
  return ok_status();
}

Sampler::Sampler(SamplingOptions options, std::uint64_t request)
    : options_(std::move(options)), request_(request) {}

void Sampler::see_prompt(std::span<const std::uint32_t> ids) {
  if (options_.repetition_penalty == 1) return;
  for (const std::uint32_t id : ids) seen_.try_emplace(id, 0);
}

void Sampler::adjust() {
  for (const auto& [id, bias] : options_.logit_bias)
    if (id < row_.size()) row_[id] += bias;
  for (const auto& [id, count] : seen_) {
    if (id >= row_.size()) continue;
    double logit = row_[id];
    logit = logit > 0 ? logit / options_.repetition_penalty : logit * options_.repetition_penalty;
    logit -= options_.frequency_penalty * count;
    if (count > 0) logit -= options_.presence_penalty;
    row_[id] = static_cast<float>(logit);
  }
}

std::uint32_t Sampler::likeliest() const {
  return static_cast<std::uint32_t>(std::max_element(row_.begin(), row_.end()) - row_.begin());
}

double Sampler::weight(const Candidate& one) const {
  return std::exp((one.logit - highest_) / options_.temperature);
}

void Sampler::select(std::size_t count) {
  if (count < candidates_.size()) {
    std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(count),
                     candidates_.end(), is_before<Candidate>);
  }
  const auto end =
      candidates_.begin() + static_cast<std::ptrdiff_t>(std::min(count, candidates_.size()));
  std::sort(candidates_.begin(), end, is_before<Candidate>);
}

/// top_p: the shortest row of likeliest tokens whose probabilities reach the share. Few do as a
/// rule, so ever longer beginnings are put in order.
void Sampler::keep_share() {
  double total = 0;
  for (const Candidate& one : candidates_) total += weight(one);
  for (std::size_t count = 64;; count *= 8) {
    select(count);
    const std::size_t ordered = std::min(count, candidates_.size());
    double sum = 0;
    for (std::size_t i = 0; i < ordered; ++i) {
      sum += weight(candidates_[i]);
      if (sum < options_.top_p * total && i + 1 < candidates_.size()) continue;
      candidates_.resize(i + 1);
      return;
    }
  }
}

std::uint32_t Sampler::drawn(double chance) {
  candidates_.clear();
  for (std::size_t i = 0; i < row_.size(); ++i)
    if (row_[i] > never_drawn) candidates_.push_back({row_[i], static_cast<std::uint32_t>(i)});
  if (candidates_.empty()) return 0;
  if (options_.top_k > 0 && options_.top_k < candidates_.size()) {
    select(options_.top_k);
    candidates_.resize(options_.top_k);
  }
  if (options_.top_p < 1) keep_share();
  if (options_.min_p > 0) {
    std::erase_if(candidates_,
                  [this](const Candidate& one) { return weight(one) < options_.min_p; });
  }
  double total = 0;
  for (const Candidate& one : candidates_) total += weight(one);
  double left = chance * total;
  for (const Candidate& one : candidates_) {
    left -= weight(one);
    if (left < 0) return one.id;
  }
  return candidates_.back().id;
}

SampledToken Sampler::draw(std::span<const float> logits, std::uint64_t position) {
  row_.assign(logits.begin(), logits.end());
  for (float& logit : row_) logit = as_number(logit);
  adjust();
  SampledToken out{.id = likeliest()};
  highest_ = row_[out.id];
  if (options_.temperature > 0) out.id = drawn(chance_of(options_.seed, request_, position));
  ++seen_[out.id];
  if (options_.logprobs || options_.top_logprobs > 0) add_logprobs(logits, out);
  return out;
}

void Sampler::add_logprobs(std::span<const float> logits, SampledToken& out) const {
  std::vector<Candidate> best;
  double highest = never_drawn;
  for (const float logit : logits) highest = std::max<double>(highest, as_number(logit));
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const float logit = as_number(logits[i]);
    if (logit > never_drawn) total += std::exp(logit - highest);
    if (options_.top_logprobs > 0) best.push_back({logit, static_cast<std::uint32_t>(i)});
  }
  const auto logprob = [&](float logit) {
    if (logit == never_drawn) return static_cast<float>(least_logprob);
    return static_cast<float>(std::max(logit - highest - std::log(total), least_logprob));
  };
  out.logprob = logprob(as_number(logits[out.id]));
  const std::size_t count = std::min<std::size_t>(options_.top_logprobs, best.size());
  const auto end = best.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(best.begin(), end, best.end(), is_before<Candidate>);
  for (std::size_t i = 0; i < count; ++i) out.top.push_back({best[i].id, logprob(best[i].logit)});
}

}  // namespace cairn::inference
