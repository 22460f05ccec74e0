// SPDX-License-Identifier: Apache-2.0
// Orders by each way of searching, measured alike.
#include "evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/strings.h"
#include "factorize.h"
#include "kernels/vector.h"
#include "os/files/files.h"
#include "text/analyzer.h"

namespace cairn::mini {
namespace {

constexpr std::size_t depth = 100;
constexpr std::size_t reranked = 50;
constexpr std::size_t file_limit = std::size_t{64} << 20U;

const os::Deadline never = os::Deadline::never();

class DenseIndex {
 public:
  static Result<DenseIndex> build(const inference::Model& model,
                                  const std::vector<std::string>& documents) {
    CAIRN_TRY(const auto vectors, model.embed(documents, inference::InputType::ingest, never));
    DenseIndex out;
    out.vectors_ = Matrix(vectors.size(), model.dimensions());
    for (std::size_t d = 0; d < vectors.size(); ++d) {
      std::copy(vectors[d].begin(), vectors[d].end(), out.vectors_.row(d));
    }
    return out;
  }

  Result<std::vector<Hit>> search(const inference::Model& model, const std::string& query) const {
    CAIRN_TRY(const auto vectors,
              model.embed(std::span(&query, 1), inference::InputType::search, never));
    std::vector<float> scores(vectors_.rows());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      scores[d] = 1 + kernels::dot_f32(vectors[0].data(), vectors_.row(d), vectors_.columns);
    }
    return best_of(scores, depth);
  }

 private:
  Matrix vectors_;
};

class EncodedIndex {
 public:
  static Result<EncodedIndex> build(const inference::Model& model,
                                    const std::vector<std::string>& documents) {
    CAIRN_TRY(const auto vectors, model.sparse(documents, inference::InputType::ingest, never));
    EncodedIndex out;
    for (const auto& vector : vectors) {
      std::vector<inference::WeightedToken> tokens;
      for (const auto& [token, weight] : vector.weights) {
        const auto id = static_cast<std::uint32_t>(out.ids_.size());
        tokens.push_back({out.ids_.emplace(token, id).first->second, weight});
      }
      out.index_.add(tokens);
    }
    return out;
  }

  Result<std::vector<Hit>> search(const inference::Model& model, const std::string& query) const {
    CAIRN_TRY(const auto vectors,
              model.sparse(std::span(&query, 1), inference::InputType::search, never));
    std::vector<inference::WeightedToken> tokens;
    for (const auto& [token, weight] : vectors[0].weights) {
      const auto found = ids_.find(token);
      if (found != ids_.end()) tokens.push_back({found->second, weight});
    }
    return index_.search(tokens, depth);
  }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  SparseIndex index_;
};

std::vector<Hit> fused(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  std::map<std::uint32_t, float> scores;
  for (const auto* hits : {&a, &b}) {
    for (std::size_t i = 0; i < hits->size(); ++i) {
      scores[(*hits)[i].document] += 1 / (60.0F + static_cast<float>(i + 1));
    }
  }
  std::vector<Hit> out;
  for (const auto& [document, score] : scores) out.push_back({document, score});
  std::stable_sort(out.begin(), out.end(),
                   [](const Hit& x, const Hit& y) { return x.score > y.score; });
  return out;
}

Result<std::vector<Hit>> in_new_order(const inference::Model& model, const EvaluationSet& set,
                                      const std::string& query, const std::vector<Hit>& hits) {
  std::vector<std::string> texts;
  const std::size_t count = std::min(hits.size(), reranked);
  for (std::size_t i = 0; i < count; ++i) texts.push_back(set.documents[hits[i].document]);
  CAIRN_TRY(const auto scores, model.rerank(query, texts, never));
  std::vector<Hit> out;
  for (const auto& score : scores) out.push_back({hits[score.index].document, score.score});
  for (std::size_t i = count; i < hits.size(); ++i) out.push_back(hits[i]);
  return out;
}

std::string line_of(std::string_view name, const Quality& quality) {
  return fmt::format("  {:<34} {:>8.3f} {:>10.3f} {:>11.3f}\n", name, quality.mrr_10,
                     quality.recall_10, quality.recall_100);
}

}  // namespace

