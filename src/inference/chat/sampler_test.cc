// SPDX-License-Identifier: Apache-2.0
#include "inference/chat/sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace cairn::inference::sampler_test {
namespace {

/// Logits that look random, the same each time.
std::vector<float> made_logits(std::size_t count, std::uint64_t seed) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(12 * chance_of(seed, 1, i) - 6);
  return out;
}

/// What may be drawn, with its probability: sorted whole, step by step as the options say.
std::map<std::uint32_t, double> slow_distribution(const std::vector<float>& logits,
                                                  const SamplingOptions& options,
                                                  const std::map<std::uint32_t, int>& generated) {
  std::vector<std::pair<double, std::uint32_t>> all;
  for (std::uint32_t id = 0; id < logits.size(); ++id) {
    double logit = logits[id];
    for (const auto& [biased, bias] : options.logit_bias)
      if (biased == id) logit = static_cast<float>(logit + bias);
    if (const auto found = generated.find(id); found != generated.end()) {
      logit = logit > 0 ? logit / options.repetition_penalty : logit * options.repetition_penalty;
      logit -= options.frequency_penalty * found->second + options.presence_penalty;
    }
    all.emplace_back(static_cast<float>(logit), id);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const auto share_out = [&] {
    double sum = 0;
    std::vector<double> out;
    for (const auto& one : all) {
      out.push_back(std::exp((one.first - all[0].first) / options.temperature));
      sum += out.back();
    }
    for (double& one : out) one /= sum;
    return out;
  };
  if (options.top_k > 0 && options.top_k < all.size()) all.resize(options.top_k);
  std::vector<double> shares = share_out();
  double sum = 0;
  std::size_t kept = 0;
  while (kept < shares.size() && sum < options.top_p) sum += shares[kept++];
  all.resize(std::max<std::size_t>(kept, 1));
  shares = share_out();
  while (all.size() > 1 && shares[all.size() - 1] / shares[0] < options.min_p) all.pop_back();
  shares = share_out();
  std::map<std::uint32_t, double> out;
  for (std::size_t i = 0; i < all.size(); ++i) out[all[i].second] = shares[i];
  return out;
}

}  // namespace

TEST_CASE("sampler: draws follow the distribution that the options leave") {
  SamplingOptions biased{.temperature = 0.9, .seed = 3};
  biased.logit_bias = {{1, 2.5F}, {3, -100.0F}};
  const SamplingOptions rows[] = {
      {.seed = 1},
      {.temperature = 0.5, .seed = 2},
      {.temperature = 2, .top_k = 5, .seed = 3},
      {.top_p = 0.7, .seed = 4},
      {.temperature = 1.5, .min_p = 0.2, .seed = 5},
      {.temperature = 1.2, .top_k = 9, .top_p = 0.8, .min_p = 0.05, .seed = 6},
      biased,
  };
  const std::vector<float> logits = made_logits(16, 9);
  constexpr int draws = 40'000;
  for (const SamplingOptions& options : rows) {
    CAPTURE(options.seed);
    const auto expected = slow_distribution(logits, options, {});
    std::map<std::uint32_t, int> counts;
    Sampler sampler(options, 7);
    for (int i = 0; i < draws; ++i)
      ++counts[sampler.draw(logits, static_cast<std::uint64_t>(i)).id];
    for (const auto& [id, count] : counts) CHECK(expected.count(id) == 1);
    double square = 0;
    for (const auto& [id, share] : expected) {
      const double wanted = share * draws;
      square += (counts[id] - wanted) * (counts[id] - wanted) / std::max(wanted, 1.0);
    }
    // Chi square of at most 15 degrees of freedom: above 45 once in ten thousand seeds.
    CHECK(square < 45);
  }
}

