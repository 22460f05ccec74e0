// SPDX-License-Identifier: Apache-2.0
#include "index/query/nested_view.h"

#include <algorithm>

#include "base/bytes.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

std::uint32_t count_of(std::string_view parents) {
  return static_cast<std::uint32_t>(parents.size() / sizeof(std::uint32_t));
}

// The first object in a document, of those up to `known`, which is in it.
std::uint32_t first_of(const NestedPart& part, std::uint32_t parent, std::uint32_t known) {
  std::uint32_t low = 0, high = known;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (part.parent(middle) < parent)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The nested fields from below `view` down to `path`, outermost first.
Result<std::vector<std::string>> levels_to(const ViewState& view, const Field& field) {
  std::vector<std::string> out;
  const Field* at = &field;
  while (at != nullptr && at->name != view.nested_path) {
    out.push_back(at->name);
    at = view.mapping->nested_above(at->name);
  }
  const std::string reached = at == nullptr ? "" : at->name;
  if (reached != view.nested_path || out.empty())
    return query_error("[nested] the path [" + field.name + "] is not below [" + view.nested_path +
                       "], whose objects are searched");
  std::reverse(out.begin(), out.end());
  return out;
}

// The objects of objects are in the documents that those are in.
std::string composed(std::string_view parents, std::string_view above) {
  std::string out;
  out.reserve(parents.size());
  for (std::uint32_t i = 0; i < count_of(parents); ++i)
    put_u32le(out, row_at<std::uint32_t>(above, row_at<std::uint32_t>(parents, i)));
  return out;
}

void add_segment(const ViewState& view, std::size_t index, const std::vector<std::string>& levels,
                 NestedView& out) {
  std::shared_ptr<const Segment> segment = view.segments[index].segment;
  std::string_view parents;
  for (const std::string& level : levels) {
    const NestedPart* part = segment->nested(level);
    if (part == nullptr) {
      segment = Segment::none();
      parents = {};
      break;
    }
    if (level != levels.front()) {
      out.kept.push_back(composed(part->parents, parents));
      parents = out.kept.back();
    } else {
      parents = part->parents;
    }
    segment = part->objects;
  }
  out.parents.push_back(parents);
  out.state.segments.push_back(
      {.segment = segment, .deleted = nullptr, .live = segment->doc_count()});
}

// Objects are deleted with their documents.
void hide_deleted(const SegmentView& above, std::size_t index, NestedView& view) {
  SegmentView& own = view.state.segments[index];
  if (above.deleted == nullptr || own.live == 0) return;
  auto deleted = std::make_shared<BitSet>(own.segment->doc_count());
  std::uint32_t object = 0, count = 0;
  for (std::uint32_t doc = above.deleted->next(0); doc != UINT32_MAX;
       doc = above.deleted->next(doc + 1)) {
    object = view.first_from(index, doc, object);
    for (; object < own.live && view.parent(index, object) == doc; ++object, ++count)
      deleted->set(object);
  }
  if (count == 0) return;
  own.deleted = std::move(deleted);
  own.live -= count;
}

std::shared_ptr<const NestedView> make(const ViewState& view, std::string_view path,
                                       const std::vector<std::string>& levels) {
  auto out = std::make_shared<NestedView>();
  out->state.index_name = view.index_name;
  out->state.mapping = view.mapping;
  out->state.segment_indices = view.segment_indices;
  out->state.options = view.options;
  out->state.clock = view.clock;
  out->state.filters = view.filters;
  out->state.nested_path = path;
  out->state.objects = out.get();
  out->above = &view;
  out->kept.reserve(view.segments.size() * levels.size());  // what refers to them stays valid
  for (std::size_t i = 0; i < view.segments.size(); ++i) {
    add_segment(view, i, levels, *out);
    hide_deleted(view.segments[i], i, *out);
  }
  return out;
}

}  // namespace

std::uint32_t NestedView::first_from(std::size_t segment, std::uint32_t doc,
                                     std::uint32_t from) const {
  const std::string_view rows = parents[segment];
  // Most often it is near.
  const std::uint32_t count = count_of(rows);
  std::uint32_t low = from, step = 1;
  while (low + step < count && row_at<std::uint32_t>(rows, low + step) < doc) {
    low += step;
    step *= 2;
  }
  std::uint32_t high = std::min(count, low + step);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (row_at<std::uint32_t>(rows, middle) < doc)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::pair<std::uint32_t, std::uint32_t> NestedView::objects_of(std::size_t segment,
                                                               std::uint32_t doc) const {
  const std::uint32_t first = first_from(segment, doc);
  return {first, first_from(segment, doc + 1, first)};
}

Result<std::shared_ptr<const NestedView>> nested_view(const ViewState& view,
                                                      std::string_view path) {
  const Field* field = view.mapping->find(path);
  if (field == nullptr || !field->is_nested) return std::shared_ptr<const NestedView>();
  CAIRN_TRY(const auto levels, levels_to(view, *field));
  const MutexLock lock(view.nested.mutex);
  auto& known = view.nested.by_path[std::string(path)];
  if (known == nullptr) known = make(view, path, levels);
  return known;
}

std::vector<ObjectPlace> place_of(const ViewState& view, DocAddress object) {
  std::vector<ObjectPlace> out;
  if (view.objects == nullptr) return out;
  const ViewState& above = *view.objects->above;
  const auto levels = levels_to(above, *view.mapping->find(view.nested_path));
  if (!levels.ok()) return out;
  std::vector<const NestedPart*> parts;
  const Segment* segment = above.segments[object.segment].segment.get();
  for (const std::string& level : *levels) {
    const NestedPart* part = segment->nested(level);
    if (part == nullptr) return out;
    parts.push_back(part);
    segment = part->objects.get();
  }
  std::uint32_t at = object.doc;
  for (std::size_t i = parts.size(); i-- > 0;) {
    const std::uint32_t parent = parts[i]->parent(at);
    const std::uint32_t offset = at - first_of(*parts[i], parent, at);
    const std::string& around = i > 0 ? (*levels)[i - 1] : above.nested_path;
    out.push_back({(*levels)[i].substr(around.empty() ? 0 : around.size() + 1), offset});
    at = parent;
  }
  std::reverse(out.begin(), out.end());
  auto all = place_of(above, {.segment = object.segment, .doc = at});
  all.insert(all.end(), out.begin(), out.end());
  return all;
}

const ViewState& state_with(const ViewState& view, std::string_view field) {
  const Field* nested = view.mapping->nested_above(field);
  if (nested == nullptr || nested->name == view.nested_path) return view;
  const auto within = nested_view(view, nested->name);
  return within.ok() && *within != nullptr ? (*within)->state : view;
}

std::unique_ptr<QueryContext> context_within(const QueryContext& outer, const ViewState& view) {
  return std::unique_ptr<QueryContext>(
      new QueryContext{.view = view,
                       .deadline = outer.deadline,
                       .now_ms = outer.now_ms,
                       .keeps_bits = outer.keeps_bits,
                       .described = outer.described,
                       .profiler = outer.profiler,
                       .clauses = outer.clauses,
                       .regexp_states = outer.regexp_states,
                       .runtime_clauses = outer.runtime_clauses,
                       .steps = os::Steps(outer.steps.deadline())});
}

void take_counts(const QueryContext& outer, const QueryContext& within) {
  outer.clauses = within.clauses;
  outer.regexp_states = within.regexp_states;
  outer.runtime_clauses = within.runtime_clauses;
}

}  // namespace cairn::index
