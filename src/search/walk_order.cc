// SPDX-License-Identifier: Apache-2.0
// Blocks of the best documents behind the last one, merged over the targets.
#include "search/walk_order.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "search/errors.h"
#include "search/run/ranking.h"
#include "search/run/tie_breaker.h"

namespace cairn::search {
namespace {

// As of a walk by sequence numbers: a block takes a pass over all that match.
constexpr std::size_t sorted_least = 10'000;
constexpr std::size_t sorted_most = 200'000;
constexpr std::uint64_t sorted_blocks = 64;
constexpr std::size_t sorted_bytes = std::size_t{64} << 20;  // of the values of a block

std::size_t bytes_of(const Candidate& hit) {
  std::size_t out = sizeof(Candidate) + hit.sort.size() * sizeof(index::SortValue);
  for (const index::SortValue& value : hit.sort)
    if (const auto* text = std::get_if<std::string>(&value)) out += text->size();
  return out;
}

}  // namespace

WalkOrder::WalkOrder(std::vector<index::SortKey> keys, std::size_t targets, std::uint64_t total)
    : keys_(std::move(keys)), total_(total), filters_(targets) {
  if (keys_.empty() || keys_.back().by != index::SortKey::By::doc)
    keys_.push_back({.by = index::SortKey::By::doc});
  keys_.back().field = place_key_name;
}

Status WalkOrder::begin(const std::vector<WalkTarget>& targets, const PreparedQueries& queries,
                        const ReadFilter& read, const os::Deadline& deadline) {
  return read_block(targets, queries, read, deadline);
}

Result<std::vector<WalkPlace>> WalkOrder::next(std::size_t count,
                                               const std::vector<WalkTarget>& targets,
                                               const PreparedQueries& queries,
                                               const os::Deadline& deadline) {
  if (at_ == block_.size() && !last_.empty())
    CAIRN_CHECK(read_block(targets, queries, {}, deadline));
  const std::size_t end = at_ + std::min(count, block_.size() - at_);
  std::vector<WalkPlace> out(block_.begin() + static_cast<std::ptrdiff_t>(at_),
                             block_.begin() + static_cast<std::ptrdiff_t>(end));
  at_ = end;
  return out;
}

Status WalkOrder::read_block(const std::vector<WalkTarget>& targets,
                             const PreparedQueries& queries, const ReadFilter& read,
                             const os::Deadline& deadline) {
  index::SearchParams params;
  params.size = std::clamp<std::size_t>(total_ / sorted_blocks, sorted_least, sorted_most);
  if (hit_bytes_ > 0)
    params.size = std::clamp(sorted_bytes / hit_bytes_, sorted_least, params.size);
  else
    params.size = sorted_least;  // until it is known what a document takes
  params.sort = keys_;
  params.track_total_hits = 0;
  std::vector<Candidate> hits;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto failed = [&](Error error) {
      return phase_error(targets[i].index->name(), targets[i].index->uuid(), std::move(error));
    };
    params.search_after = last_;
    if (!last_.empty())
      params.search_after.back() = place_within(i, std::get<std::int64_t>(last_.back()));
    params.read_query = [&, i](const Json& query) -> Result<index::Query> {
      const std::string text = query.dump();
      const auto known = filters_[i].find(text);
      if (known != filters_[i].end()) return known->second;
      CAIRN_TRY(index::Query made, read(i, query));
      filters_[i][text] = made;
      return made;
    };
    auto plan = index::PreparedQuery::with_values(queries[i].plan, params, deadline);
    if (!plan.ok()) return failed(std::move(plan).error());
    auto found = (*plan)->search(params, nullptr, deadline);
    if (!found.ok()) return failed(std::move(found).error());
    for (index::Hit& hit : found->hits) {
      hit.sort.back() = place_over_all(i, std::get<std::int64_t>(hit.sort.back()));
      hits.push_back({{i, hit.doc}, hit.score, std::move(hit.sort)});
    }
    std::stable_sort(hits.begin(), hits.end(), [&](const Candidate& a, const Candidate& b) {
      return comes_before(a, b, keys_);
    });
    if (hits.size() > params.size) hits.resize(params.size);
  }
  block_.clear();
  at_ = 0;
  std::size_t bytes = 0;
  for (const Candidate& hit : hits) {
    bytes += bytes_of(hit);
    block_.push_back({.target = hit.place.target, .doc = hit.place.doc});
  }
  last_ = hits.empty() ? std::vector<index::SortValue>() : std::move(hits.back().sort);
  if (!hits.empty()) hit_bytes_ = bytes / hits.size();
  return ok_status();
}

}  // namespace cairn::search
