// SPDX-License-Identifier: Apache-2.0
// Tokens checked against each other, and merges from scores.
#include "inference/gguf/gguf_vocabulary.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace cairn::inference {
namespace {

constexpr std::string_view tokens_value = "tokenizer.ggml.tokens";
constexpr std::string_view types_value = "tokenizer.ggml.token_type";
constexpr std::string_view scores_value = "tokenizer.ggml.scores";
// Bytes of parts that are looked up; vocabularies of 32,000 to 256,000 words take some millions.
constexpr std::size_t most_part_bytes = std::size_t{1} << 26U;
constexpr std::size_t most_scored_merges = 4'000'000;
constexpr std::size_t most_token_text = 1'024;  // the tokenizer's own bound
constexpr std::size_t most_vocabulary_bytes = std::size_t{16} << 20U;

Error wrong_length(std::string_view name, std::size_t there, std::size_t tokens) {
  return gguf_value_error(name, "has [" + std::to_string(there) + "] elements for [" +
                                    std::to_string(tokens) + "] tokens");
}

Status read_types(const GgufValues& values, GgufVocabulary& out) {
  CAIRN_TRY(const std::vector<std::int32_t> types, values.integers(types_value));
  if (types.empty()) {
    out.types.assign(out.tokens.size(), GgufTokenType::normal);
    return ok_status();
  }
  if (types.size() != out.tokens.size())
    return wrong_length(types_value, types.size(), out.tokens.size());
  for (const std::int32_t type : types) {
    if (type < 1 || type > 6)
      return gguf_value_error(types_value, "holds the unknown type [" + std::to_string(type) + "]");
    out.types.push_back(static_cast<GgufTokenType>(type));
  }
  return ok_status();
}

Status check_apart(const std::vector<std::string_view>& tokens) {
  std::vector<std::string_view> sorted = tokens;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return ok_status();
  return gguf_value_error(tokens_value,
                          "has [" + std::string(twice->substr(0, 100)) + "] more than once");
}

Status read_id(const GgufValues& values, std::string_view name, std::size_t tokens,
               std::optional<std::uint32_t>& out) {
  const std::string whole = "tokenizer.ggml." + std::string(name) + "_token_id";
  if (!values.has(whole)) return ok_status();
  // Files without such a token may say so with the greatest number.
  CAIRN_TRY(const std::uint64_t id, values.integer(whole, UINT32_MAX));
  if (id == UINT32_MAX) return ok_status();
  if (id >= tokens)
    return gguf_value_error(whole, "is [" + std::to_string(id) + "], and there are [" +
                                       std::to_string(tokens) + "] tokens");
  out = static_cast<std::uint32_t>(id);
  return ok_status();
}

bool is_made_by_merges(GgufTokenType type) {
  return type == GgufTokenType::normal || type == GgufTokenType::user_defined;
}

/// What becomes JSON several times over is bounded before.
Status check_token_sizes(const std::vector<std::string_view>& tokens) {
  std::size_t sum = 0;
  for (const std::string_view token : tokens) {
    sum += token.size();
    if (token.size() > most_token_text || sum > most_vocabulary_bytes)
      return gguf_value_error(tokens_value, "has tokens that are too long");
  }
  return ok_status();
}

/// What ends a text is found as a whole, whatever a file says of it, and comes of no user's words.
/// So does what begins one where the file tells no types: some that do name a comma there.
void mark_controls(const GgufValues& values, GgufVocabulary& out) {
  const auto mark = [&](const std::optional<std::uint32_t>& id) {
    if (id && is_made_by_merges(out.types[*id])) out.types[*id] = GgufTokenType::control;
  };
  for (const auto& id : {out.eos, out.eot, out.eom}) mark(id);
  if (!values.has(types_value)) mark(out.bos);
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

struct ScoredMerge {
  float score;
  GgufMerge parts;
};

}  // namespace

Result<GgufVocabulary> read_gguf_vocabulary(const GgufValues& values) {
  GgufVocabulary out;
  CAIRN_TRY(out.tokens, values.strings(tokens_value));
  if (out.tokens.empty()) return gguf_value_error(tokens_value, "is missing, or empty");
  CAIRN_CHECK(check_token_sizes(out.tokens));
  CAIRN_CHECK(read_types(values, out));
  CAIRN_TRY(out.scores, values.numbers(scores_value));
  if (!out.scores.empty() && out.scores.size() != out.tokens.size())
    return wrong_length(scores_value, out.scores.size(), out.tokens.size());
  CAIRN_CHECK(check_apart(out.tokens));
  CAIRN_CHECK(read_id(values, "bos", out.tokens.size(), out.bos));
  CAIRN_CHECK(read_id(values, "eos", out.tokens.size(), out.eos));
  CAIRN_CHECK(read_id(values, "eot", out.tokens.size(), out.eot));
  CAIRN_CHECK(read_id(values, "eom", out.tokens.size(), out.eom));
  CAIRN_CHECK(read_id(values, "unknown", out.tokens.size(), out.unknown));
  CAIRN_CHECK(read_id(values, "padding", out.tokens.size(), out.pad));
  mark_controls(values, out);
  return out;
}

Result<std::vector<GgufMerge>> merges_of_scores(const GgufVocabulary& vocabulary) {
  if (vocabulary.scores.empty()) return gguf_value_error(scores_value, "is missing");
  std::map<std::string_view, std::size_t> known;
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id)
    if (is_made_by_merges(vocabulary.types[id])) known.emplace(vocabulary.tokens[id], id);
  std::vector<ScoredMerge> merges;
  std::size_t work = 0;
  for (const auto& [token, id] : known) {
    work += token.size() * token.size();
    if (token.size() > most_part_bytes || work > most_part_bytes)
      return gguf_value_error(tokens_value, "has tokens that are too long");
    for (std::size_t at = 1; at < token.size(); ++at) {
      if (!begins_character(token[at])) continue;
      const GgufMerge parts = {token.substr(0, at), token.substr(at)};
      if (known.contains(parts.first) && known.contains(parts.second))
        merges.push_back({vocabulary.scores[id], parts});
      if (merges.size() > most_scored_merges)
        return gguf_value_error(tokens_value, "has tokens that are too long");
    }
  }
  const auto order = [](const ScoredMerge& one) {
    return std::tuple(-one.score, -static_cast<std::ptrdiff_t>(one.parts.first.size()),
                      one.parts.first, one.parts.second);
  };
  std::sort(merges.begin(), merges.end(),
            [&](const ScoredMerge& a, const ScoredMerge& b) { return order(a) < order(b); });
  std::vector<GgufMerge> out;
  out.reserve(merges.size());
  for (const ScoredMerge& one : merges) out.push_back(one.parts);
  return out;
}

}  // namespace cairn::inference
