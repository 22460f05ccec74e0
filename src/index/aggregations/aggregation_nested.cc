// SPDX-License-Identifier: Apache-2.0
// One bucket of the objects in documents, and one of the documents that objects are in.
#include <algorithm>

#include "index/aggregations/aggregation_parts.h"
#include "index/errors.h"
#include "index/query/nested_view.h"

namespace cairn::index {
namespace {

// Hands documents on that are gathered in ascending order, chunk by chunk.
Status add_by_chunks(Bucket& bucket, Docs docs) {
  while (!docs.empty()) {
    const std::uint32_t chunk = docs.front() / column_chunk;
    const auto end = std::find_if(docs.begin(), docs.end(),
                                  [&](std::uint32_t doc) { return doc / column_chunk != chunk; });
    const auto count = static_cast<std::size_t>(end - docs.begin());
    CAIRN_CHECK(bucket.add(docs.first(count)));
    docs = docs.subspan(count);
  }
  return ok_status();
}

class NestedAggregation final : public Aggregation {
 public:
  NestedAggregation(std::string name, AggregationList subs, const AggregationScope& scope,
                    BucketCount& buckets)
      : Aggregation(std::move(name), std::move(subs)), scope_(scope), buckets_(buckets) {}
  Status begin_segment(const QueryContext&, std::size_t segment) override {
    segment_ = segment;
    ++serial_;
    return scope_.context == nullptr ? ok_status() : begin_subs(*scope_.context, segment);
  }
  std::unique_ptr<AggregationState> state() const override;

  AggregationScope scope_;
  BucketCount& buckets_;
  std::size_t segment_ = 0;
  std::uint64_t serial_ = 0;  // of the segment at hand

 protected:
  std::size_t own_buckets() const override { return 1; }
};

class NestedState final : public AggregationState {
 public:
  explicit NestedState(const NestedAggregation& of) : of_(of) {
    bucket_.subs = make_states(of.subs());
  }
  Status add(Docs docs) override {
    if (of_.scope_.objects == nullptr) return ok_status();
    const Frames::Scope frame(of_.buckets_.frames);
    std::vector<std::uint32_t>& found = (*frame).docs;
    found.clear();
    if (serial_ != of_.serial_) begin();
    if (of_.scope_.is_reverse)
      find_documents(docs, found);
    else
      find_objects(docs, found);
    CAIRN_CHECK(of_.buckets_.take(steps_of(found.size())));
    return add_by_chunks(bucket_, found);
  }
  Status absorb(AggregationState& other) override {
    return bucket_.absorb(static_cast<NestedState&>(other).bucket_);
  }
  Result<Json> finish() override {
    CAIRN_CHECK(count_buckets(of_.buckets_, 1));
    Json out = Json::object({{"doc_count", bucket_.count}});
    CAIRN_CHECK(render_subs(out, of_.subs(), bucket_.subs));
    return out;
  }

 private:
  void begin() {
    serial_ = of_.serial_;
    at_ = 0;
    last_ = UINT32_MAX;
  }
  void find_objects(Docs docs, std::vector<std::uint32_t>& out) {
    const NestedView& view = *of_.scope_.objects;
    const std::uint32_t count = view.state.segments[of_.segment_].segment->doc_count();
    for (const std::uint32_t doc : docs) {
      at_ = view.first_from(of_.segment_, doc, at_);
      for (; at_ < count && view.parent(of_.segment_, at_) == doc; ++at_) out.push_back(at_);
    }
  }
  // Objects ascend, and so do their documents: one that comes again comes at once.
  void find_documents(Docs objects, std::vector<std::uint32_t>& out) {
    for (const std::uint32_t object : objects) {
      const std::uint32_t doc = of_.scope_.objects->parent(of_.segment_, object);
      if (doc != last_) out.push_back(doc);
      last_ = doc;
    }
  }

  const NestedAggregation& of_;
  Bucket bucket_;
  std::uint64_t serial_ = 0;
  std::uint32_t at_ = 0;             // of objects: where the next one is looked for
  std::uint32_t last_ = UINT32_MAX;  // of documents: the last one
};

std::unique_ptr<AggregationState> NestedAggregation::state() const {
  return std::make_unique<NestedState>(*this);
}

Result<std::string> path_of(const std::string& type, const Json& parameters) {
  std::string path;
  for (const auto& [name, value] : parameters.as_object()) {
    if (name != "path")
      return of_request(content_error("[" + type + "] unknown field [" + name + "]"));
    if (!value.is_string()) return malformed("[" + type + "] takes a text as its [path]");
    path = value.as_string();
  }
  if (path.empty() && type == "nested")
    return malformed("Missing [path] field for nested aggregation");
  return path;
}

// The documents, or objects, that those of `context` are in.
Result<const ViewState*> view_above(const QueryContext& context, const std::string& name,
                                    const std::string& path) {
  const ViewState* at = &context.view;
  if (at->objects == nullptr)
    return illegal_argument("Reverse nested aggregation [" + name +
                            "] can only be used inside a [nested] aggregation");
  const std::string& own = at->nested_path;
  if (!path.empty() && !own.starts_with(path + "."))
    return illegal_argument("[reverse_nested] the path [" + path + "] is not above [" + own + "]");
  while (at->objects != nullptr && at->nested_path.size() > path.size()) at = at->objects->above;
  if (at->nested_path == path) return at;
  CAIRN_TRY(const auto view, nested_view(*at, path));
  if (view == nullptr)
    return query_error("[reverse_nested] nested path [" + path + "] is not nested");
  return &view->state;
}

}  // namespace

Result<AggregationScope> scope_of(const QueryContext& context, const std::string& name,
                                  const std::string& type, const Json& parameters,
                                  BucketCount& buckets) {
  AggregationScope out;
  CAIRN_TRY(const std::string path, path_of(type, parameters));
  const ViewState* within = nullptr;
  out.is_reverse = type == "reverse_nested";
  if (out.is_reverse && buckets.lost_paths > 0) return out;
  if (out.is_reverse) {
    CAIRN_TRY(within, view_above(context, name, path));
    CAIRN_TRY(const auto objects, nested_view(*within, context.view.nested_path));
    out.objects = objects.get();
  } else {
    CAIRN_TRY(const auto objects, nested_view(context.view, path));
    if (objects == nullptr) return out;
    out.objects = objects.get();
    within = &objects->state;
  }
  buckets.contexts.push_back(context_within(context, *within));
  out.context = buckets.contexts.back().get();
  return out;
}

Result<std::unique_ptr<Aggregation>> make_nested(const AggregationRequest& request,
                                                 AggregationList subs,
                                                 const AggregationScope& scope) {
  return std::unique_ptr<Aggregation>(
      std::make_unique<NestedAggregation>(request.name, std::move(subs), scope, request.buckets));
}

}  // namespace cairn::index
