// SPDX-License-Identifier: Apache-2.0
// Plans of dense vectors: the nearest documents, and all of them by their nearness.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "index/document/document.h"
#include "index/errors.h"
#include "index/nearest/best_chunk.h"
#include "index/nearest/vector_scores.h"
#include "index/query/filter_cache.h"
#include "index/query/filter_key.h"
#include "index/query/nested_view.h"
#include "index/query/parts.h"
#include "index/query/plan.h"
#include "index/query/profiling.h"
#include "index/query_fields.h"
#include "index/vectors/vector_rules.h"
#include "index/vectors/vector_search.h"
#include "index/view.h"

namespace cairn::index {
namespace {

constexpr std::size_t batch_bytes = 1u << 20;
// Of a vector, that take as long as looking at one posting.
constexpr std::size_t bytes_of_work = 64;

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

/// Rows [first, last) of a segment's vectors.
struct RowRange {
  std::uint32_t first = 0;
  std::uint32_t last = UINT32_MAX;  // or the last one there is
};

// Calls `each(doc, score)` for the rows of accepted documents, in order.
template <class Each>
Status score_rows(const QueryContext& context, std::size_t index, const Field& field,
                  const VectorScoring& scoring, const BitSet* accepted, const RowRange& range,
                  Each each) {
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
  const std::uint32_t last = std::min(range.last, shape->rows);
  for (std::uint32_t first = range.first; first < last; first += batch) {
    const std::uint32_t count = std::min(batch, last - first);
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
                     name + "] of type [" + std::string(name_of(field->declared_type())) + "]");
}

Result<VectorScoring> scoring_for(const Field& field, const std::vector<float>& vector) {
  Field rules = field;
  if (field.model_settings) {
    rules.dims = field.model_settings->dimensions;
    rules.byte_elements = field.model_settings->element_type == "byte";
    rules.similarity = similarity_of(field.model_settings->similarity).value_or(Similarity::cosine);
  }
  if (vector.size() != rules.vector_elements())
    return illegal_argument("the query vector has a different dimension [" +
                            std::to_string(vector.size() * (rules.bit_elements ? 8 : 1)) +
                            "] than the index vectors [" + std::to_string(rules.dims) + "]");
  CAIRN_TRY(auto checked, checked_vector(rules, vector));
  return VectorScoring(rules.similarity, rules.byte_elements, std::move(checked),
                       rules.bit_elements);
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

// Estimates are so many usual errors off at most before a row is passed over.
constexpr float passed_over_errors = 3;
// Rows beyond k whose true scores are looked at, at least.
constexpr std::size_t rows_beyond = 16;

/// Where the documents that are searched are objects of others: of each of these the nearest object
/// alone is found.
struct KnnGroups {
  const NestedView* objects = nullptr;  // null: they are not
  const QueryContext* above = nullptr;  // of the documents that have the objects
  const Plan* filter = nullptr;         // of these documents; null: all
  std::string filter_key = {};

  std::uint32_t of(std::uint32_t segment, std::uint32_t doc) const {
    return objects == nullptr ? doc : objects->parent(segment, doc);
  }
};

// So many candidates make a search go as far as one more wanted row does.
constexpr std::size_t candidates_for_one = 4;

/// Empty where what the filters select is not kept.
std::string kept_key(const QueryContext& context, const std::vector<Query>& filters) {
  if (context.runtime_clauses > 0) return {};
  return narrowing_key(filters, {}).value_or("");
}

/// The nearest documents of a view, one query.
class NearestDocuments {
 public:
  /// `filters`: those of `query` that are of the documents that are searched.
  NearestDocuments(const QueryContext& context, const Field& field, const KnnQuery& query,
                   const VectorScoring& scoring, const std::vector<Query>& filters,
                   const Plan* filter, KnnGroups groups)
      : context_(context),
        field_(field),
        query_(query),
        scoring_(scoring),
        filter_(filter),
        filter_key_(filter == nullptr ? "" : kept_key(context, filters)),
        groups_(std::move(groups)),
        rules_(vector_rules(field)),
        chunked_(field.type == FieldType::semantic_text),
        grouped_(chunked_ || groups_.objects != nullptr),
        least_(query.similarity ? scoring.least_score(*query.similarity)
                                : -std::numeric_limits<float>::max()),
        best_(query.k) {}

  Result<std::vector<Found>> find() {
    const std::size_t count = context_.view.segments.size();
    accepted_.resize(count);
    std::vector<std::uint32_t> indexed;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (filter_ != nullptr || groups_.filter != nullptr) {
        CAIRN_TRY(accepted_[i], live_bits(i));
      }
      if (index_of(i) != nullptr)
        indexed.push_back(i);
      else
        CAIRN_CHECK(compare_all(i));
    }
    if (!indexed.empty()) CAIRN_CHECK(search(indexed));
    return best_.all();
  }

  /// All of a part of the documents, in order, however far they are.
  Result<std::vector<Found>> find_part(const WithinQuery& part) {
    std::vector<Found> out;
    std::shared_ptr<const BitSet> own, above;
    if (filter_ != nullptr) {
      CAIRN_TRY(own, kept_bits(context_, *filter_, filter_key_, part.segment));
    }
    if (groups_.filter != nullptr) {
      CAIRN_TRY(above,
                kept_bits(*groups_.above, *groups_.filter, groups_.filter_key, part.segment));
    }
    CAIRN_TRY(const RowRange rows, rows_of(part));
    CAIRN_CHECK(score_rows(context_, part.segment, field_, scoring_, own.get(), rows,
                           [&](std::uint32_t doc, float score) {
                             ++operations_;
                             if (score >= least_ &&
                                 (above == nullptr || above->test(groups_.of(part.segment, doc))))
                               out.push_back({.score = score, .segment = part.segment, .doc = doc});
                           }));
    return out;
  }

  std::uint64_t operations() const { return operations_; }
  const StepTime& ranking() const { return ranking_; }

 private:
  // The rows of a part of the documents, whose places ascend.
  Result<RowRange> rows_of(const WithinQuery& part) const {
    const Segment& own = segment(part.segment);
    const auto shape = own.vectors(field_.name);
    if (!shape || shape->rows == 0) return RowRange{0, 0};
    CAIRN_TRY(const Owners owners, owners_of(context_, own, field_.name, chunked_));
    const auto first_of = [&](std::uint32_t doc) {
      std::uint32_t low = 0, high = shape->rows;
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (owners.doc(middle) < doc)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    return RowRange{first_of(part.from), first_of(part.to)};
  }

  // The documents that may be found.
  Result<std::shared_ptr<const BitSet>> live_bits(std::uint32_t i) const {
    std::shared_ptr<const BitSet> bits;
    if (filter_ != nullptr) {
      CAIRN_TRY(bits, kept_bits(context_, *filter_, filter_key_, i));
    }
    if (groups_.filter != nullptr) {
      CAIRN_TRY(bits, in_groups_that_pass(i, bits.get()));
    }
    const auto& deleted = context_.view.segments[i].deleted;
    if (deleted == nullptr) return bits;
    auto live = std::make_shared<BitSet>(*bits);
    live->subtract(*deleted);
    return std::shared_ptr<const BitSet>(std::move(live));
  }

  // The objects in documents that pass, of those in `among` (null: all).
  Result<std::shared_ptr<const BitSet>> in_groups_that_pass(std::uint32_t i,
                                                            const BitSet* among) const {
    CAIRN_TRY(const auto passing,
              kept_bits(*groups_.above, *groups_.filter, groups_.filter_key, i));
    const std::uint32_t count = segment(i).doc_count();
    CAIRN_CHECK(context_.steps.take(count / 8));
    auto out = std::make_shared<BitSet>(count);
    for (std::uint32_t object = 0; object < count; ++object)
      if ((among == nullptr || among->test(object)) && passing->test(groups_.of(i, object)))
        out->set(object);
    return std::shared_ptr<const BitSet>(std::move(out));
  }

  const Segment& segment(std::uint32_t i) const { return *context_.view.segments[i].segment; }

  // Null where every row is compared.
  const VectorIndex* index_of(std::uint32_t i) const {
    if (rules_.is_exact) return nullptr;
    const VectorIndex* index = segment(i).vector_index(field_.name);
    const bool fits = index != nullptr && index->nearness() == rules_.nearness &&
                      index->dims() == scoring_.dims();
    return fits ? index : nullptr;
  }

  Status compare_all(std::uint32_t i) {
    const auto shape = segment(i).vectors(field_.name);
    const std::uint64_t work = shape ? shape->rows * (1 + shape->row_bytes() / bytes_of_work) : 0;
    // A document's chunks stand together, and are not parted.
    if (shape && !grouped_ && is_worth_sharing(context_, work)) return share_rows(i, *shape, work);
    BestChunk chunk;
    const auto take = [&](std::uint32_t doc, float score) { add(i, doc, score); };
    CAIRN_CHECK(score_rows(context_, i, field_, scoring_, accepted_[i].get(), {},
                           [&](std::uint32_t doc, float score) {
                             ++operations_;
                             chunk.add(groups_.of(i, doc), doc, score, take);
                           }));
    chunk.finish(take);
    return ok_status();
  }

  Status share_rows(std::uint32_t i, const Vectors& shape, std::uint64_t work) {
    const std::uint64_t count = std::max<std::uint64_t>(1, work / work_of_part(context_, work));
    const auto each = static_cast<std::uint32_t>((shape.rows + count - 1) / count);
    std::vector<Best> parts(count, Best(query_.k));
    std::vector<std::uint64_t> operations(count, 0);
    CAIRN_CHECK(for_each_part(context_, count, [&](std::size_t part, const QueryContext& own) {
      const auto first =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(shape.rows, part * each));
      const RowRange range{first, first + std::min(each, shape.rows - first)};
      return score_rows(own, i, field_, scoring_, accepted_[i].get(), range,
                        [&](std::uint32_t doc, float score) {
                          ++operations[part];
                          if (score >= least_)
                            parts[part].add({.score = score, .segment = i, .doc = doc});
                        });
    }));
    for (const Best& part : parts)
      for (const Found& found : part.all()) best_.add(found);
    operations_ += std::accumulate(operations.begin(), operations.end(), std::uint64_t{0});
    return ok_status();
  }

  void add(std::uint32_t i, std::uint32_t doc, float score) {
    if (score >= least_) best_.add({.score = score, .segment = i, .doc = doc});
  }

  // How many rows are looked at closely: those asked for, and some for what estimates are off.
  std::size_t rows_wanted(const std::vector<std::uint32_t>& indexed) const {
    const float times = query_.oversample > 0 ? query_.oversample : field_.oversample;
    const auto oversampled =
        static_cast<std::size_t>(std::ceil(times * static_cast<float>(query_.k)));
    const std::size_t rows = std::max(
        {query_.num_candidates, oversampled, query_.k + std::max(rows_beyond, query_.k / 2)});
    if (!grouped_) return rows;
    std::uint64_t chunks = 0, docs = 0;
    for (const std::uint32_t i : indexed) {
      chunks += index_of(i)->rows();
      const ViewState& whole = groups_.above == nullptr ? context_.view : groups_.above->view;
      docs += whole.segments[i].segment->doc_count();
    }
    return rows * std::clamp<std::uint64_t>(chunks / std::max<std::uint64_t>(docs, 1), 1, 8);
  }

  Status search(const std::vector<std::uint32_t>& indexed) {
    const VectorQuery query(rules_.nearness, scoring_.compared());
    std::uint64_t all = 0;
    for (const std::uint32_t i : indexed) all += index_of(i)->rows();
    for (std::size_t rows = rows_wanted(indexed);; rows *= 4) {
      NearestRows nearest(
          std::min<std::uint64_t>(rows, all),
          grouped_ ? rows : std::max(query_.k, query_.num_candidates / candidates_for_one));
      for (const std::uint32_t i : indexed) {
        const double share = static_cast<double>(index_of(i)->rows()) / static_cast<double>(all);
        const double own = share * static_cast<double>(query_.k);
        CAIRN_CHECK(search_segment({.segment = i, .wanted = own}, query, nearest));
      }
      operations_ += nearest.compared();
      const StepWatch watch(context_.profiler == nullptr ? nullptr : &ranking_, clock());
      const auto sorted = nearest.sorted();
      if (!grouped_) return rank_rows(sorted);
      CAIRN_TRY(const bool enough, rank_chunks(sorted, rows >= all || !nearest.full()));
      if (enough) return ok_status();
    }
  }

  Status search_segment(const SegmentPlace& place, const VectorQuery& query, NearestRows& nearest) {
    const std::uint32_t i = place.segment;
    const SegmentView& view = context_.view.segments[i];
    const VectorIndex& index = *index_of(i);
    const BitSet* accepted = accepted_[i].get();
    const AllowedDocs allowed{
        .passing = accepted != nullptr ? accepted->words().data() : nullptr,
        .deleted = view.deleted != nullptr ? view.deleted->words().data() : nullptr,
        .count = accepted != nullptr ? accepted->count() : view.live,
        .documents = view.segment->doc_count()};
    const Segment& own = *view.segment;
    CodeReader codes;
    codes.fine = [&](std::uint32_t list) -> Result<CodeBytes> {
      CAIRN_TRY(const Bytes bytes, own.vector_fine(index, list, context_.deadline));
      return CodeBytes{.owner = bytes.owner, .bytes = bytes.view};
    };
    if (own.keeps_coarse(index))
      codes.coarse = [&](std::uint32_t first, std::uint32_t count) -> Result<CodeBytes> {
        CAIRN_TRY(const Bytes bytes, own.vector_coarse(index, first, count, context_.deadline));
        return CodeBytes{.owner = bytes.owner, .bytes = bytes.view};
      };
    codes.distance = [&](std::uint32_t row) -> Result<float> {
      CAIRN_TRY(const float raw,
                raw_of({.distance = 0, .error = 0, .segment = i, .row = row, .doc = 0}));
      return scoring_.distance(raw);
    };
    return search_vectors(index, query, allowed, place, codes, nearest, context_.steps);
  }

  const os::Clock* clock() const {
    return context_.profiler == nullptr ? nullptr : &context_.profiler->clock();
  }

  Result<float> raw_of(const NearestRows::Row& row) {
    ++operations_;
    CAIRN_CHECK(context_.steps.take(2 + scoring_.dims() / 64));
    CAIRN_TRY(const Bytes bytes,
              segment(row.segment)
                  .vector_row(field_.name, *index_of(row.segment), row.row, context_.deadline));
    return scoring_.raw(bytes.view.data());
  }

  // True scores of the rows, nearest first, until estimates say that no other is among the best.
  Status rank_rows(const std::vector<NearestRows::Row>& rows) {
    std::vector<float> distances;  // the k least, as a heap
    for (const NearestRows::Row& row : rows) {
      if (distances.size() == query_.k &&
          row.distance - passed_over_errors * row.error > distances.front())
        continue;
      CAIRN_TRY(const float raw, raw_of(row));
      add(row.segment, row.doc, scoring_.to_score(raw));
      distances.push_back(scoring_.distance(raw));
      std::push_heap(distances.begin(), distances.end());
      if (distances.size() <= query_.k) continue;
      std::pop_heap(distances.begin(), distances.end());
      distances.pop_back();
    }
    return ok_status();
  }

  // The same for rows of which a document has several. False where more rows are needed.
  Result<bool> rank_chunks(const std::vector<NearestRows::Row>& rows, bool is_all) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Found> documents;  // the best row of each
    for (const NearestRows::Row& row : rows) {
      CAIRN_TRY(const float raw, raw_of(row));
      const Found found{.score = scoring_.to_score(raw), .segment = row.segment, .doc = row.doc};
      Found& known = documents.try_emplace({row.segment, groups_.of(row.segment, row.doc)}, found)
                         .first->second;
      if (better(found, known)) known = found;
    }
    if (documents.size() < query_.k && !is_all) return false;
    Best best(query_.k);
    for (const auto& [place, known] : documents) best.add(known);
    for (const Found& found : best.all()) {
      CAIRN_TRY(const Found whole, best_of_chunks(found));
      add(whole.segment, whole.doc, whole.score);
    }
    return true;
  }

