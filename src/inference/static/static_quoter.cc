// SPDX-License-Identifier: Apache-2.0
#include "inference/static/static_quoter.h"

#include <algorithm>
#include <limits>

#include "inference/quotes/quotation.h"
#include "kernels/vector.h"
#include "os/steps.h"

namespace cairn::inference {
namespace {

constexpr float heading_share = 0.35F;  // of what a heading adds to a sentence's score
constexpr float unknown_score = -std::numeric_limits<float>::infinity();

std::vector<std::uint32_t> ids_of(const StaticParts& parts, const std::string& text) {
  return parts.tokenizer.encode(text, parts.max_input_tokens).ids;
}

Status tokens_of(const StaticParts& parts, const std::string& text, const os::Deadline& deadline,
                 text::Encoding& out) {
  text::EncodeOptions how;
  how.add_special_tokens = false;
  how.with_ranges = true;
  how.truncation = text::Truncation{.max_tokens = SIZE_MAX};
  how.trusted = std::span<const text::TokenRange>();
  return parts.tokenizer.encode(text, how, deadline, out);
}

Result<std::size_t> count_tokens(const StaticParts& parts, std::span<const SaidText> said,
                                 const os::Deadline& deadline) {
  text::Encoding encoding;
  std::size_t out = 0;
  for (const SaidText& text : said) {
    CAIRN_CHECK(tokens_of(parts, text.content, deadline, encoding));
    out += encoding.ids.size();
  }
  return out;
}

/// Each token with what stands between it and the one before; the last one with the rest.
Status cut_by_tokens(const StaticParts& parts, const std::string& text, QuotedText& out,
                     const os::Deadline& deadline) {
  text::Encoding encoding;
  CAIRN_CHECK(tokens_of(parts, text, deadline, encoding));
  std::size_t begin = 0;
  for (const text::TokenRange& range : encoding.ranges) {
    const std::size_t end = std::max<std::size_t>(begin, range.end);
    out.tokens.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  if (begin < text.size() && out.tokens.empty()) out.tokens.emplace_back();
  if (begin < text.size()) out.tokens.back() += text.substr(begin);
  return ok_status();
}

}  // namespace

Result<std::vector<float>> quote_scores(const StaticParts& parts, const std::string& question,
                                        const QuotableText& context,
                                        const os::Deadline& deadline) {
  const RerankQuery query(parts.tables, ids_of(parts, question));
  os::Steps steps(deadline, "choosing what to quote");
  const auto score = [&](const std::string& text) -> Result<float> {
    const std::vector<std::uint32_t> ids = ids_of(parts, text);
    // Each token of the question is compared with each of the sentence.
    CAIRN_CHECK(steps.take(1 + ids.size() * (1 + query.token_count())));
    if (!query.knows(ids)) return unknown_score;
    return parts.reranker.logit(query.features_of(ids));
  };
  std::vector<float> out;
  out.reserve(context.sentences.size());
  for (const QuotableSentence& sentence : context.sentences) {
    CAIRN_TRY(float own, score(sentence.text));
    if (sentence.heading > 0 && own > unknown_score) {
      const std::string& heading = context.headings[sentence.heading];
      CAIRN_TRY(const float below, score(heading + " " + sentence.text));
      own += heading_share * std::max(0.0F, below - own);
    }
    out.push_back(own);
  }
  return out;
}

Result<QuotedText> quoted_text(const StaticParts& parts, std::span<const SaidText> said,
                               const os::Deadline& deadline) {
  CAIRN_TRY(const QuotePrompt prompt, quote_prompt_of(said, deadline));
  CAIRN_TRY(const QuotableText context, quotable_sentences(prompt.context, deadline));
  CAIRN_TRY(const std::vector<float> scores,
            quote_scores(parts, prompt.question, context, deadline));
  const auto likeness = [&](std::size_t a, std::size_t b) {
    const auto one = dense_vector(parts.tables, ids_of(parts, context.sentences[a].text));
    const auto other = dense_vector(parts.tables, ids_of(parts, context.sentences[b].text));
    return kernels::dot_f32(one.data(), other.data(), one.size());
  };
  const auto chosen = chosen_sentences(scores, likeness, {});
  QuotedText out;
  CAIRN_CHECK(cut_by_tokens(parts, quotation_of(context, chosen, parts.model_id), out, deadline));
  CAIRN_TRY(out.prompt_tokens, count_tokens(parts, said, deadline));
  return out;
}

}  // namespace cairn::inference
