// SPDX-License-Identifier: Apache-2.0
#include "index/query/computed_columns.h"

#include <algorithm>
#include <set>
#include <utility>

#include "index/data_too_large.h"
#include "index/document/document.h"
#include "index/query/parts.h"
#include "index/query/runtime_reader.h"
#include "index/segment/builder.h"

namespace cairn::index {
namespace {

/// The names that may be those of fields: all texts of a request. What its members are called are
/// names of its own, and fields of queries, which look at documents themselves.
void gather_names(const Json& json, std::set<std::string, std::less<>>& out) {
  if (json.is_string()) out.insert(json.as_string());
  if (json.is_array())
    for (const Json& element : json.as_array()) gather_names(element, out);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.as_object()) gather_names(value, out);
}

/// The values of one segment on their way to columns.
class Computing {
 public:
  Computing(const QueryContext& context, std::size_t segment,
            const std::vector<const Field*>& fields)
      : context_(context), segment_(segment), fields_(fields) {}

  Result<std::shared_ptr<const ComputedColumns>> run(const Plan& plan, std::size_t bytes_max) {
    auto out = std::make_shared<ComputedColumns>();
    for (const Field* field : fields_) {
      CAIRN_TRY(auto reader, open_runtime(context_, segment_, *field));
      readers_.push_back(std::move(reader));
      out->fields.push_back(field->name);
    }
    CAIRN_TRY(auto scorer, plan.scorer(context_, segment_));
    if (scorer != nullptr) CAIRN_CHECK(walk(*scorer, bytes_max));
    CAIRN_CHECK(context_.steps.status());
    CAIRN_TRY(out->columns, finished());
    return std::shared_ptr<const ComputedColumns>(std::move(out));
  }

 private:
  Status walk(Scorer& scorer, std::size_t bytes_max) {
    const SegmentView& view = context_.view.segments[segment_];
    const bool scores = std::any_of(readers_.begin(), readers_.end(),
                                    [](const auto& one) { return one->uses_score(); });
    for (; scorer.doc() != no_more; scorer.next()) {
      CAIRN_CHECK(context_.steps.take());
      if (!view.is_live(scorer.doc())) continue;
      CAIRN_CHECK(add(scorer.doc(), scores ? scorer.score() : 0));
      if (builder_.memory_bytes() > bytes_max)
        return data_too_large("<values of runtime fields>", builder_.memory_bytes(), bytes_max,
                              "narrow the query, or map the fields");
    }
    return ok_status();
  }

  Status add(std::uint32_t doc, float score) {
    std::vector<FieldValues> values;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      RuntimeReader& reader = *readers_[i];
      if (!reader.go_to(doc, score)) return context_.steps.status();
      if (reader.count() == 0) continue;
      FieldValues one{.field = fields_[i], .terms = reader.texts(), .numbers = reader.numbers()};
      if (fields_[i]->type == FieldType::boolean)
        for (const std::int64_t number : one.numbers)
          one.terms.emplace_back(number != 0 ? "T" : "F");
      values.push_back(std::move(one));
    }
    builder_.add_values(context_.view.mapping, values, doc);
    return ok_status();
  }

  Result<std::shared_ptr<const Segment>> finished() {
    std::string bytes;
    SegmentOut out([&](std::string_view piece) { return bytes += piece, ok_status(); });
    const std::uint32_t count = context_.view.segments[segment_].segment->doc_count();
    CAIRN_CHECK(context_.steps.take(1 + count / 16));
    CAIRN_CHECK(builder_.write_values(out, count));
    return Segment::open(memory_file("(computed)", std::move(bytes)), out.hot_offset(),
                         context_.deadline);
  }

  const QueryContext& context_;
  std::size_t segment_;
  const std::vector<const Field*>& fields_;
  std::vector<std::shared_ptr<RuntimeReader>> readers_;
  SegmentBuilder builder_;
};

}  // namespace

std::shared_ptr<ViewState> copy_of(const ViewState& view) {
  auto out = std::make_shared<ViewState>();
  out->index_name = view.index_name;
  out->mapping = view.mapping;
  out->segments = view.segments;
  out->segment_indices = view.segment_indices;
  out->options = view.options;
  out->clock = view.clock;
  out->filters = view.filters;
  out->nested_path = view.nested_path;
  out->objects = view.objects;
  return out;
}

std::vector<const Field*> computed_fields(const Mapping& mapping, const std::vector<SortKey>& sort,
                                          const std::string& collapse, const Json& aggregations) {
  std::vector<const Field*> out;
  if (!mapping.has_runtime()) return out;
  std::set<std::string, std::less<>> names;
  for (const SortKey& key : sort)
    if (key.by == SortKey::By::field) names.insert(key.field);
  if (!collapse.empty()) names.insert(collapse);
  gather_names(aggregations, names);
  for (const std::string& name : names)
    if (mapping.is_runtime(name)) out.push_back(mapping.find(name));
  return out;
}

Result<std::shared_ptr<const ViewState>> with_columns(const QueryContext& context,
                                                      std::shared_ptr<const ViewState> view,
                                                      const Plan& plan,
                                                      const std::vector<const Field*>& fields) {
  auto out = copy_of(*view);
  out->before = std::move(view);
  std::uint64_t documents = 0;
  for (const SegmentView& segment : out->segments) documents += segment.live;
  // Each segment for itself: what they hold together stays below what one request may.
  const std::size_t count = out->segments.size();
  const std::size_t bytes_max =
      context.view.options.aggregation_bytes_max / std::max<std::size_t>(count, 1);
  const auto compute = [&](std::size_t i, const QueryContext& own) -> Status {
    CAIRN_TRY(out->segments[i].computed, Computing(own, i, fields).run(plan, bytes_max));
    return ok_status();
  };
  // A document takes much longer than one of a column.
  constexpr std::uint64_t work_of_document = 16;
  if (count > 1 && plan.profile() == nullptr &&
      is_worth_sharing(context, documents * work_of_document)) {
    CAIRN_CHECK(for_each_part(context, count, compute));
  } else {
    for (std::size_t i = 0; i < count; ++i) CAIRN_CHECK(compute(i, context));
  }
  return std::shared_ptr<const ViewState>(std::move(out));
}

}  // namespace cairn::index
