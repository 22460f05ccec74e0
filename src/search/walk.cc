// SPDX-License-Identifier: Apache-2.0
// Blocks of addresses in the order of sequence numbers, and pages out of them.
#include "search/walk.h"

#include <algorithm>

#include "index/document/document.h"
#include "search/embedder.h"
#include "search/errors.h"
#include "search/run/execution.h"
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

}  // namespace

DocumentWalk::DocumentWalk(std::vector<WalkTarget> targets, PreparedQueries queries,
                           std::uint64_t total, bool with_sources)
    : targets_(std::move(targets)),
      queries_(std::move(queries)),
      total_(total),
      with_sources_(with_sources) {}

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
      block_.push_back({.doc = hit.doc, .seq_no = std::get<std::int64_t>(hit.sort.front())});
    last_ = block_.back().seq_no;
    return ok_status();
  }
  return ok_status();
}

Result<WalkedDocument> DocumentWalk::read(const Place& place, const os::Deadline& deadline) const {
  const index::View& view = *targets_[target_].view;
  WalkedDocument out{.id = {}, .seq_no = place.seq_no};
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
  if (at_ == block_.size()) CAIRN_CHECK(read_block(deadline));
  WalkedPage page{.target = target_};
  std::size_t taken = 0;
  std::size_t at = at_;
  for (; at < block_.size() && page.documents.size() < count && taken < bytes; ++at) {
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
  return request;
}

Result<std::unique_ptr<DocumentWalk>> Service::walk(std::vector<WalkTarget> targets,
                                                    const WalkRequest& request,
                                                    const os::Deadline& deadline) {
  Embedder embedder(inference_, deadline);
  std::vector<Target> searched;
  for (const WalkTarget& target : targets)
    searched.push_back({target.index, target.view, {target.index->name()}, target.filter});
  const std::string own = request.text.empty() ? request.query.dump() : std::string();
  const std::string_view text = request.text.empty() ? std::string_view(own) : request.text;
  Execution execution(text, std::move(searched), embedder, options_, 10, deadline, request.now_ms);
  CAIRN_TRY(auto queries, execution.read(request.query, request.path));
  if (request.slice) {
    const index::SliceQuery slice{
        .field = request.slice->field, .id = request.slice->id, .max = request.slice->max};
    const Queries slices(queries.size(), {.node = slice});
    queries = narrowed(std::move(queries), slices);
  }
  if (!targets.empty()) {
    Queries ranges;
    for (const WalkTarget& target : targets) ranges.push_back(range_query(target.range));
    queries = narrowed(std::move(queries), ranges);
  }
  CAIRN_TRY(auto prepared, execution.prepare(std::move(queries)));
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    auto found = prepared[i].plan->count(deadline);
    const index::Index& index = *targets[i].index;
    if (!found.ok()) return phase_error(index.name(), index.uuid(), std::move(found).error());
    total += *found;
  }
  return std::make_unique<DocumentWalk>(std::move(targets), std::move(prepared), total,
                                        request.with_sources);
}

}  // namespace cairn::search
