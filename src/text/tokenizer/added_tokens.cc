// SPDX-License-Identifier: Apache-2.0
// Reading and finding added tokens.
#include "text/tokenizer/added_tokens.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cairn::text::tokenizer {
namespace {

/// Where white space at the end of `text` begins.
std::size_t without_space_at_end(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0) {
    std::size_t before = end;
    if (!is_space(previous_character(text, before))) break;
    end = before;
  }
  return end;
}

std::size_t space_at_start(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end;
    if (!is_space(next_character(text, next))) break;
    end = next;
  }
  return end;
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0) {
    std::size_t before = begin;
    if (is_word(previous_character(text, before))) return false;
  }
  std::size_t behind = end;
  return end == text.size() || !is_word(next_character(text, behind));
}

Result<AddedToken> read_token(const Json& json, const std::string& path) {
  const Fields fields(json, path);
  AddedToken out;
  CAIRN_TRY(out.content, fields.string("content"));
  if (out.content.size() > longest_token_bytes) return fields.wrong("content", "is too long");
  if (fields.find("id") == nullptr) return fields.wrong("id", "must be a number");
  CAIRN_TRY(const auto id, fields.integer("id", 0, 0, Trie::most_values - 1));
  out.id = static_cast<std::uint32_t>(id);
  CAIRN_TRY(out.single_word, fields.boolean("single_word", false));
  CAIRN_TRY(out.lstrip, fields.boolean("lstrip", false));
  CAIRN_TRY(out.rstrip, fields.boolean("rstrip", false));
  CAIRN_TRY(out.special, fields.boolean("special", false));
  CAIRN_TRY(out.normalized, fields.boolean("normalized", !out.special));
  return out;
}

Result<std::string> normalize(const Normalizers& normalizers, std::string_view content) {
  const os::Deadline never = os::Deadline::never();
  os::Steps steps(never, "tokenizing");
  Work work;
  work.steps = &steps;
  work.text.reset(content, 0, nullptr, false);
  for (const auto& step : normalizers) CAIRN_CHECK(step->apply(work));
  return std::string(work.text.bytes());
}

}  // namespace

AddedMatcher::AddedMatcher(const std::vector<std::pair<std::string, const AddedToken*>>& contents) {
  std::vector<Trie::Key> keys;
  for (const auto& [content, token] : contents) {
    if (content.empty()) continue;
    keys.emplace_back(content, static_cast<std::uint32_t>(tokens_.size()));
    tokens_.push_back(token);
    begins_[static_cast<unsigned char>(content.front())] = true;
  }
  trie_ = Trie::build(std::move(keys));
}

void AddedMatcher::find(std::string_view text, TokenRange where, bool with_special,
                        std::size_t& done, std::vector<AddedPart>& out) const {
  for (std::size_t at = std::max<std::size_t>(where.begin, done); at < where.end;) {
    if (!begins_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const auto [value, length] = trie_.longest(text.substr(at, where.end - at));
    if (value == 0) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    std::size_t end = at + length;
    at = end;
    const AddedToken& token = *tokens_[value - 1];
    if (token.special && !with_special) continue;
    if (token.single_word && !is_single_word(text, begin, end)) continue;
    if (token.lstrip) begin = std::max(without_space_at_end(text.substr(0, begin)), done);
    if (token.rstrip) end += space_at_start(text.substr(end));
    if (begin > done) out.push_back({span_of(done, begin), std::nullopt});
    out.push_back({span_of(begin, end), token.id});
    done = end;
  }
}

void AddedMatcher::split(std::string_view text, bool with_special,
                         std::vector<AddedPart>& out) const {
  std::size_t done = 0;
  find(text, {0, static_cast<std::uint32_t>(text.size())}, with_special, done, out);
  if (done < text.size()) out.push_back({span_of(done, text.size()), std::nullopt});
}

void AddedMatcher::split_within(std::string_view text, std::span<const TokenRange> parts,
                                std::vector<AddedPart>& out) const {
  std::size_t done = 0;
  const auto size = static_cast<std::uint32_t>(text.size());
  for (const TokenRange& part : parts)
    find(text, {part.begin, std::min(part.end, size)}, true, done, out);
  if (done < text.size()) out.push_back({span_of(done, text.size()), std::nullopt});
}

Result<AddedTokens> AddedTokens::read(const Json& tokens, const Normalizers& normalizers,
                                      const Vocabulary& vocabulary) {
  std::vector<AddedToken> read;
  if (!tokens.is_null() && !tokens.is_array()) return wrong_file("[added_tokens] must be an array");
  if (tokens.is_array()) {
    for (std::size_t i = 0; i < tokens.as_array().size(); ++i) {
      CAIRN_TRY(AddedToken token,
                read_token(tokens.as_array()[i], "added_tokens[" + std::to_string(i) + "]"));
      if (!token.content.empty()) read.push_back(std::move(token));
    }
  }
  return build(std::move(read), normalizers, vocabulary);
}

Result<AddedTokens> AddedTokens::build(std::vector<AddedToken> tokens,
                                       const Normalizers& normalizers,
                                       const Vocabulary& vocabulary) {
  AddedTokens out;
  const std::size_t most_ids = 4 * (vocabulary.size() + tokens.size()) + 1000;
  for (AddedToken& token : tokens) {
    if (const auto id = vocabulary.id_of(token.content)) token.id = *id;
    if (token.id >= most_ids) {
      return wrong_file("the id " + std::to_string(token.id) + " of the added token [" +
                        token.content + "] is far beyond the number of tokens");
    }
    out.ids_ = std::max<std::size_t>(out.ids_, std::size_t{token.id} + 1);
  }
  out.tokens_ = std::move(tokens);
  std::stable_sort(out.tokens_.begin(), out.tokens_.end(),
                   [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  out.by_content_.resize(out.tokens_.size());
  std::iota(out.by_content_.begin(), out.by_content_.end(), 0);
  std::sort(out.by_content_.begin(), out.by_content_.end(),
            [&](auto a, auto b) { return out.tokens_[a].content < out.tokens_[b].content; });
  std::vector<std::pair<std::string, const AddedToken*>> raw;
  std::vector<std::pair<std::string, const AddedToken*>> normalized;
  for (const AddedToken& token : out.tokens_) {
    if (token.normalized) {
      CAIRN_TRY(std::string content, normalize(normalizers, token.content));
      normalized.emplace_back(std::move(content), &token);
    } else {
      raw.emplace_back(token.content, &token);
    }
  }
  out.raw_ = AddedMatcher(raw);
  out.normalized_ = AddedMatcher(normalized);
  return out;
}

const AddedToken* AddedTokens::find(std::uint32_t id) const {
  const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), id,
                                      [](const AddedToken& a, auto b) { return a.id < b; });
  return found == tokens_.end() || found->id != id ? nullptr : &*found;
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto found =
      std::lower_bound(by_content_.begin(), by_content_.end(), content,
                       [&](auto a, std::string_view b) { return tokens_[a].content < b; });
  return found == by_content_.end() || tokens_[*found].content != content ? nullptr
                                                                          : &tokens_[*found];
}

}  // namespace cairn::text::tokenizer
