// SPDX-License-Identifier: Apache-2.0
// The vocabulary table and the greedy match.
#include "text/wordpiece.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"

namespace cairn::text {
namespace {

Error wrong_vocabulary(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument, .message = "tokenizer: " + std::move(message)};
}

// Longer ones are no vocabulary that anybody trained; what one word costs grows with both.
constexpr std::size_t longest_token_bytes = 256;
constexpr std::int64_t most_characters_of_word = 1'000;

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U; }

}  // namespace

Result<Vocabulary> Vocabulary::build(
    const std::vector<std::pair<std::string, std::uint32_t>>& tokens) {
  std::uint32_t largest = 0;
  std::size_t bytes = 0;
  for (const auto& [token, id] : tokens) {
    largest = std::max(largest, id);
    bytes += token.size();
  }
  if (tokens.empty()) return wrong_vocabulary("the vocabulary is empty");
  if (largest > 4 * tokens.size() + 1000) {
    return wrong_vocabulary("id " + std::to_string(largest) +
                            " is far beyond the number of tokens, " +
                            std::to_string(tokens.size()));
  }
  if (bytes > UINT32_MAX) return wrong_vocabulary("the vocabulary is over 4 GiB");
  std::vector<const std::string*> by_id(std::size_t{largest} + 1, nullptr);
  for (const auto& [token, id] : tokens) {
    if (by_id[id] != nullptr && *by_id[id] != token) {
      return wrong_vocabulary("[" + token + "] and [" + *by_id[id] + "] share the id " +
                              std::to_string(id));
    }
    by_id[id] = &token;
  }
  Vocabulary out;
  out.bytes_.reserve(bytes);
  out.ends_.reserve(by_id.size());
  out.slots_.assign(std::bit_ceil(by_id.size() * 2), 0);
  for (std::uint32_t id = 0; id < by_id.size(); ++id) {
    if (by_id[id] != nullptr) {
      const std::string& token = *by_id[id];
      out.bytes_ += token;
      out.longest_ = std::max(out.longest_, token.size());
      std::size_t slot = fast_hash(token) & (out.slots_.size() - 1);
      while (out.slots_[slot] != 0) slot = (slot + 1) & (out.slots_.size() - 1);
      out.slots_[slot] = id + 1;
    }
    out.ends_.push_back(static_cast<std::uint32_t>(out.bytes_.size()));
  }
  return out;
}

std::string_view Vocabulary::token(std::uint32_t id) const {
  if (id >= ends_.size()) return {};
  const std::size_t begin = id == 0 ? 0 : ends_[id - 1];
  return std::string_view(bytes_).substr(begin, ends_[id] - begin);
}

std::optional<std::uint32_t> Vocabulary::id_of(std::string_view token) const {
  if (slots_.empty() || token.empty()) return std::nullopt;
  std::size_t slot = fast_hash(token) & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    const std::uint32_t id = slots_[slot] - 1;
    if (this->token(id) == token) return id;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return std::nullopt;
}

std::size_t Vocabulary::size_bytes() const {
  return bytes_.capacity() + (ends_.capacity() + slots_.capacity()) * sizeof(std::uint32_t);
}

Result<WordPiece> WordPiece::parse(const Json& model) {
  const std::string type = model.string_or("type");
  if (!type.empty() && type != "WordPiece") {
    return Error{.kind = ErrorKind::unsupported,
                 .message = "tokenizer: model type [" + type + "] is not offered"};
  }
  const Json* vocab = model.find("vocab");
  if (vocab == nullptr || !vocab->is_object())
    return wrong_vocabulary("model.vocab must be an object");
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  tokens.reserve(vocab->as_object().size());
  for (const auto& [token, id] : vocab->as_object()) {
    if (id.type() != Json::Type::integer || id.as_int() < 0 || id.as_int() > INT32_MAX) {
      return wrong_vocabulary("the id of [" + token + "] must be a number from 0");
    }
    if (token.empty()) continue;  // never the piece of a word
    if (token.size() > longest_token_bytes) {
      return wrong_vocabulary("the token of id " + id.dump() + " is longer than " +
                              std::to_string(longest_token_bytes) + " bytes");
    }
    tokens.emplace_back(token, static_cast<std::uint32_t>(id.as_int()));
  }
  WordPiece out;
  CAIRN_TRY(out.vocabulary_, Vocabulary::build(tokens));
  const Json* prefix = model.find("continuing_subword_prefix");
  out.prefix_ = prefix != nullptr && prefix->is_string() ? prefix->as_string() : "##";
  const Json* longest = model.find("max_input_chars_per_word");
  if (longest != nullptr && longest->type() == Json::Type::integer && longest->as_int() > 0) {
    if (longest->as_int() > most_characters_of_word) {
      return wrong_vocabulary("max_input_chars_per_word must be at most " +
                              std::to_string(most_characters_of_word));
    }
    out.longest_word_ = static_cast<std::size_t>(longest->as_int());
  }
  const Json* unknown = model.find("unk_token");
  const std::string name =
      unknown != nullptr && unknown->is_string() ? unknown->as_string() : "[UNK]";
  const auto id = out.vocabulary_.id_of(name);
  if (!id) return wrong_vocabulary("unk_token [" + name + "] is not in the vocabulary");
  out.unknown_id_ = *id;
  return out;
}

void WordPiece::encode(std::string_view word, std::vector<std::uint32_t>& out) const {
  if (word.empty()) return;
  if (const auto whole = vocabulary_.id_of(word)) {  // most words; also those over the limit
    if (word.size() <= longest_word_) return out.push_back(*whole);
  }
  const auto characters = static_cast<std::size_t>(
      std::count_if(word.begin(), word.end(), [](char byte) { return starts_character(byte); }));
  if (characters > longest_word_) return out.push_back(unknown_id_);
  const std::size_t first = out.size();
  std::string candidate;
  for (std::size_t begin = 0; begin < word.size();) {
    candidate.assign(begin == 0 ? std::string_view() : std::string_view(prefix_));
    const std::size_t lead = candidate.size();
    candidate.append(
        word.substr(begin, std::min(word.size() - begin, vocabulary_.longest_token())));
    std::optional<std::uint32_t> id;
    while (candidate.size() > lead) {
      const std::size_t end = begin + candidate.size() - lead;
      if (end == word.size() || starts_character(word[end])) id = vocabulary_.id_of(candidate);
      if (id) break;
      candidate.pop_back();
    }
    if (!id) {
      out.resize(first);
      return out.push_back(unknown_id_);
    }
    out.push_back(*id);
    begin += candidate.size() - lead;
  }
}

}  // namespace cairn::text