  // A document's score is that of its best row, whether or not that row was met.
  Result<Found> best_of_chunks(Found found) {
    const std::uint32_t i = found.segment;
    const VectorIndex& index = *index_of(i);
    std::uint32_t first = found.doc, last = found.doc + 1;
    if (groups_.objects != nullptr)
      std::tie(first, last) = groups_.objects->objects_of(i, groups_.of(i, found.doc));
    for (std::uint32_t row = index.first_row_of(first);
         row < index.rows() && index.doc_of(row) < last; ++row) {
      const std::uint32_t doc = index.doc_of(row);
      if (accepted_[i] != nullptr && !accepted_[i]->test(doc)) continue;
      CAIRN_TRY(const float raw,
                raw_of({.distance = 0, .error = 0, .segment = i, .row = row, .doc = doc}));
      const Found one{.score = scoring_.to_score(raw), .segment = i, .doc = doc};
      if (better(one, found)) found = one;
    }
    return found;
  }

  const QueryContext& context_;
  const Field& field_;
  const KnnQuery& query_;
  const VectorScoring& scoring_;
  const Plan* filter_;
  std::string filter_key_;  // of what is kept of it; empty: nothing
  KnnGroups groups_;
  VectorRules rules_;
  bool chunked_;
  bool grouped_;  // of several rows of a document the best counts
  float least_;
  Best best_;
  std::vector<std::shared_ptr<const BitSet>> accepted_;  // by segment; null: all
  std::uint64_t operations_ = 0;                         // vectors compared
  StepTime ranking_;                                     // by numbers; where it is measured
};

}  // namespace