TEST_CASE("sampler: of a large vocabulary only what the options leave is drawn") {
  const std::vector<float> logits = made_logits(100'000, 4);
  for (const SamplingOptions& options :
       {SamplingOptions{.temperature = 0.8, .top_k = 300},
        SamplingOptions{.temperature = 0.3, .top_p = 0.2},
        SamplingOptions{.temperature = 0.1, .top_p = 0.9, .min_p = 0.5}}) {
    const auto expected = slow_distribution(logits, options, {});
    CHECK(expected.size() > 50);
    Sampler sampler(options, 0);
    for (std::uint64_t i = 0; i < 50; ++i) CHECK(expected.count(sampler.draw(logits, i).id) == 1);
  }
}

TEST_CASE("sampler: penalties count what was generated, and the prompt where it should") {
  const std::vector<float> logits = {4.0F, 3.0F, 2.0F, -1.0F};
  const auto first_ids = [&](SamplingOptions options, bool prompt) {
    options.temperature = 0;
    Sampler sampler(options, 0);
    const std::uint32_t seen[] = {0};
    if (prompt) sampler.see_prompt(seen);
    std::string out;
    for (std::uint64_t i = 0; i < 6; ++i) out += std::to_string(sampler.draw(logits, i).id);
    return out;
  };
  CHECK(first_ids({}, true) == "000000");
  CHECK(first_ids({.frequency_penalty = 0.6}, true) == "001010");
  CHECK(first_ids({.presence_penalty = 1.5}, true) == "010000");
  CHECK(first_ids({.repetition_penalty = 1.6}, true) == "100000");
  CHECK(first_ids({.repetition_penalty = 1.6}, false) == "010000");
}

TEST_CASE("sampler: temperature 0 takes the likeliest, of equal ones the first") {
  Sampler sampler({.temperature = 0}, 0);
  CHECK(sampler.draw(std::vector<float>{1, 5, 5, NAN}, 0).id == 1);
  CHECK(sampler.draw(std::vector<float>{NAN, NAN, -INFINITY, -3}, 1).id == 3);
  Sampler warm({.temperature = 1}, 0);
  CHECK(warm.draw(std::vector<float>{NAN, -INFINITY, INFINITY, -3}, 1).id == 2);
}

TEST_CASE("sampler: a draw depends on seed, request and position only") {
  const std::vector<float> logits = made_logits(1000, 5);
  Sampler one({.seed = 5}, 1);
  Sampler other({.seed = 5}, 1);
  (void)other.draw(made_logits(50, 1), 99);
  for (std::uint64_t i = 0; i < 20; ++i) CHECK(one.draw(logits, i).id == other.draw(logits, i).id);
  int equal = 0;
  Sampler next({.seed = 5}, 2);
  for (std::uint64_t i = 0; i < 100; ++i)
    equal += one.draw(logits, i).id == next.draw(logits, i).id;
  CHECK(equal < 20);
}

TEST_CASE("sampler: log probabilities are the model's own") {
  SamplingOptions options{.temperature = 0, .logprobs = true, .top_logprobs = 2};
  options.logit_bias = {{2, 50.0F}};
  Sampler sampler(options, 0);
  const std::vector<float> logits = {std::log(0.5F), std::log(0.3F), std::log(0.2F)};
  const SampledToken token = sampler.draw(logits, 0);
  CHECK(token.id == 2);
  CHECK(token.logprob == doctest::Approx(std::log(0.2)));
  REQUIRE(token.top.size() == 2);
  CHECK(token.top[0].id == 0);
  CHECK(token.top[0].logprob == doctest::Approx(std::log(0.5)));
  CHECK(token.top[1].id == 1);
}

TEST_CASE("sampler: options out of their range are named") {
  CHECK(SamplingOptions{}.validate().ok());
  CHECK(SamplingOptions{.temperature = -1}.validate().error().message.find("temperature") !=
        std::string::npos);
  CHECK_FALSE(SamplingOptions{.top_p = NAN}.validate().ok());
  CHECK_FALSE(SamplingOptions{.min_p = 2}.validate().ok());
  CHECK_FALSE(SamplingOptions{.repetition_penalty = 0}.validate().ok());
  CHECK_FALSE(SamplingOptions{.top_logprobs = 21}.validate().ok());
}

TEST_CASE("sampler: log probabilities are numbers whatever the logits are") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> rows = {
      {inf, 0, 1},       {inf, inf, -inf},      {-inf, -inf, -inf}, {nan, nan, nan},
      {nan, 2, -inf, 1}, {3e38F, -3e38F, 0.5F}, {-inf, 4, nan},
  };
  for (const auto& row : rows) {
    for (const double temperature : {0.0, 1.0}) {
      Sampler sampler({.temperature = temperature, .logprobs = true, .top_logprobs = 3}, 1);
      const SampledToken token = sampler.draw(row, 0);
      CHECK(std::isfinite(token.logprob));
      CHECK(token.logprob <= 0);
      REQUIRE(token.top.size() == 3);
      for (const TokenLogprob& one : token.top) {
        CHECK(std::isfinite(one.logprob));
        CHECK(one.logprob <= 0);
      }
    }
  }
  Sampler sampler({.temperature = 0, .logprobs = true, .top_logprobs = 2}, 1);
  const SampledToken token = sampler.draw(rows[1], 0);
  CHECK(token.logprob == doctest::Approx(std::log(0.5)));
  CHECK(token.top[1].logprob == doctest::Approx(std::log(0.5)));
}

}  // namespace cairn::inference::sampler_test
