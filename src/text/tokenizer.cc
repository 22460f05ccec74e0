// SPDX-License-Identifier: Apache-2.0
// The face of tokenizers: texts to the pipeline, its tokens into the template.
#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "format/json.h"
#include "os/steps.h"
#include "text/tokenizer/decoders.h"
#include "text/tokenizer/pipeline.h"
#include "text/tokenizer/post_processor.h"
#include "text/tokenizer/settings.h"
#include "text/tokenizer/truncate.h"

namespace cairn::text {

using tokenizer::TokenList;

struct Tokenizer::Impl {
  tokenizer::Pipeline pipeline;
  tokenizer::PostProcessor post_processor;
  tokenizer::Decoders decoders;
  std::optional<Truncation> truncation;
  TokenizerFacts facts;

  Status encode(std::span<const std::string_view> texts, const EncodeOptions& options,
                const os::Deadline& deadline, Encoding& out) const;
  Status encode_text(std::string_view text, const EncodeOptions& options, std::size_t limit,
                     os::Steps& steps, TokenList& out) const;
  void compose(std::span<const TokenList> texts, bool with_special, bool with_ranges,
               Encoding& out) const;
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Result<Tokenizer> Tokenizer::parse(std::string_view tokenizer_json) {
  return load({.tokenizer_json = tokenizer_json});
}

Result<Tokenizer> Tokenizer::load(const TokenizerFiles& files) {
  static const Json null;
  CAIRN_TRY(const tokenizer::Settings settings,
            tokenizer::read_settings(files.tokenizer_config, files.special_tokens_map));
  auto impl = std::make_unique<Impl>();
  if (!files.tokenizer_json.empty()) {
    CAIRN_TRY(const Json json, parse_json(files.tokenizer_json));
    if (!json.is_object()) return tokenizer::wrong_file("must be an object");
    const auto member = [&](std::string_view name) -> const Json& {
      const Json* found = json.find(name);
      return found == nullptr ? null : *found;
    };
    CAIRN_TRY(impl->pipeline, tokenizer::read_pipeline(json));
    CAIRN_TRY(impl->post_processor, tokenizer::read_post_processor(member("post_processor")));
    CAIRN_TRY(impl->decoders, tokenizer::read_decoders(member("decoder")));
    CAIRN_TRY(impl->truncation, tokenizer::read_truncation(member("truncation")));
  } else if (!files.vocab_txt.empty()) {
    CAIRN_TRY(impl->pipeline, tokenizer::bert_pipeline(files.vocab_txt, settings.bert));
    CAIRN_TRY(impl->post_processor, tokenizer::bert_template(impl->pipeline.model->vocabulary()));
    CAIRN_TRY(impl->decoders, tokenizer::read_decoders(Json::object({{"type", "WordPiece"}})));
  } else {
    return tokenizer::wrong_file("there is neither tokenizer.json nor vocab.txt");
  }
  Tokenizer out(std::move(impl));
  out.impl_->facts =
      tokenizer::facts_of(settings, [&out](std::string_view token) { return out.id_of(token); });
  if (!out.impl_->facts.unknown) out.impl_->facts.unknown = out.impl_->pipeline.model->unknown_id();
  return out;
}

Status Tokenizer::Impl::encode_text(std::string_view text, const EncodeOptions& options,
                                    std::size_t limit, os::Steps& steps, TokenList& out) const {
  const bool ranges = options.with_ranges;
  out.cut(0);
  CAIRN_CHECK(pipeline.run(text,
                           {.match_special = options.match_special_tokens,
                            .trusted = options.trusted,
                            .ranges = ranges,
                            .limit = limit},
                           steps, out));
  return ok_status();
}

Status Tokenizer::Impl::encode(std::span<const std::string_view> texts,
                               const EncodeOptions& options, const os::Deadline& deadline,
                               Encoding& out) const {
  const Truncation cut = options.truncation.value_or(truncation.value_or(Truncation{}));
  const std::size_t added =
      options.add_special_tokens ? post_processor.special_count(texts.size() == 2) : 0;
  const std::size_t room = cut.max_tokens > added ? cut.max_tokens - added : 0;
  // Of two texts, and where the end is kept, all tokens must be known.
  const bool by_start = texts.size() == 1 && !cut.from_left;
  os::Steps steps(deadline, "tokenizing");
  thread_local TokenList tokens[2];
  for (std::size_t i = 0; i < texts.size(); ++i)
    CAIRN_CHECK(encode_text(texts[i], options, by_start ? room : SIZE_MAX, steps, tokens[i]));
  CAIRN_TRY(out.is_truncated,
            tokenizer::truncate(std::span(tokens).first(texts.size()), cut, room));
  if (options.with_ranges && post_processor.trims_offsets) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      tokenizer::trim_ranges(texts[i], pipeline, post_processor.keeps_added_space, tokens[i]);
    }
  }
  compose(std::span(tokens).first(texts.size()), options.add_special_tokens, options.with_ranges,
          out);
  for (TokenList& one : tokens) {
    constexpr std::size_t kept_tokens = 1U << 16;
    if (one.ids.capacity() > kept_tokens) one = {};
  }
  return ok_status();
}

