// SPDX-License-Identifier: Apache-2.0
// Plans of vectors: the nearest documents, sparse weights, and the best chunk of semantic fields.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "index/document/document.h"
#include "index/errors.h"
#include "index/query/plan.h"
#include "index/query/vector_scores.h"
#include "index/view.h"
#include "kernels/vector.h"

namespace cairn::index {
namespace {

constexpr std::size_t batch_bytes = 1u << 20;

struct Found {
  float score = 0;
  std::uint32_t segment = 0;
  std::uint32_t doc = 0;
};

// Better hits come first: higher scores, then earlier documents.
bool better(const Found& a, const Found& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.segment != b.segment ? a.segment < b.segment : a.doc < b.doc;
}

/// Keeps the k best.
class Best {
 public:
  explicit Best(std::size_t k) : k_(k) {}
  void add(const Found& found) {
    if (heap_.size() == k_ && !better(found, heap_.front())) return;
    if (heap_.size() == k_) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.pop_back();
    }
    heap_.push_back(found);
    std::push_heap(heap_.begin(), heap_.end(), better);
  }
  const std::vector<Found>& all() const { return heap_; }

 private:
  std::size_t k_;
  std::vector<Found> heap_;  // the worst of them on top
};

// The documents that the rows belong to: an array of numbers, or of chunks.
struct Owners {
  Bytes bytes;
  bool chunked = false;
  std::uint32_t doc(std::uint32_t row) const {
    return chunked ? row_at<ChunkRow>(bytes.view, row).doc : row_at<std::uint32_t>(bytes.view, row);
  }
};

Result<Owners> owners_of(const QueryContext& context, const Segment& segment,
                         const std::string& field, bool chunked) {
  Owners out{.bytes = {}, .chunked = chunked};
  if (chunked) {
    CAIRN_TRY(out.bytes, segment.chunks(field, context.deadline));
  } else {
    CAIRN_TRY(out.bytes, segment.vector_docs(field, context.deadline));
  }
  return out;
}

// Calls `each(doc, score)` for the rows of accepted documents, in order.
template <class Each>
Status score_rows(const QueryContext& context, std::size_t index, const Field& field,
                  const VectorScoring& scoring, const BitSet* accepted, Each each) {
  const SegmentView& view = context.view.segments[index];
  const Segment& segment = *view.segment;
  const auto shape = segment.vectors(field.name);
  if (!shape || shape->rows == 0) return ok_status();
  if (shape->dims != scoring.dims())
    return corrupt_object(segment.name(), "vectors differ from their mapping");
  CAIRN_TRY(const Owners owners,
            owners_of(context, segment, field.name, field.type == FieldType::semantic_text));
  if (owners.bytes.view.size() < std::size_t{shape->rows} * (owners.chunked ? sizeof(ChunkRow) : 4))
    return corrupt_object(segment.name(), "vectors lack their documents");
  const auto batch =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, batch_bytes / shape->row_bytes()));
  for (std::uint32_t first = 0; first < shape->rows; first += batch) {
    const std::uint32_t count = std::min(batch, shape->rows - first);
    CAIRN_CHECK(context.steps.take(count * (2 + shape->row_bytes() / 256)));
    Bytes rows;
    for (std::uint32_t r = 0; r < count; ++r) {
      const std::uint32_t doc = owners.doc(first + r);
      if (!view.is_live(doc) || (accepted != nullptr && !accepted->test(doc))) continue;
      if (rows.owner == nullptr) {
        // Read only once a row of the batch is wanted.
        CAIRN_TRY(rows, segment.vector_rows(field.name, first, count, false, context.deadline));
      }
      each(doc, scoring.score(rows.view.data() + r * shape->row_bytes()));
    }
  }
  return ok_status();
}

