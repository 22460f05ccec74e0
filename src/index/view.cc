// SPDX-License-Identifier: Apache-2.0
#include "index/view.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "base/strings.h"
#include "index/document/document.h"
#include "index/errors.h"
#include "index/mapping/runtime_field.h"
#include "index/query/computed_columns.h"
#include "index/query/filter_cache.h"
#include "index/query/nested_view.h"
#include "index/query/plan.h"
#include "index/query/profiling.h"
#include "index/query/runtime_reader.h"
#include "index/query/view_state.h"
#include "script/script.h"

namespace cairn::index {
namespace {

std::int64_t now_of(const ViewState& state, std::int64_t now_ms) {
  return now_ms != 0 || state.clock == nullptr ? now_ms : state.clock->unix_ms();
}

Status check_address(const ViewState& state, DocAddress doc) {
  if (doc.segment < state.segments.size() &&
      doc.doc < state.segments[doc.segment].segment->doc_count())
    return ok_status();
  return illegal_argument("the document is not of this view");
}

// The document that an object is in; a document is in none but itself.
std::pair<const ViewState*, DocAddress> whole_document(const ViewState& state, DocAddress doc) {
  const ViewState* at = &state;
  for (; at->objects != nullptr; at = at->objects->above)
    doc.doc = at->objects->parent(doc.segment, doc.doc);
  return {at, doc};
}

// The same documents, with another mapping. It keeps what views of objects refer to.
std::shared_ptr<const ViewState> state_of_mapping(std::shared_ptr<const ViewState> view,
                                                  std::shared_ptr<const Mapping> mapping) {
  auto out = copy_of(*view);
  out->mapping = std::move(mapping);
  out->before = std::move(view);
  return out;
}

Result<std::vector<SortValue>> runtime_values(const ViewState& state, const Field& field,
                                              DocAddress doc, const os::Deadline& deadline) {
  const QueryContext context{.view = state, .deadline = deadline};
  CAIRN_TRY(const auto reader, open_runtime(context, doc.segment, field));
  std::vector<SortValue> out;
  if (!reader->go_to(doc.doc)) {
    CAIRN_CHECK(context.steps.status());
    return out;
  }
  for (const std::string& text : reader->texts()) out.emplace_back(text);
  for (const std::int64_t number : reader->numbers())
    out.push_back(field.type == FieldType::double_ ? SortValue(key_double(number))
                                                   : SortValue(number));
  return out;
}

}  // namespace

View::View(std::shared_ptr<const ViewState> state) : state_(std::move(state)) {}
View::~View() = default;

Result<std::shared_ptr<const View>> View::objects(std::string_view path) const {
  CAIRN_TRY(const auto found, nested_view(*state_, path));
  if (found == nullptr) return std::shared_ptr<const View>();
  // This view's state keeps it.
  return std::make_shared<const View>(std::shared_ptr<const ViewState>(state_, &found->state));
}

Result<WithinQuery> View::objects_of(std::string_view path, DocAddress doc) const {
  CAIRN_CHECK(check_address(*state_, doc));
  CAIRN_TRY(const auto found, nested_view(*state_, path));
  if (found == nullptr) return WithinQuery{};
  const auto [from, to] = found->objects_of(doc.segment, doc.doc);
  return WithinQuery{.segment = doc.segment, .from = from, .to = to};
}

Result<std::shared_ptr<const View>> View::with_runtime_fields(const Json& runtime_mappings) const {
  CAIRN_TRY(auto mapping, index::with_runtime_fields(*state_->mapping, runtime_mappings));
  return std::make_shared<const View>(state_of_mapping(state_, std::move(mapping)));
}

std::shared_ptr<const View> View::with_sort_script(const std::string& name, const Script& script,
                                                   bool gives_text) const {
  auto key = std::make_shared<RuntimeScript>();
  key->has_script = true;
  key->source = script.source;
  key->params = script.params;
  key->use = gives_text ? script::Use::sort_text : script::Use::sort_number;
  Field field{.name = name, .type = gives_text ? FieldType::keyword : FieldType::double_};
  field.given =
      Json::object({{"type", std::string(name_of(field.type))}, {"script", script.source}});
  field.runtime = std::move(key);
  std::vector<Field> fields;
  fields.push_back(std::move(field));
  return std::make_shared<const View>(
      state_of_mapping(state_, state_->mapping->with_runtime(std::move(fields))));
}

const std::string& View::nested_path() const { return state_->nested_path; }

std::vector<ObjectPlace> View::place(DocAddress object) const { return place_of(*state_, object); }

const Mapping& View::mapping() const { return *state_->mapping; }

std::uint64_t View::document_count() const {
  std::uint64_t sum = 0;
  for (const SegmentView& s : state_->segments) sum += s.live;
  return sum;
}

std::uint64_t View::deleted_count() const {
  std::uint64_t sum = 0;
  for (const SegmentView& s : state_->segments) sum += s.segment->doc_count() - s.live;
  return sum;
}

std::size_t View::segment_count() const { return state_->segments.size(); }

std::vector<SegmentFacts> View::segments() const {
  std::vector<SegmentFacts> out;
  for (const SegmentView& s : state_->segments) {
    const SegmentFile& file = s.segment->file();
    const std::string_view key = s.segment->name();
    const std::string_view last = key.substr(key.rfind('/') + 1);
    out.push_back({.name = file.in_memory() ? "in_memory_" + std::to_string(out.size())
                                            : std::string(last.substr(0, last.find('.'))),
                   .documents = s.live,
                   .deleted = s.segment->doc_count() - s.live,
                   .size_bytes = file.size(),
                   .memory_bytes = s.segment->memory_bytes(),
                   .committed = !file.in_memory()});
  }
  return out;
}

Result<PreparedQueryPtr> View::prepare(const Query& query, const os::Deadline& deadline,
                                       std::int64_t now_ms, bool described, bool measured) const {
  PreparedQuery::Plans labelled;
  QueryProfiler profiler(state_->clock == nullptr ? os::system_clock() : *state_->clock);
  const QueryContext context{.view = *state_,
                             .deadline = deadline,
                             .now_ms = now_of(*state_, now_ms),
                             .labelled = &labelled,
                             .described = described || measured,
                             .profiler = measured ? &profiler : nullptr};
  CAIRN_TRY(auto plan, make_plan(context, query));
  CAIRN_CHECK(context.steps.status());
  return std::make_shared<const PreparedQuery>(state_, std::move(plan), std::move(labelled),
                                               context.now_ms);
}

Result<TopDocs> View::search(const Query& query, const SearchParams& params,
                             const os::Deadline& deadline) const {
  CAIRN_TRY(const auto prepared, prepare(query, deadline, params.now_ms));
  return prepared->search(params, nullptr, deadline);
}

Result<std::uint64_t> View::count(const Query& query, const os::Deadline& deadline) const {
  CAIRN_TRY(const auto prepared, prepare(query, deadline));
  return prepared->count(deadline);
}

Result<std::string> View::id(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  const auto [state, whole] = whole_document(*state_, doc);
  return state->segments[whole.segment].segment->id(whole.doc, deadline);
}

Result<std::string> View::source(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  if (state_->objects == nullptr)
    return state_->segments[doc.segment].segment->source(doc.doc, deadline);
  KeptSource kept;
  CAIRN_TRY(const Json object, object_source(doc, kept, deadline));
  return object.dump();
}

Result<Json> View::object_source(DocAddress object, KeptSource& kept,
                                 const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, object));
  const auto [state, whole] = whole_document(*state_, object);
  if (kept.of != state || kept.doc != whole) {
    CAIRN_TRY(const auto text, state->segments[whole.segment].segment->source(whole.doc, deadline));
    kept.of = nullptr;
    CAIRN_TRY(kept.tree, parse_json(text));
    kept.of = state;
    kept.doc = whole;
  }
  return source_of_object(kept.tree, place_of(*state_, object));
}