Result<EvaluationSet> read_evaluation_set(const std::string& name, const std::string& path) {
  CAIRN_TRY(const std::string text, os::read_file(os::system_files(), path, file_limit));
  EvaluationSet out{.name = name, .documents = {}, .queries = {}};
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const auto fields = split(line, '\t');
    for (std::size_t f = 1; f < fields.size(); ++f) {
      out.queries.emplace_back(fields[f], static_cast<std::uint32_t>(out.documents.size()));
    }
    out.documents.emplace_back(fields[0]);
  }
  if (out.queries.empty()) {
    return Error{.kind = ErrorKind::invalid_argument, .message = path + " holds no queries"};
  }
  return out;
}

Result<std::vector<EvaluationSet>> read_translations(const std::string& path) {
  CAIRN_TRY(const std::string text, os::read_file(os::system_files(), path, file_limit));
  std::vector<EvaluationSet> out;
  std::vector<std::string_view> names;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const auto fields = split(line, '\t');
    if (names.empty()) {
      names = fields;
      for (std::size_t n = 1; n < names.size(); ++n) {
        out.push_back({.name = std::string(names[n]), .documents = {}, .queries = {}});
      }
      continue;
    }
    if (fields.size() != names.size()) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = path + ": a line has not " + std::to_string(names.size()) +
                              " fields: " + std::string(fields[0])};
    }
    for (std::size_t n = 1; n < names.size(); ++n) {
      EvaluationSet& set = out[n - 1];
      set.queries.emplace_back(fields[n], static_cast<std::uint32_t>(set.documents.size()));
      set.documents.emplace_back(fields[0]);
    }
  }
  return out;
}

Result<Comparison> compare(const inference::Model& model, const EvaluationSet& set) {
  const Bm25 bm25(text::named_analyzer("standard"), set.documents);
  const Bm25 stemmed(text::named_analyzer("english"), set.documents);
  CAIRN_TRY(const DenseIndex dense, DenseIndex::build(model, set.documents));
  CAIRN_TRY(const EncodedIndex sparse, EncodedIndex::build(model, set.documents));
  Comparison sums;
  for (const auto& [query, answer] : set.queries) {
    const std::vector<Hit> by_bm25 = bm25.search(query, depth);
    CAIRN_TRY(const std::vector<Hit> by_dense, dense.search(model, query));
    CAIRN_TRY(const std::vector<Hit> by_sparse, sparse.search(model, query));
    const std::vector<Hit> hybrid = fused(by_bm25, by_dense);
    CAIRN_TRY(const std::vector<Hit> reranked_bm25, in_new_order(model, set, query, by_bm25));
    CAIRN_TRY(const std::vector<Hit> reranked_hybrid, in_new_order(model, set, query, hybrid));
    sums.bm25.add(rank_of(answer, by_bm25));
    sums.bm25_english.add(rank_of(answer, stemmed.search(query, depth)));
    sums.dense.add(rank_of(answer, by_dense));
    sums.sparse.add(rank_of(answer, by_sparse));
    sums.hybrid.add(rank_of(answer, hybrid));
    sums.reranked_bm25.add(rank_of(answer, reranked_bm25));
    sums.reranked_hybrid.add(rank_of(answer, reranked_hybrid));
  }
  return Comparison{sums.bm25.mean(),           sums.bm25_english.mean(), sums.dense.mean(),
                    sums.sparse.mean(),         sums.hybrid.mean(),       sums.reranked_bm25.mean(),
                    sums.reranked_hybrid.mean()};
}

Result<Quality> measure_dense(const inference::Model& model, const EvaluationSet& set) {
  CAIRN_TRY(const DenseIndex dense, DenseIndex::build(model, set.documents));
  Quality sum;
  for (const auto& [query, answer] : set.queries) {
    CAIRN_TRY(const std::vector<Hit> hits, dense.search(model, query));
    sum.add(rank_of(answer, hits));
  }
  return sum.mean();
}

std::string table_of(const EvaluationSet& set, const Comparison& comparison) {
  std::string out = fmt::format("{}: {} queries, {} documents\n", set.name, set.queries.size(),
                                set.documents.size());
  out += fmt::format("  {:<34} {:>8} {:>10} {:>11}\n", "", "MRR@10", "recall@10", "recall@100");
  out += line_of("BM25", comparison.bm25);
  out += line_of("BM25, English analyzer", comparison.bm25_english);
  out += line_of("text_embedding (dense)", comparison.dense);
  out += line_of("sparse_embedding", comparison.sparse);
  out += line_of("hybrid (BM25 and dense, rrf)", comparison.hybrid);
  out += line_of("rerank of BM25's first 50", comparison.reranked_bm25);
  out += line_of("rerank of the hybrid's first 50", comparison.reranked_hybrid);
  return out;
}

}  // namespace cairn::mini