Result<const Field*> vector_field(const QueryContext& context, const std::string& name,
                                  const char* kind) {
  const Field* field = context.view.mapping->find(name);
  if (field == nullptr) return field;
  if (field->type == FieldType::dense_vector) return field;
  if (field->type == FieldType::semantic_text) {
    if (!field->model_settings) return static_cast<const Field*>(nullptr);
    if (field->model_settings->task_type == "text_embedding") return field;
    return query_error("field [" + name + "] has sparse embeddings; ask it with a sparse query");
  }
  return query_error("[" + std::string(kind) +
                     "] queries are only supported on [dense_vector] "
                     "fields, not on [" +
                     name + "] of type [" + std::string(name_of(field->type)) + "]");
}

Result<VectorScoring> scoring_for(const Field& field, const std::vector<float>& vector) {
  Field rules = field;
  if (field.model_settings) {
    rules.dims = field.model_settings->dimensions;
    rules.byte_elements = field.model_settings->element_type == "byte";
    rules.similarity = similarity_of(field.model_settings->similarity).value_or(Similarity::cosine);
  }
  if (vector.size() != static_cast<std::size_t>(rules.dims))
    return illegal_argument("the query vector has a different dimension [" +
                            std::to_string(vector.size()) + "] than the index vectors [" +
                            std::to_string(rules.dims) + "]");
  CAIRN_TRY(auto checked, checked_vector(rules, vector));
  return VectorScoring(rules.similarity, rules.byte_elements, std::move(checked));
}

std::vector<std::shared_ptr<const ScoredList>> as_lists(const QueryContext& context,
                                                        std::vector<Found> found) {
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.segment != b.segment ? a.segment < b.segment : a.doc < b.doc;
  });
  std::vector<std::shared_ptr<ScoredList>> lists(context.view.segments.size());
  for (const Found& f : found) {
    if (lists[f.segment] == nullptr) lists[f.segment] = std::make_shared<ScoredList>();
    lists[f.segment]->emplace_back(f.doc, f.score);
  }
  return {lists.begin(), lists.end()};
}

// Chunk rows of one document stand together: hands on the best of each document.
class BestChunk {
 public:
  template <class Each>
  void add(std::uint32_t doc, float score, Each each) {
    if (open_ && doc_ == doc) {
      score_ = std::max(score_, score);
      return;
    }
    finish(each);
    open_ = true;
    doc_ = doc;
    score_ = score;
  }
  template <class Each>
  void finish(Each each) {
    if (open_) each(doc_, score_);
    open_ = false;
  }

 private:
  bool open_ = false;
  std::uint32_t doc_ = 0;
  float score_ = 0;
};

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

VectorScoring::VectorScoring(Similarity similarity, bool bytes, std::vector<float> query)
    : similarity_(similarity), bytes_(bytes), query_(std::move(query)) {
  if (!bytes_) return;
  for (const float v : query_) byte_query_.push_back(static_cast<std::int8_t>(v));
  squares_ = static_cast<float>(
      kernels::dot_i8(byte_query_.data(), byte_query_.data(), byte_query_.size()));
}

float VectorScoring::to_score(float raw) const {
  switch (similarity_) {
    case Similarity::cosine:
      return std::max((1.0f + raw) / 2.0f, 0.0f);
    case Similarity::dot_product:
      if (bytes_) return 0.5f + raw / (32768.0f * static_cast<float>(query_.size()));
      return std::max((1.0f + raw) / 2.0f, 0.0f);
    case Similarity::l2_norm:
      return 1.0f / (1.0f + raw);
    case Similarity::max_inner_product:
      return raw < 0 ? 1.0f / (1.0f - raw) : raw + 1.0f;
  }
  return 0;
}

float VectorScoring::least_score(float similarity) const {
  return to_score(similarity_ == Similarity::l2_norm ? similarity * similarity : similarity);
}