Result<DocumentVersion> View::version(DocAddress doc, const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  const auto [state, whole] = whole_document(*state_, doc);
  const Segment& segment = *state->segments[whole.segment].segment;
  DocumentVersion out;
  CAIRN_TRY(out.version, segment.version(whole.doc, deadline));
  CAIRN_TRY(out.seq_no, segment.seq_no(whole.doc, deadline));
  return out;
}

Result<std::optional<DocAddress>> View::find(std::string_view id,
                                             const os::Deadline& deadline) const {
  for (std::size_t i = state_->segments.size(); i-- > 0;) {
    const SegmentView& view = state_->segments[i];
    CAIRN_TRY(const auto docs, view.segment->find(id, deadline));
    for (const std::uint32_t doc : docs)
      if (view.is_live(doc))
        return std::optional(DocAddress{.segment = static_cast<std::uint32_t>(i), .doc = doc});
  }
  return std::optional<DocAddress>();
}

Result<std::vector<SortValue>> View::values(DocAddress doc, std::string_view name,
                                            const os::Deadline& deadline) const {
  CAIRN_CHECK(check_address(*state_, doc));
  std::vector<SortValue> out;
  const Field* field = state_->mapping->find(name);
  if (field == nullptr) return out;
  if (field->runtime != nullptr) return runtime_values(*state_, *field, doc, deadline);
  const Segment& segment = *state_->segments[doc.segment].segment;
  CAIRN_TRY(const auto column, segment.column(name, deadline));
  if (column == nullptr) return out;
  const auto [first, last] = column->reader.range(doc.doc);
  for (std::uint32_t i = first; i < last; ++i) {
    const std::int64_t value = column->reader.value(i);
    if (field->type == FieldType::keyword) {
      const TermsReader* terms = segment.terms(name);
      if (terms == nullptr) return corrupt_object(segment.name(), "a column lacks its terms");
      CAIRN_TRY(auto term, terms->term_at(static_cast<std::uint64_t>(value), deadline));
      out.emplace_back(std::move(term));
    } else if (is_number(field->type) && !is_whole_number(field->type)) {
      out.emplace_back(key_double(value));
    } else {
      out.emplace_back(value);
    }
  }
  return out;
}

void View::clear_filters() const {
  if (state_->filters == nullptr) return;
  std::vector<std::shared_ptr<const Segment>> all;
  for (const SegmentView& one : state_->segments) {
    all.push_back(one.segment);
    for (const NestedPart& part : one.segment->nested_parts()) all.push_back(part.objects);
  }
  state_->filters->forget(all);
}

Result<TermStatistics> View::term_statistics(std::string_view field, std::string_view term,
                                             const os::Deadline& deadline) const {
  const QueryContext context{.view = state_with(*state_, field), .deadline = deadline};
  const FieldTotals totals = field_totals(context.view, field);
  CAIRN_TRY(const auto found, find_term(context, std::string(field), std::string(term)));
  TermStatistics out{.doc_count = totals.doc_count, .sum_total_freq = totals.sum_total_freq};
  for (const TermPlan::Place& place : found->places) {
    if (place.reader == nullptr) continue;
    out.doc_freq += place.entry.doc_freq;
    out.total_freq += place.entry.total_freq;
  }
  for (const SegmentView& s : context.view.segments)
    if (const TermsReader* reader = s.segment->terms(field))
      out.distinct_terms += reader->statistics().term_count;
  return out;
}

}  // namespace cairn::index