namespace {

/// The nearest documents of a view, or the nearest objects in it, one in each document.
class KnnSearch {
 public:
  KnnSearch(const QueryContext& context, const Field& field, const KnnQuery& query,
            const VectorScoring& scoring)
      : context_(context), field_(field), query_(query), scoring_(scoring) {}

  Result<std::vector<Found>> find() {
    const WithinQuery* part = within_of(query_.filter);
    const Field* nested = context_.view.mapping->nested_above(field_.name);
    if (nested == nullptr || context_.view.nested_path == nested->name)
      return find_in(context_, context_.view.objects, part);
    CAIRN_TRY(const auto objects, nested_view(context_.view, nested->name));
    const auto within = context_within(context_, objects->state);
    std::optional<WithinQuery> below;
    if (part != nullptr)
      below = {part->segment, objects->first_from(part->segment, part->from),
               objects->first_from(part->segment, part->to)};
    auto found = find_in(*within, objects.get(), below ? &*below : nullptr);
    take_counts(context_, *within);
    if (!found) return found;
    return of_documents(*objects, *found);
  }
  std::uint64_t operations() const { return operations_; }
  const StepTime& ranking() const { return ranking_; }

 private:
  // What objects are in, by the nearest of them, where those of one stand together.
  static std::vector<Found> of_documents(const NestedView& objects,
                                         const std::vector<Found>& found) {
    std::vector<Found> out;
    for (Found one : found) {
      one.doc = objects.parent(one.segment, one.doc);
      if (out.empty() || out.back().segment != one.segment || out.back().doc != one.doc)
        out.push_back(one);
      else
        out.back().score = std::max(out.back().score, one.score);
    }
    return out;
  }