float VectorScoring::score(const char* row) const {
  const std::size_t n = query_.size();
  if (!bytes_) {
    const auto* v = reinterpret_cast<const float*>(row);
    return to_score(similarity_ == Similarity::l2_norm ? kernels::l2_f32(query_.data(), v, n)
                                                       : kernels::dot_f32(query_.data(), v, n));
  }
  const auto* v = reinterpret_cast<const std::int8_t*>(row);
  if (similarity_ == Similarity::l2_norm)
    return to_score(static_cast<float>(kernels::l2_i8(byte_query_.data(), v, n)));
  const auto dot = static_cast<float>(kernels::dot_i8(byte_query_.data(), v, n));
  if (similarity_ != Similarity::cosine) return to_score(dot);
  const auto own = static_cast<float>(kernels::dot_i8(v, v, n));
  const float length = std::sqrt(own) * std::sqrt(squares_);
  return to_score(length > 0 ? dot / length : 0.0f);
}

Result<PlanPtr> plan_knn(const QueryContext& context, const KnnQuery& query, float boost) {
  CAIRN_TRY(const Field* field, vector_field(context, query.field, "knn"));
  if (field == nullptr) return no_plan();
  if (query.k == 0) return illegal_argument("[k] must be greater than 0");
  if (field->dims == 0 && !field->model_settings) return no_plan();  // no document yet
  CAIRN_TRY(const VectorScoring scoring, scoring_for(*field, query.vector));
  CAIRN_TRY(const PlanPtr filter, make_filter(context, query.filter));
  const float least = query.similarity ? scoring.least_score(*query.similarity)
                                       : -std::numeric_limits<float>::max();
  Best best(query.k);
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    std::shared_ptr<const BitSet> accepted;
    if (filter != nullptr) {
      CAIRN_TRY(accepted, matching_bits(context, *filter, i));
    }
    BestChunk chunk;
    const auto take = [&](std::uint32_t doc, float score) {
      if (score >= least)
        best.add({.score = score, .segment = static_cast<std::uint32_t>(i), .doc = doc});
    };
    CAIRN_CHECK(score_rows(context, i, *field, scoring, accepted.get(),
                           [&](std::uint32_t doc, float score) { chunk.add(doc, score, take); }));
    chunk.finish(take);
  }
  return lists_plan(as_lists(context, best.all()), boost);
}

Result<PlanPtr> plan_dense(const QueryContext& context, const DenseScoreQuery& query, float boost) {
  CAIRN_TRY(const Field* field, vector_field(context, query.field, "semantic"));
  if (field == nullptr || (field->dims == 0 && !field->model_settings)) return no_plan();
  CAIRN_TRY(const VectorScoring scoring, scoring_for(*field, query.vector));
  std::vector<std::shared_ptr<const ScoredList>> lists;
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    auto list = std::make_shared<ScoredList>();
    BestChunk chunk;
    const auto take = [&](std::uint32_t doc, float score) { list->emplace_back(doc, score); };
    CAIRN_CHECK(score_rows(context, i, *field, scoring, nullptr,
                           [&](std::uint32_t doc, float score) { chunk.add(doc, score, take); }));
    chunk.finish(take);
    lists.push_back(std::move(list));
  }
  return lists_plan(std::move(lists), boost);
}

Result<PlanPtr> plan_sparse(const QueryContext& context, const SparseQuery& query, float boost) {
  const Field* field = context.view.mapping->find(query.field);
  if (field == nullptr) return no_plan();
  CAIRN_CHECK(count_clauses(context, std::max<std::size_t>(query.weights.size(), 1) - 1));
  if (field->type == FieldType::semantic_text) {
    if (field->model_settings && field->model_settings->task_type != "sparse_embedding")
      return query_error("field [" + query.field +
                         "] has dense embeddings; ask it with a dense query");
    return plan_sparse_chunks(context, query, boost);
  }
  if (field->type != FieldType::sparse_vector)
    return query_error(
        "[sparse_vector] queries are only supported on [sparse_vector] fields, not "
        "on [" +
        query.field + "] of type [" + std::string(name_of(field->type)) + "]");
  auto plan = std::make_shared<BoolPlan>();
  for (const auto& [token, weight] : query.weights) {
    if (!(weight > 0) || !std::isfinite(weight))
      return illegal_argument("[sparse_vector] weights must be greater than 0, got [" +
                              Json(weight).dump() + "] for [" + token + "]");
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
