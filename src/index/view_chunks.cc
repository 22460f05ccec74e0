// SPDX-License-Identifier: Apache-2.0
// The pieces of a semantic field that answer best.
#include <algorithm>
#include <cstring>

#include "index/document/document.h"
#include "index/errors.h"
#include "index/nearest/vector_scores.h"
#include "index/query/plan.h"
#include "index/query/view_state.h"
#include "index/view.h"

namespace cairn::index {
namespace {

// The rows [first, second) of a document; chunks stand in the order of their documents.
std::pair<std::uint32_t, std::uint32_t> rows_of(std::string_view chunks, std::uint32_t doc) {
  std::uint32_t low = 0;
  const auto count = static_cast<std::uint32_t>(chunks.size() / sizeof(ChunkRow));
  for (std::uint32_t high = count; low < high;) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (row_at<ChunkRow>(chunks, middle).doc < doc)
      low = middle + 1;
    else
      high = middle;
  }
  std::uint32_t end = low;
  while (end < count && row_at<ChunkRow>(chunks, end).doc == doc) ++end;
  return {low, end};
}

Status score_dense(const Segment& segment, const Field& field, const DenseScoreQuery& query,
                   std::uint32_t first, std::vector<ScoredChunk>& chunks,
                   const os::Deadline& deadline) {
  const auto shape = segment.vectors(field.name);
  if (!shape || !field.model_settings || shape->dims != query.vector.size())
    return illegal_argument("the query vector has a different dimension [" +
                            std::to_string(query.vector.size()) + "] than the index vectors");
  Field rules = field;
  rules.byte_elements = shape->bytes;
  rules.similarity = similarity_of(field.model_settings->similarity).value_or(Similarity::cosine);
  CAIRN_TRY(auto vector, checked_vector(rules, query.vector));
  const VectorScoring scoring(rules.similarity, shape->bytes, std::move(vector));
  CAIRN_TRY(const Bytes rows,
            segment.vector_rows(field.name, first, static_cast<std::uint32_t>(chunks.size()), false,
                                deadline));
  for (std::size_t i = 0; i < chunks.size(); ++i)
    chunks[i].score = scoring.score(rows.view.data() + i * shape->row_bytes());
  return ok_status();
}

Status score_sparse(const Segment& segment, const std::string& field, const SparseQuery& query,
                    std::uint32_t first, std::vector<ScoredChunk>& chunks,
                    const os::Deadline& deadline) {
  const TermsReader* terms = segment.terms(field);
  if (terms == nullptr) return ok_status();
  for (const auto& [token, weight] : query.weights) {
    CAIRN_TRY(const auto entry, terms->find(token, deadline));
    if (!entry) continue;
    CAIRN_TRY(auto cursor, terms->postings(*entry, deadline));
    PostingsIterator at(std::move(cursor));
    const auto end = first + static_cast<std::uint32_t>(chunks.size());
    for (std::uint32_t row = at.seek(first); row < end; row = at.next())
      chunks[row - first].score += weight * decode_weight(at.freq());
  }
  return ok_status();
}

}  // namespace

Result<std::vector<ScoredChunk>> View::best_chunks(DocAddress doc, const Query& query,
                                                   std::size_t count,
                                                   const os::Deadline& deadline) const {
  const auto* dense = std::get_if<DenseScoreQuery>(&query.node);
  const auto* sparse = std::get_if<SparseQuery>(&query.node);
  if (dense == nullptr && sparse == nullptr)
    return illegal_argument("the best chunks are those of a dense or a sparse query");
  const std::string& name = dense != nullptr ? dense->field : sparse->field;
  std::vector<ScoredChunk> out;
  const Field* field = state_->mapping->find(name);
  if (field == nullptr || doc.segment >= state_->segments.size()) return out;
  const Segment& segment = *state_->segments[doc.segment].segment;
  CAIRN_TRY(const Bytes chunks, segment.chunks(name, deadline));
  const auto [first, last] = rows_of(chunks.view, doc.doc);
  for (std::uint32_t row = first; row < last; ++row) {
    const ChunkRow chunk = row_at<ChunkRow>(chunks.view, row);
    out.push_back({.input = chunk.input, .start = chunk.start, .end = chunk.end});
  }
  if (out.empty()) return out;
  CAIRN_CHECK(dense != nullptr ? score_dense(segment, *field, *dense, first, out, deadline)
                               : score_sparse(segment, name, *sparse, first, out, deadline));
  std::stable_sort(out.begin(), out.end(),
                   [](const ScoredChunk& a, const ScoredChunk& b) { return a.score > b.score; });
  if (out.size() > count) out.resize(count);
  return out;
}

}  // namespace cairn::index