  // Of documents that are objects those of other documents are groups; filters are of either.
  // `part`: all of it, instead of the nearest; null: the nearest.
  Result<std::vector<Found>> find_in(const QueryContext& context, const NestedView* objects,
                                     const WithinQuery* part) {
    std::vector<Query> own, above;
    for (const Query& filter : query_.filter) {
      if (std::holds_alternative<WithinQuery>(filter.node)) continue;
      const bool is_own = objects == nullptr ||
                          asks_objects(filter, *context.view.mapping, context.view.nested_path);
      (is_own ? own : above).push_back(filter);
    }
    CAIRN_TRY(const PlanPtr filter, make_filter(context, own));
    KnnGroups groups;
    std::unique_ptr<QueryContext> context_above;
    PlanPtr filter_above;
    if (objects != nullptr) {
      context_above = context_within(context, *objects->above);
      CAIRN_TRY(filter_above, make_filter(*context_above, above));
      groups = {.objects = objects,
                .above = context_above.get(),
                .filter = filter_above.get(),
                .filter_key = kept_key(*context_above, above)};
    }
    NearestDocuments nearest(context, field_, query_, scoring_, own, filter.get(),
                             std::move(groups));
    auto found = part == nullptr ? nearest.find() : nearest.find_part(*part);
    operations_ = nearest.operations();
    ranking_ = nearest.ranking();
    return found;
  }

