// SPDX-License-Identifier: Apache-2.0
// The vocabulary's table.
#include "text/tokenizer/vocabulary.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "text/tokenizer/trie.h"

namespace cairn::text::tokenizer {
namespace {

constexpr std::size_t most_bytes = 256U << 20;

Status check_sizes(std::size_t tokens, std::size_t bytes, std::uint32_t largest) {
  if (tokens == 0) return wrong_file("the vocabulary is empty");
  if (largest > 4 * tokens + 1000 || largest >= Trie::most_values) {
    return wrong_file("id " + std::to_string(largest) + " is far beyond the number of tokens, " +
                      std::to_string(tokens));
  }
  if (bytes > most_bytes) return wrong_file("the vocabulary is over 256 MiB");
  return ok_status();
}

}  // namespace

Result<std::vector<Vocabulary::Token>> Vocabulary::read(const Fields& model) {
  const Json* vocab = model.find("vocab");
  if (vocab == nullptr || !vocab->is_object()) return model.wrong("vocab", "must be an object");
  std::vector<Token> tokens;
  tokens.reserve(vocab->as_object().size());
  for (const auto& [token, id] : vocab->as_object()) {
    if (id.type() != Json::Type::integer || id.as_int() < 0 || id.as_int() > INT32_MAX) {
      return model.wrong("vocab", "the id of [" + token + "] must be a number from 0");
    }
    if (token.empty()) continue;  // never the piece of a word
    if (token.size() > longest_token_bytes) {
      return model.wrong("vocab", "the token of id " + id.dump() + " is longer than " +
                                      std::to_string(longest_token_bytes) + " bytes");
    }
    tokens.emplace_back(token, static_cast<std::uint32_t>(id.as_int()));
  }
  return tokens;
}

Result<Vocabulary> Vocabulary::build(const std::vector<Token>& tokens) {
  std::uint32_t largest = 0;
  std::size_t bytes = 0;
  for (const auto& [token, id] : tokens) {
    largest = std::max(largest, id);
    bytes += token.size();
  }
  CAIRN_CHECK(check_sizes(tokens.size(), bytes, largest));
  std::vector<const std::string*> by_id(std::size_t{largest} + 1, nullptr);
  for (const auto& [token, id] : tokens) {
    if (by_id[id] != nullptr && *by_id[id] != token) {
      return wrong_file("[" + token + "] and [" + *by_id[id] + "] share the id " +
                        std::to_string(id));
    }
    by_id[id] = &token;
  }
  Vocabulary out;
  out.bytes_.reserve(bytes);
  out.ends_.reserve(by_id.size());
  out.slots_.assign(std::bit_ceil(by_id.size() * 2), {});
  const std::size_t mask = out.slots_.size() - 1;
  for (std::uint32_t id = 0; id < by_id.size(); ++id) {
    if (by_id[id] != nullptr) {
      const std::string& token = *by_id[id];
      out.bytes_ += token;
      out.longest_ = std::max(out.longest_, token.size());
      const std::uint64_t hash = fast_hash(token);
      std::size_t slot = hash & mask;
      while (out.slots_[slot].id_plus_one != 0 &&
             out.token(out.slots_[slot].id_plus_one - 1) != token) {
        slot = (slot + 1) & mask;
      }
      out.slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), id + 1};
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
  const std::uint64_t hash = fast_hash(token);
  const auto high = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash & mask; slots_[slot].id_plus_one != 0; slot = (slot + 1) & mask) {
    if (slots_[slot].hash != high) continue;
    const std::uint32_t id = slots_[slot].id_plus_one - 1;
    if (this->token(id) == token) return id;
  }
  return std::nullopt;
}

std::size_t Vocabulary::size_bytes() const {
  return bytes_.capacity() + ends_.capacity() * sizeof(std::uint32_t) +
         slots_.capacity() * sizeof(Slot);
}

}  // namespace cairn::text::tokenizer
