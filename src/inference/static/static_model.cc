// SPDX-License-Identifier: Apache-2.0
// The tasks of a static model.
#include "inference/static/static_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/static/static_quoter.h"
#include "os/steps.h"

namespace cairn::inference {
namespace {

// Longer words than this are one unknown token each, so that such a text says nothing anyway.
constexpr std::size_t most_token_bytes = 256;

/// At most `most` bytes of a text, not cut within a character.
std::string_view prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return text.substr(0, most);
}

class StaticModel final : public Model {
 public:
  explicit StaticModel(std::unique_ptr<const StaticParts> parts) : parts_(std::move(parts)) {}

  const std::string& model_id() const override { return parts_->model_id; }
  bool supports(TaskType task) const override {
    return std::find(parts_->tasks.begin(), parts_->tasks.end(), task) != parts_->tasks.end();
  }
  std::size_t dimensions() const override { return parts_->tables.dimensions; }
  std::string_view similarity() const override { return "cosine"; }
  std::size_t size_bytes() const override {
    const StaticTables& tables = parts_->tables;
    return parts_->weights_file.size() + parts_->tokenizer.size_bytes() +
           (tables.scales.size() + tables.inverse_norms.size() + tables.idf.size() +
            tables.expansion_ends.size()) *
               sizeof(float) +
           tables.expansions.size() * sizeof(Expansion);
  }
  std::size_t max_input_tokens() const override { return parts_->max_input_tokens; }

  Result<std::vector<std::vector<float>>> embed(std::span<const std::string> inputs, InputType type,
                                                const os::Deadline& deadline) const override {
    if (!supports(TaskType::text_embedding)) return Model::embed(inputs, type, deadline);
    std::vector<std::vector<float>> out;
    out.reserve(inputs.size());
    os::Steps steps(deadline, "embedding texts");
    for (const std::string& input : inputs) {
      CAIRN_CHECK(deadline.check("embedding texts"));
      const text::TokenIds tokens = encode(input);
      out.push_back(dense_vector(parts_->tables, tokens.ids));
      CAIRN_CHECK(steps.take(1 + tokens.ids.size()));
    }
    return out;
  }

  Result<std::vector<SparseVector>> sparse(std::span<const std::string> inputs, InputType type,
                                           const os::Deadline& deadline) const override {
    if (!supports(TaskType::sparse_embedding)) return Model::sparse(inputs, type, deadline);
    std::vector<SparseVector> out;
    out.reserve(inputs.size());
    os::Steps steps(deadline, "embedding texts");
    for (const std::string& input : inputs) {
      CAIRN_CHECK(deadline.check("embedding texts"));
      const text::TokenIds tokens = encode(input);
      CAIRN_CHECK(steps.take(1 + tokens.ids.size()));
      const auto weighted = type == InputType::search
                                ? query_tokens(parts_->tables, tokens.ids, parts_->most_expansions)
                                : document_tokens(parts_->tables, tokens.ids);
      out.push_back(named(weighted, tokens.is_truncated));
    }
    return out;
  }

  Result<std::vector<RerankScore>> rerank(const std::string& query,
                                          std::span<const std::string> documents,
                                          const os::Deadline& deadline) const override {
    if (!supports(TaskType::rerank)) return Model::rerank(query, documents, deadline);
    const RerankQuery prepared(parts_->tables, encode(query).ids);
    std::vector<RerankScore> out;
    out.reserve(documents.size());
    os::Steps steps(deadline, "reranking texts");
    for (std::size_t i = 0; i < documents.size(); ++i) {
      CAIRN_CHECK(deadline.check("reranking texts"));
      const text::TokenIds tokens = encode(documents[i]);
      // Each token of the query is compared with each of the document.
      CAIRN_CHECK(steps.take(1 + tokens.ids.size() * (1 + prepared.token_count())));
      out.push_back({.index = i});
      if (!prepared.knows(tokens.ids)) continue;
      const float logit = parts_->reranker.logit(prepared.features_of(tokens.ids));
      out.back().score = 1 / (1 + std::exp(-logit));
    }
    std::stable_sort(out.begin(), out.end(),
                     [](const RerankScore& a, const RerankScore& b) { return a.score > b.score; });
    return out;
  }

  bool quotes() const override { return supports(TaskType::completion); }
  bool is_quick() const override { return true; }
  Result<QuotedText> quote(std::span<const SaidText> said,
                           const os::Deadline& deadline) const override {
    if (!quotes()) return Model::quote(said, deadline);
    return quoted_text(*parts_, said, deadline);
  }

 private:
  /// Looks at no more of a text than its tokens can need: what it costs has a bound.
  text::TokenIds encode(const std::string& input) const {
    const std::string_view seen = prefix(input, parts_->max_input_tokens * most_token_bytes);
    text::TokenIds out = parts_->tokenizer.encode(seen, parts_->max_input_tokens);
    out.is_truncated = out.is_truncated || seen.size() < input.size();
    return out;
  }

  SparseVector named(const std::vector<WeightedToken>& tokens, bool is_truncated) const {
    SparseVector out{.weights = {}, .is_truncated = is_truncated};
    out.weights.reserve(tokens.size());
    for (const WeightedToken& token : tokens) {
      out.weights.emplace_back(parts_->tokenizer.token(token.id), token.weight);
    }
    std::sort(out.weights.begin(), out.weights.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return out;
  }

  const std::unique_ptr<const StaticParts> parts_;
};

}  // namespace

Result<std::shared_ptr<const Model>> load_static_model(const ModelFiles& files,
                                                       const Json& config) {
  CAIRN_TRY(auto parts, load_static_parts(files, config));
  return std::shared_ptr<const Model>(std::make_shared<const StaticModel>(std::move(parts)));
}

}  // namespace cairn::inference