  const QueryContext& context_;
  const Field& field_;
  const KnnQuery& query_;
  const VectorScoring& scoring_;
  std::uint64_t operations_ = 0;
  StepTime ranking_;
};

}  // namespace

Result<PlanPtr> plan_knn(const QueryContext& context, const KnnQuery& query, float boost) {
  CAIRN_TRY(const Field* field, vector_field(context, query.field, "knn"));
  if (field == nullptr) return no_plan();
  if (query.k == 0) return illegal_argument("[k] must be greater than 0");
  if (field->dims == 0 && !field->model_settings) return no_plan();  // no document yet
  CAIRN_TRY(const VectorScoring scoring, scoring_for(*field, query.vector));
  StepTime whole;
  StepWatch watch(context.profiler == nullptr ? nullptr : &whole,
                  context.profiler == nullptr ? nullptr : &context.profiler->clock());
  KnnSearch nearest(context, *field, query, scoring);
  CAIRN_TRY(auto found, nearest.find());
  watch.end();
  if (context.profiler != nullptr)
    context.profiler->found_vectors({.operations = nearest.operations(),
                                     .search_ns = whole.ns,
                                     .rank_ns = nearest.ranking().ns,
                                     .is_own_search = query.is_own_search});
  return lists_plan(as_lists(context, std::move(found)), boost);
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
    CAIRN_CHECK(score_rows(context, i, *field, scoring, nullptr, {},
                           [&](std::uint32_t doc, float score) { chunk.add(doc, score, take); }));
    chunk.finish(take);
    lists.push_back(std::move(list));
  }
  return lists_plan(std::move(lists), boost);
}

}  // namespace cairn::index