void Tokenizer::Impl::compose(std::span<const TokenList> texts, bool with_special, bool with_ranges,
                              Encoding& out) const {
  out.ids.clear();
  out.type_ids.clear();
  out.ranges.clear();
  out.text_of.clear();
  for (const auto& piece : texts.size() == 2 ? post_processor.pair : post_processor.single) {
    if (piece.sequence < 0) {
      if (!with_special) continue;
      out.ids.insert(out.ids.end(), piece.ids.begin(), piece.ids.end());
    } else {
      const TokenList& tokens = texts[static_cast<std::size_t>(piece.sequence)];
      out.ids.insert(out.ids.end(), tokens.ids.begin(), tokens.ids.end());
      for (const auto span : tokens.spans) out.ranges.push_back({span.begin, span.end});
    }
    out.type_ids.resize(out.ids.size(), piece.type_id);
    out.text_of.resize(out.ids.size(),
                       static_cast<std::uint8_t>(piece.sequence < 0 ? 2 : piece.sequence));
    if (with_ranges) out.ranges.resize(out.ids.size());
  }
}

Status Tokenizer::encode(std::string_view text, const EncodeOptions& options,
                         const os::Deadline& deadline, Encoding& out) const {
  return impl_->encode(std::span(&text, 1), options, deadline, out);
}

Status Tokenizer::encode_pair(std::string_view first, std::string_view second,
                              const EncodeOptions& options, const os::Deadline& deadline,
                              Encoding& out) const {
  const std::string_view texts[] = {first, second};
  return impl_->encode(texts, options, deadline, out);
}

TokenIds Tokenizer::encode(std::string_view text, std::size_t limit) const {
  const os::Deadline never = os::Deadline::never();
  os::Steps steps(never, "tokenizing");
  TokenList tokens;
  TokenIds out;
  if (!impl_->pipeline.run(text, {.limit = limit}, steps, tokens).ok()) return out;
  out.is_truncated = tokens.ids.size() > limit;
  if (out.is_truncated) tokens.ids.resize(limit);
  out.ids = std::move(tokens.ids);
  return out;
}

Result<std::vector<std::string>> Tokenizer::words(std::string_view text) const {
  const os::Deadline never = os::Deadline::never();
  os::Steps steps(never, "tokenizing");
  std::vector<std::string> out;
  CAIRN_CHECK(impl_->pipeline.words(text, steps, out));
  return out;
}

std::string Tokenizer::decode(std::span<const std::uint32_t> ids, bool skip_special_tokens) const {
  std::vector<std::string> tokens;
  for (const std::uint32_t id : ids) {
    const std::string_view token = this->token(id);
    if (token.empty() || (skip_special_tokens && is_special(id))) continue;
    tokens.emplace_back(token);
  }
  const bool apart = impl_->decoders.empty();
  for (const auto& step : impl_->decoders) step->apply(tokens);
  std::string out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (apart && i > 0) out += ' ';
    out += tokens[i];
  }
  return out;
}

std::size_t Tokenizer::vocabulary_size() const {
  return std::max(impl_->pipeline.model->vocabulary().size(), impl_->pipeline.added.ids());
}

std::string_view Tokenizer::token(std::uint32_t id) const {
  if (const auto* added = impl_->pipeline.added.find(id)) return added->content;
  return impl_->pipeline.model->vocabulary().token(id);
}

std::optional<std::uint32_t> Tokenizer::id_of(std::string_view token) const {
  if (const auto* added = impl_->pipeline.added.find(token)) return added->id;
  return impl_->pipeline.model->vocabulary().id_of(token);
}

bool Tokenizer::is_special(std::uint32_t id) const {
  const auto* added = impl_->pipeline.added.find(id);
  return added != nullptr && added->special;
}

std::uint32_t Tokenizer::unknown_id() const { return impl_->facts.unknown.value_or(0); }

const TokenizerFacts& Tokenizer::facts() const { return impl_->facts; }

std::size_t Tokenizer::size_bytes() const { return impl_->pipeline.model->size_bytes(); }

}  // namespace cairn::text
