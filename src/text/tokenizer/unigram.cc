// SPDX-License-Identifier: Apache-2.0
// Unigram: of all ways to cut a word into tokens the one whose scores add up to most.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "text/tokenizer/model.h"
#include "text/tokenizer/trie.h"

namespace cairn::text::tokenizer {
namespace {

// A character that no token spells costs so much more than the worst token.
constexpr double unknown_penalty = 10.0;

/// A score as the library that wrote the file reads it back. Its JSON parser makes a double of all
/// digits and divides by a power of ten, which rounds twice. Ways to cut a word that have the same
/// tokens in another order are told apart by such last bits, and should be told apart alike.
double as_read_back(double score) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), score, std::chars_format::scientific);
  std::uint64_t digits = 0;  // at most 17 of them
  int exponent = 0, decimals = 0;
  bool behind_point = false;
  for (const char* at = text.data(); at != end.ptr; ++at) {
    if (*at == 'e') {
      std::from_chars(at[1] == '+' ? at + 2 : at + 1, end.ptr, exponent);
      break;
    }
    if (*at == '.') behind_point = true;
    if (*at < '0' || *at > '9') continue;
    digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    if (behind_point) ++decimals;
  }
  const int power = exponent - decimals;
  if (std::abs(power) > 308) return score;  // no double is that power of ten
  const std::string scale = "1e" + std::to_string(std::abs(power));
  double ten = 1;
  std::from_chars(scale.data(), scale.data() + scale.size(), ten);
  const auto all = static_cast<double>(digits);
  const double size = power < 0 ? all / ten : all * ten;
  return std::signbit(score) ? -size : size;
}

class Unigram : public Model {
 public:
  Unigram(Vocabulary vocabulary, std::vector<double> scores, std::optional<std::uint32_t> unknown,
          bool byte_fallback)
      : vocabulary_(std::move(vocabulary)), scores_(std::move(scores)), unknown_(unknown) {
    std::vector<Trie::Key> keys;
    for (std::uint32_t id = 0; id < vocabulary_.size(); ++id)
      if (const auto token = vocabulary_.token(id); !token.empty()) keys.emplace_back(token, id);
    trie_ = Trie::build(std::move(keys));
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - unknown_penalty;
    if (byte_fallback) bytes_ = byte_tokens(vocabulary_);
  }

