// SPDX-License-Identifier: Apache-2.0
// The tokens of a GGUF file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "inference/gguf/gguf_value.h"

namespace cairn::inference {

/// What a token is for, with the numbers that files have.
enum class GgufTokenType : std::int32_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6,
};

/// The tokens, with texts that are views into the file's head.
struct GgufVocabulary {
  std::vector<std::string_view> tokens;  // by id
  std::vector<GgufTokenType> types;      // by id
  std::vector<float> scores;             // by id; empty where the file has none
  std::optional<std::uint32_t> bos, eos, eot, eom, unknown, pad;

  std::string_view token(std::optional<std::uint32_t> id) const {
    return id ? tokens[*id] : std::string_view();
  }
};

/// Errors: invalid_argument, naming the value: lists of different lengths, an id beyond them, two
/// tokens with the same text.
Result<GgufVocabulary> read_gguf_vocabulary(const GgufValues& values);

/// Pairs of tokens that become one, the first ones first, from the scores: a token with a higher
/// score is made before others. [SentencePiece] Errors: invalid_argument where there are no scores,
/// or tokens so long that looking at their parts would take too long.
using GgufMerge = std::pair<std::string_view, std::string_view>;
Result<std::vector<GgufMerge>> merges_of_scores(const GgufVocabulary& vocabulary);

}  // namespace cairn::inference
