// SPDX-License-Identifier: Apache-2.0
// A decoder for tests: its next token is a hash of all tokens, read back from the pages.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "inference/decoder/step_model.h"
#include "inference/generation/token_sink.h"

namespace cairn::inference {

class FakeStepModel final : public StepModel {
 public:
  explicit FakeStepModel(std::size_t most_pages, std::size_t most_tokens = 4096)
      : most_tokens_(most_tokens),
        pool_({.layers = 1, .kv_heads = 1, .head_size = 8, .narrow = false}, most_pages) {}

  Status step(std::span<const StepInput> batch, const os::Deadline& deadline) override {
    CAIRN_CHECK(deadline.check("a fake step"));
    ++steps;
    if (fault) return *fault;
    const auto asks = std::count_if(batch.begin(), batch.end(), [](const StepInput& input) {
      return input.output == StepOutput::logits;
    });
    REQUIRE(static_cast<std::size_t>(asks) <= most_step_logits);
    logits_.assign(batch.size(), {});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const StepInput& input = batch[i];
      CAIRN_CHECK(input.sequence->reserve(pool_, input.ids.size()));
      for (std::size_t t = 0; t < input.ids.size(); ++t) write(*input.sequence, t, input.ids[t]);
      input.sequence->advance(input.ids.size());
      if (input.output != StepOutput::logits) continue;
      logits_[i].assign(words, 0.0F);
      logits_[i][next_of(*input.sequence)] = 1;
    }
    return ok_status();
  }
  const float* logits(std::size_t index) const override { return logits_.at(index).data(); }
  KvPool& pool() override { return pool_; }
  std::size_t vocabulary() const override { return words; }
  std::size_t most_tokens() const override { return most_tokens_; }

  static constexpr std::size_t words = 1000;
  int steps = 0;
  std::optional<Error> fault;

 private:
  static float* page_of(const KvSequence& sequence, std::size_t token) {
    return sequence.pages().at(token / kernels::page_tokens)->head<float>(0, 0);
  }
  static void write(const KvSequence& sequence, std::size_t behind, std::uint32_t id) {
    const std::size_t token = sequence.tokens() + behind;
    REQUIRE(sequence.pages().at(token / kernels::page_tokens).use_count() == 1);  // not another's
    page_of(sequence, token)[token % kernels::page_tokens] = static_cast<float>(id);
  }
  static std::size_t next_of(const KvSequence& sequence) {
    std::uint64_t hash = 7;
    for (std::size_t t = 0; t < sequence.tokens(); ++t) {
      const auto id = page_of(sequence, t)[t % kernels::page_tokens];
      hash = (hash ^ static_cast<std::uint64_t>(id)) * 0x100000001B3ULL + t;
    }
    return (hash >> 20U) % words;
  }

  std::size_t most_tokens_;
  KvPool pool_;
  std::vector<std::vector<float>> logits_;
};

/// Takes the greatest number each time, until it has as many tokens as it wants.
class GreedySink final : public TokenSink {
 public:
  explicit GreedySink(std::size_t most) : most_(most) {}
  std::optional<std::uint32_t> next(std::span<const float> logits) override {
    REQUIRE_FALSE(how);
    const auto best = std::max_element(logits.begin(), logits.end());
    ids.push_back(static_cast<std::uint32_t>(best - logits.begin()));
    if (ids.size() == most_) return std::nullopt;
    return ids.back();
  }
  bool is_wanted() const override { return wanted; }
  void charge(std::int64_t cpu_ns) override { charged_ns += cpu_ns; }
  void ended(const Status& status) override {
    REQUIRE_FALSE(how);
    how = status;
  }
  bool is_done() const { return how && how->ok(); }

  std::vector<std::uint32_t> ids;
  bool wanted = true;
  std::int64_t charged_ns = 0;
  std::optional<Status> how;

 private:
  std::size_t most_;
};

}  // namespace cairn::inference