  Status encode(std::string_view text, std::span<const Span> words, Work& work, TokenList& out,
                std::size_t limit) const override {
    for (const Span word : words) {
      CAIRN_CHECK(find_best(word.of(text), work));
      CAIRN_CHECK(add_best(text, word, work, out));
      if (out.ids.size() > limit) return ok_status();
    }
    return ok_status();
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<std::uint32_t> unknown_id() const override { return unknown_; }
  std::size_t size_bytes() const override {
    return vocabulary_.size_bytes() + trie_.size_bytes() + scores_.capacity() * sizeof(double);
  }

 private:
  static void offer(BestPath& to, double score, std::uint32_t id, std::size_t begin) {
    if (to.begin < 0 || score > to.score) to = {score, id, static_cast<std::int32_t>(begin)};
  }

  /// Fills `work.paths`: how each place of the word is reached best.
  Status find_best(std::string_view word, Work& work) const {
    auto& paths = work.paths;
    paths.assign(word.size() + 1, {0.0, 0, -1});
    for (std::size_t begin = 0; begin < word.size();) {
      if (!work.steps->go_on()) return work.steps->status();
      const double score = paths[begin].score;
      std::size_t next = begin + 1;
      while (next < word.size() && !starts_character(word[next])) ++next;
      Trie::Node node = Trie::root;
      bool whole = false;  // a token spells this character alone
      for (std::size_t at = begin;
           at < word.size() && trie_.step(node, static_cast<unsigned char>(word[at])); ++at) {
        const std::uint32_t value = trie_.value_plus_one(node);
        if (value == 0 || work.bars(value - 1)) continue;
        offer(paths[at + 1], score + scores_[value - 1], value - 1, begin);
        whole |= at + 1 == next;
      }
      if (!whole) {
        if (!unknown_) {
          return Error{.kind = ErrorKind::invalid_argument,
                       .message =
                           "tokenizer: the text has a character that no token spells, and the "
                           "model has no unknown token"};
        }
        offer(paths[next], score + unknown_score_, *unknown_, begin);
      }
      begin = next;
    }
    return ok_status();
  }

  /// Unknown characters in a row are one token.
  Status add_best(std::string_view text, Span word, Work& work, TokenList& out) const {
    auto& found = work.found;
    found.clear();  // tokens from the last to the first
    for (std::size_t end = word.end - word.begin; end > 0;) {
      const auto begin = static_cast<std::size_t>(work.paths[end].begin);
      const bool unknown = unknown_ && work.paths[end].id == *unknown_;
      const bool joins = unknown && !found.empty() && found.back().begin == end &&
                         work.paths[found.back().end].id == *unknown_;
      if (joins) {
        found.back().begin = static_cast<std::uint32_t>(begin);
      } else {
        found.push_back(span_of(begin, end));
      }
      end = begin;
    }
    for (std::size_t i = found.size(); i-- > 0;) {
      const BestPath& path = work.paths[found[i].end];
      const Span span{word.begin + found[i].begin, word.begin + found[i].end};
      const bool alone = static_cast<std::uint32_t>(path.begin) == found[i].begin;
      if (alone && !(unknown_ && path.id == *unknown_)) {
        out.add(path.id, span.begin, span.end);
      } else {
        add_unknown(span.of(text), span, work, out);
      }
    }
    return ok_status();
  }

  void add_unknown(std::string_view bytes, Span span, const Work& work, TokenList& out) const {
    // What was joined may happen to be a token.
    if (const auto id = vocabulary_.id_of(bytes); id && !work.bars(*id))
      return out.add(*id, span.begin, span.end);
    if (bytes_ && std::all_of(bytes.begin(), bytes.end(), [&](char byte) {
          return (*bytes_)[static_cast<unsigned char>(byte)].has_value();
        })) {
      for (const char byte : bytes)
        out.add((*bytes_)[static_cast<unsigned char>(byte)].value_or(0), span.begin, span.end);
      return;
    }
    out.add(unknown_.value_or(0), span.begin, span.end);
  }

  Vocabulary vocabulary_;
  std::vector<double> scores_;  // by id
  std::optional<std::uint32_t> unknown_;
  std::optional<std::array<std::optional<std::uint32_t>, 256>> bytes_;  // of byte fallback
  double unknown_score_ = 0;
  Trie trie_;
};

}  // namespace

std::array<std::optional<std::uint32_t>, 256> byte_tokens(const Vocabulary& vocabulary) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::array<std::optional<std::uint32_t>, 256> out;
  for (std::size_t byte = 0; byte < out.size(); ++byte) {
    const std::string token{'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
    out[byte] = vocabulary.id_of(token);
  }
  return out;
}

MadeModel read_unigram(const Fields& fields) {
  CAIRN_TRY(const Json::Array* vocab, fields.array("vocab"));
  if (vocab == nullptr) return fields.wrong("vocab", "must be an array");
  if (vocab->size() >= Trie::most_values) return fields.wrong("vocab", "has too many tokens");
  std::vector<Vocabulary::Token> tokens;
  std::vector<double> scores;
  for (const Json& entry : *vocab) {
    const auto id = static_cast<std::uint32_t>(scores.size());
    if (!entry.is_array() || entry.as_array().size() != 2 || !entry.as_array()[0].is_string() ||
        !entry.as_array()[1].is_number() || !std::isfinite(entry.as_array()[1].as_double())) {
      return fields.wrong("vocab", "must have pairs of a token and a finite score; that of id " +
                                       std::to_string(id) + " is none");
    }
    const std::string& token = entry.as_array()[0].as_string();
    if (token.size() > longest_token_bytes)
      return fields.wrong("vocab", "the token of id " + std::to_string(id) + " is too long");
    if (!token.empty()) tokens.emplace_back(token, id);
    scores.push_back(as_read_back(entry.as_array()[1].as_double()));
  }
  CAIRN_TRY(Vocabulary vocabulary, Vocabulary::build(tokens));
  std::optional<std::uint32_t> unknown;
  if (fields.find("unk_id") != nullptr) {
    CAIRN_TRY(const auto id,
              fields.integer("unk_id", 0, 0, static_cast<std::int64_t>(scores.size()) - 1));
    unknown = static_cast<std::uint32_t>(id);
  }
  CAIRN_TRY(const bool fallback, fields.boolean("byte_fallback", false));
  return std::unique_ptr<const Model>(
      std::make_unique<Unigram>(std::move(vocabulary), std::move(scores), unknown, fallback));
}

}  // namespace cairn::text::tokenizer
