// SPDX-License-Identifier: Apache-2.0
// Blocks of addresses in the order of sequence numbers, and pages out of them.
#include "search/walk.h"

#include <algorithm>

#include "index/document/document.h"
#include "search/embedder.h"
#include "search/errors.h"
#include "search/read/query_reader.h"
#include "search/run/execution.h"
#include "search/run/request_fields.h"
#include "search/service.h"

namespace cairn::search {
namespace {

// A block takes a pass over all that match. With a sixty-fourth of them in each, all passes
// together cost in proportion to the documents, as long as the memory of a block is not what bounds
// it.
constexpr std::size_t block_least = 10'000;
constexpr std::size_t block_most = 200'000;
constexpr std::uint64_t blocks_at_most = 64;

index::Query range_query(const WalkRange& range) {
  index::RangeQuery of{.field = "_seq_no", .gt = Json(range.after)};
  if (range.until != INT64_MAX) of.lte = Json(range.until);
  return {.node = std::move(of)};
}

/// What matches within ranges. The nearest stay those of all documents.
Queries within_ranges(Queries queries, const std::vector<WalkRange>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    index::BoolQuery all;
    all.must.push_back(std::move(queries[i]));
    all.filter.push_back(range_query(ranges[i]));
    queries[i] = {.node = std::move(all)};
  }
  return queries;
}

/// What a request asks for, read for each target.
Result<Queries> queries_of(Execution& execution, const WalkRequest& request) {
  CAIRN_TRY(auto queries, execution.read(request.query, request.path));
  if (!request.slice) return queries;
  const index::SliceQuery slice{
      .field = request.slice->field, .id = request.slice->id, .max = request.slice->max};
  const Queries slices(queries.size(), {.node = slice});
  return narrowed(std::move(queries), slices);
}

std::vector<Target> searched_of(const std::vector<WalkTarget>& targets) {
  std::vector<Target> out;
  for (const WalkTarget& target : targets)
    out.push_back({target.index, target.view, {target.index->name()}, target.filter});
  return out;
}

}  // namespace

DocumentWalk::DocumentWalk(std::vector<WalkTarget> targets, PreparedQueries queries,
                           std::uint64_t total, bool with_sources,
                           std::unique_ptr<WalkOrder> order)
    : targets_(std::move(targets)),
      queries_(std::move(queries)),
      total_(total),
      with_sources_(with_sources),
      order_(std::move(order)) {}

Status DocumentWalk::read_sorted(std::size_t count, const os::Deadline& deadline) {
  CAIRN_TRY(block_, order_->next(count, targets_, queries_, deadline));
  at_ = 0;
  // A page is written to one index.
  std::stable_sort(block_.begin(), block_.end(),
                   [](const WalkPlace& a, const WalkPlace& b) { return a.target < b.target; });
  return ok_status();
}

Status DocumentWalk::read_block(const os::Deadline& deadline) {
  block_.clear();
  at_ = 0;
  for (; target_ < targets_.size(); ++target_, last_ = -1) {
    index::SearchParams params;
    params.size = std::clamp<std::size_t>(total_ / blocks_at_most, block_least, block_most);
    index::SortKey by_number;
    by_number.by = index::SortKey::By::field;
    by_number.field = "_seq_no";
    params.sort = {std::move(by_number)};
    params.track_total_hits = 0;
    if (last_ >= 0) params.search_after = {index::SortValue(last_)};
    const WalkTarget& target = targets_[target_];
    auto found = queries_[target_].plan->search(params, nullptr, deadline);
    if (!found.ok())
      return phase_error(target.index->name(), target.index->uuid(), std::move(found).error());
    if (found->hits.empty()) continue;
    block_.reserve(found->hits.size());
    for (const index::Hit& hit : found->hits)
      block_.push_back({.target = target_,
                        .doc = hit.doc,
                        .seq_no = std::get<std::int64_t>(hit.sort.front())});
    last_ = block_.back().seq_no;
    return ok_status();
  }
  return ok_status();
}

Result<WalkedDocument> DocumentWalk::read(const WalkPlace& place,
                                          const os::Deadline& deadline) const {
  const index::View& view = *targets_[place.target].view;
  WalkedDocument out{.id = {}, .seq_no = place.seq_no};
  if (place.seq_no < 0) {
    CAIRN_TRY(const auto version, view.version(place.doc, deadline));
    out.seq_no = version.seq_no;
  }
  CAIRN_TRY(out.id, view.id(place.doc, deadline));
  CAIRN_TRY(const auto routing, view.values(place.doc, index::routing_field_name, deadline));
  if (!routing.empty())
    if (const auto* text = std::get_if<std::string>(&routing.front())) out.routing = *text;
  if (with_sources_) {
    CAIRN_TRY(out.source, view.source(place.doc, deadline));
  }
  return out;
}

