// SPDX-License-Identifier: Apache-2.0
// tokenizer.json to a Tokenizer.
#include "text/tokenizer.h"

#include <utility>

#include "format/json.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/wordpiece.h"

namespace cairn::text {
namespace {

const Json& member(const Json& json, std::string_view name) {
  static const Json null;
  const Json* found = json.find(name);
  return found == nullptr ? null : *found;
}

/// Only special tokens may be added: others would have to be matched in the text.
Status check_added_tokens(const Json& tokens) {
  if (!tokens.is_array()) return ok_status();
  for (const Json& token : tokens.as_array()) {
    if (token.bool_or("special")) continue;
    return Error{.kind = ErrorKind::unsupported,
                 .message = "tokenizer: added token [" + token.string_or("content") +
                            "] is not special, which is not offered"};
  }
  return ok_status();
}

}  // namespace

struct Tokenizer::Impl {
  Normalize normalize;
  PreTokenize pre_tokenize;
  WordPiece model;
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Result<Tokenizer> Tokenizer::parse(std::string_view tokenizer_json) {
  CAIRN_TRY(const Json json, parse_json(tokenizer_json));
  if (!json.is_object()) {
    return Error{.kind = ErrorKind::invalid_argument, .message = "tokenizer: must be an object"};
  }
  CAIRN_CHECK(check_added_tokens(member(json, "added_tokens")));
  auto impl = std::make_unique<Impl>();
  CAIRN_TRY(impl->normalize, parse_normalizer(member(json, "normalizer")));
  CAIRN_TRY(impl->pre_tokenize, parse_pre_tokenizer(member(json, "pre_tokenizer")));
  CAIRN_TRY(impl->model, WordPiece::parse(member(json, "model")));
  return Tokenizer(std::move(impl));
}

TokenIds Tokenizer::encode(std::string_view text, std::size_t limit) const {
  std::string normalized(text);
  impl_->normalize(normalized);
  std::vector<std::string_view> words;
  impl_->pre_tokenize(normalized, words);
  TokenIds out;
  for (const std::string_view word : words) {
    impl_->model.encode(word, out.ids);
    if (out.ids.size() > limit) {
      out.ids.resize(limit);
      out.is_truncated = true;
      break;
    }
  }
  return out;
}

std::size_t Tokenizer::vocabulary_size() const { return impl_->model.vocabulary().size(); }

std::string_view Tokenizer::token(std::uint32_t id) const {
  return impl_->model.vocabulary().token(id);
}

std::optional<std::uint32_t> Tokenizer::id_of(std::string_view token) const {
  return impl_->model.vocabulary().id_of(token);
}

std::uint32_t Tokenizer::unknown_id() const { return impl_->model.unknown_id(); }

std::size_t Tokenizer::size_bytes() const { return impl_->model.vocabulary().size_bytes(); }

}  // namespace cairn::text
