// SPDX-License-Identifier: Apache-2.0
// What a call asks of a model that makes texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "inference/chat/sampler.h"
#include "inference/model/model.h"

namespace cairn::inference {

/// How tokens are drawn; what is absent is as the model's own files say.
struct SamplingParams {
  std::optional<double> temperature = {};
  std::optional<double> top_p = {};
  std::optional<double> min_p = {};
  std::optional<double> repetition_penalty = {};
  std::optional<double> frequency_penalty = {};
  std::optional<double> presence_penalty = {};
  std::optional<std::uint32_t> top_k = {};
  std::optional<std::uint64_t> seed = {};  // absent: another one each time
  std::vector<std::pair<std::uint32_t, float>> logit_bias = {};
  bool logprobs = false;
  std::uint32_t top_logprobs = 0;

  /// Errors: those of SamplingOptions::validate().
  Result<SamplingOptions> over(const SamplingOptions& of_model, std::uint64_t random_seed) const;
};

/// What stands before the text that is made. Of `messages` and `text` one.
struct TextPrompt {
  /// An array of {role, content, …} as templates take it; null: `text` counts.
  Json messages = {};
  Json tools = {};               // an array as templates take it, or null
  Json template_arguments = {};  // more variables of the template, or null
  std::string text = {};
  /// `text` is what a user says, where the model chats; else the model goes on with it.
  bool as_message = false;
};

struct TextCall {
  std::string inference_id = {};
  std::optional<TaskType> task = {};  // where given, the endpoint must have it
  TextPrompt prompt = {};
  SamplingParams sampling = {};
  std::optional<std::size_t> most_tokens = {};  // of each choice; absent: what the model takes
  std::vector<std::string> stop = {};
  std::size_t choices = 1;
  /// Whose it is: only calls of one scope share what was computed of prompts.
  std::string scope = {};
  std::int64_t timeout_ms = -1;  // what was asked for, for the error's text; 0: run now or fail
};

}  // namespace cairn::inference
