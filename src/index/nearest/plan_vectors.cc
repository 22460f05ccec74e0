// SPDX-License-Identifier: Apache-2.0
// Plans of sparse weights, and of the best chunk of semantic fields by them.
#include <algorithm>
#include <cmath>

#include "index/errors.h"
#include "index/nearest/best_chunk.h"
#include "index/nearest/sparse_pruning.h"
#include "index/query/plan.h"
#include "index/view.h"

namespace cairn::index {
namespace {

// Scores of chunks by the sum over tokens, exhaustively.
Result<std::vector<float>> sparse_chunk_scores(const QueryContext& context, const Segment& segment,
                                               const SparseQuery& query, float boost,
                                               std::uint32_t rows) {
  std::vector<float> sums(rows, 0);
  const TermsReader* reader = segment.terms(query.field);
  if (reader == nullptr) return sums;
  for (const auto& [token, weight] : query.weights) {
    CAIRN_TRY(const auto entry, reader->find(token, context.deadline));
    if (!entry) continue;
    CAIRN_TRY(auto cursor, reader->postings(*entry, context.deadline));
    CAIRN_CHECK(context.steps.take(1 + cursor.doc_freq() / 2));
    const float w = boost * weight;
    for (std::uint32_t b = 0; b < cursor.block_count(); ++b) {
      cursor.load(b);
      cursor.load_freqs();
      for (std::uint32_t i = 0; i < cursor.count(); ++i)
        if (cursor.docs()[i] < rows) sums[cursor.docs()[i]] += w * decode_weight(cursor.freqs()[i]);
    }
  }
  return sums;
}

Result<PlanPtr> plan_sparse_chunks(const QueryContext& context, const SparseQuery& query,
                                   float boost) {
  std::vector<std::shared_ptr<const ScoredList>> lists;
  for (const SegmentView& view : context.view.segments) {
    const Segment& segment = *view.segment;
    CAIRN_TRY(const Bytes chunks, segment.chunks(query.field, context.deadline));
    const auto rows = static_cast<std::uint32_t>(chunks.view.size() / sizeof(ChunkRow));
    CAIRN_TRY(const auto sums, sparse_chunk_scores(context, segment, query, boost, rows));
    auto list = std::make_shared<ScoredList>();
    BestChunk best;
    const auto take = [&](std::uint32_t doc, float score) { list->emplace_back(doc, score); };
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (sums[row] <= 0) continue;
      const std::uint32_t doc = row_at<ChunkRow>(chunks.view, row).doc;
      if (view.is_live(doc)) best.add(doc, sums[row], take);
    }
    best.finish(take);
    lists.push_back(std::move(list));
  }
  return lists_plan(std::move(lists), 1);
}

}  // namespace

Result<PlanPtr> plan_sparse(const QueryContext& context, const SparseQuery& query, float boost) {
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(query.weights.size(), 1) - 1));
  if (field->type == FieldType::semantic_text) {
    if (field->model_settings && field->model_settings->task_type != "sparse_embedding")
      return query_error("field [" + query.field +
                         "] has dense embeddings; ask it with a dense query");
    CAIRN_TRY(auto tokens, scored_tokens(context, query));
    return plan_sparse_chunks(context, {.field = query.field, .weights = std::move(tokens)}, boost);
  }
  if (field->declared_type() != FieldType::sparse_vector)
    return query_error(
        "[sparse_vector] queries are only supported on [sparse_vector] fields, not "
        "on [" +
        query.field + "] of type [" + std::string(name_of(field->declared_type())) + "]");
  auto plan = std::make_shared<BoolPlan>();
  CAIRN_TRY(const TokenWeights tokens, scored_tokens(context, query));
  for (const auto& [token, weight] : tokens) {
    CAIRN_TRY(auto term, find_term(context, query.field, token));
    term->weight = boost * weight;
    plan->should.push_back(std::move(term));
  }
  if (plan->should.empty()) return no_plan();
  if (plan->should.size() == 1) return plan->should.front();
  plan->least_should = 1;
  return PlanPtr(std::move(plan));
}

}  // namespace cairn::index