Result<WalkedPage> DocumentWalk::next(std::size_t count, std::size_t bytes,
                                      const os::Deadline& deadline) {
  if (at_ == block_.size()) CAIRN_CHECK(order_ ? read_sorted(count, deadline) : read_block(deadline));
  WalkedPage page{.target = at_ < block_.size() ? block_[at_].target : target_};
  std::size_t taken = 0;
  std::size_t at = at_;
  for (; at < block_.size() && block_[at].target == page.target &&
         page.documents.size() < count && taken < bytes;
       ++at) {
    CAIRN_CHECK(deadline.check("reading documents"));
    CAIRN_TRY(auto document, read(block_[at], deadline));
    taken += document.source.size();
    page.documents.push_back(std::move(document));
  }
  at_ = at;
  return page;
}

Result<SearchRequest> Service::read_walk(std::string_view text, const Json& body,
                                         const SearchParameters& parameters) const {
  SearchParameters own = parameters;
  own.scroll_ms = 1;  // what goes with a scroll goes with a walk
  CAIRN_TRY(SearchRequest request, parse_request(text, body, own, options_));
  if (request.slice) {
    if (request.slice->field == "_doc" || request.slice->field == "_shard_doc")
      return illegal_argument("[slice] cannot go by [" + request.slice->field +
                              "] here: leave the field out to slice by _id");
    if (request.slice->field.empty()) request.slice->field = "_id";
  }
  for (const index::SortKey& key : request.sort)
    if (key.script && key.script->source.empty())
      return not_offered("a stored script in [sort] of a request by query", "give its [source]");
  return request;
}

Result<std::unique_ptr<DocumentWalk>> Service::walk(std::vector<WalkTarget> targets,
                                                    const WalkRequest& request,
                                                    const os::Deadline& deadline) {
  Embedder embedder(inference_, deadline);
  const std::string own = request.text.empty() ? request.query.dump() : std::string();
  const std::string_view text = request.text.empty() ? std::string_view(own) : request.text;
  SearchRequest sorted;
  if (!request.sort.is_null())
    CAIRN_CHECK(parse_sort(text, request.sort, sorted.sort, sorted.sort_formats));
  auto searched = searched_of(targets);
  if (adds_fields(sorted)) {
    CAIRN_TRY(searched, with_request_fields(std::move(searched), sorted));
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i].view = searched[i].view;
  }
  Execution execution(text, std::move(searched), embedder, options_, 10, deadline, request.now_ms);
  CAIRN_TRY(auto queries, queries_of(execution, request));
  std::vector<WalkRange> ranges;
  for (const WalkTarget& target : targets) ranges.push_back(target.range);
  CAIRN_TRY(auto prepared, execution.prepare(within_ranges(std::move(queries), ranges)));
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    auto found = prepared[i].plan->count(deadline);
    const index::Index& index = *targets[i].index;
    if (!found.ok()) return phase_error(index.name(), index.uuid(), std::move(found).error());
    total += *found;
  }
  std::unique_ptr<WalkOrder> order;
  if (!sorted.sort.empty()) {
    order = std::make_unique<WalkOrder>(std::move(sorted.sort), targets.size(), total);
    const auto read = [&](std::size_t target, const Json& query) -> Result<index::Query> {
      QueryReader reader(text, targets[target].view->mapping(), embedder, options_, 10,
                         targets[target].index->setting_texts("query.default_field"));
      return reader.read(query, "sort");
    };
    CAIRN_CHECK(order->begin(targets, prepared, read, deadline));
  }
  return std::make_unique<DocumentWalk>(std::move(targets), std::move(prepared), total,
                                        request.with_sources, std::move(order));
}

Result<std::int64_t> Service::last_of_first(const WalkTarget& target, const WalkRequest& request,
                                            std::uint64_t most, const os::Deadline& deadline) {
  Embedder embedder(inference_, deadline);
  const std::string own = request.text.empty() ? request.query.dump() : std::string();
  const std::string_view text = request.text.empty() ? std::string_view(own) : request.text;
  Execution execution(text, searched_of({target}), embedder, options_, 10, deadline,
                      request.now_ms);
  CAIRN_TRY(const Queries queries, queries_of(execution, request));
  const auto count = [&](const WalkRange& range) -> Result<std::uint64_t> {
    CAIRN_TRY(const auto prepared, execution.prepare(within_ranges(queries, {range})));
    auto found = prepared.front().plan->count(deadline);
    if (found.ok()) return found;
    return phase_error(target.index->name(), target.index->uuid(), std::move(found).error());
  };
  WalkRange range = target.range;
  CAIRN_TRY(const std::uint64_t all, count(range));
  if (all <= most) return range.until;
  // Halves of what is left: all counts together look at each document about twice.
  while (range.until - range.after > 1) {
    const std::int64_t middle = range.after + (range.until - range.after) / 2;
    CAIRN_TRY(const std::uint64_t before, count({.after = range.after, .until = middle}));
    if (before >= most) {
      range.until = middle;
    } else {
      most -= before;
      range.after = middle;
    }
  }
  return range.until;
}

}  // namespace cairn::search
