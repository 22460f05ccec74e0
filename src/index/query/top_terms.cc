// SPDX-License-Identifier: Apache-2.0
// Which queries go the fast way, and how their segments and ranges come together.
#include "index/query/top_terms.h"

#include <algorithm>
#include <utility>

#include "index/query/bool_check.h"
#include "index/query/parts.h"
#include "index/query/range_search.h"

namespace cairn::index {
namespace {

// Without filters the most frequent term alone may show that there are more hits than are counted.
bool surely_more(const QueryContext& context, const TermsShape& shape, std::uint64_t limit) {
  if (shape.all && shape.terms.size() > 1) return false;
  if (!shape.filters.empty() || !shape.excluded.empty()) return false;
  std::uint64_t deleted = 0;
  for (const SegmentView& s : context.view.segments) deleted += s.segment->doc_count() - s.live;
  for (const TermPlan* term : shape.terms) {
    std::uint64_t doc_freq = 0;
    for (const TermPlan::Place& place : term->places)
      if (place.reader != nullptr) doc_freq += place.entry.doc_freq;
    if (doc_freq > limit && doc_freq - limit > deleted) return true;
  }
  return false;
}

// Postings of a segment that a search goes through, about: those of the rarest term lead the others
// where all terms are asked for.
std::uint64_t work_of(const TermsShape& shape, std::size_t segment) {
  std::uint64_t sum = 0, least = UINT64_MAX;
  for (const TermPlan* term : shape.terms) {
    const TermPlan::Place& place = term->places[segment];
    const std::uint64_t postings = place.reader == nullptr ? 0 : place.entry.doc_freq;
    sum += postings;
    least = std::min(least, postings);
  }
  return shape.all ? least * shape.terms.size() : sum;
}
std::uint64_t work_of(const QueryContext& context, const TermsShape& shape) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) sum += work_of(shape, i);
  return sum;
}

// Ranges of whole windows, each of about as much work.
std::vector<DocRange> ranges_of(const QueryContext& context, const TermsShape& shape) {
  const std::uint64_t each = work_of_part(context, work_of(context, shape));
  std::vector<DocRange> out;
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    const std::uint32_t docs = context.view.segments[i].segment->doc_count();
    const std::uint64_t windows = (std::uint64_t{docs} + window_docs - 1) / window_docs;
    const std::uint64_t parts = std::clamp<std::uint64_t>(work_of(shape, i) / each, 1, windows);
    const std::uint64_t step = (windows + parts - 1) / parts * window_docs;
    for (std::uint64_t from = 0; from < docs; from += step)
      out.push_back({i, static_cast<std::uint32_t>(from),
                     static_cast<std::uint32_t>(std::min<std::uint64_t>(docs, from + step))});
  }
  return out;
}

struct Part {
  TopScores top;
  HitCount count;
};

// What a part has found counts although another came to an error: a search that its time limit cut
// short shows it.
void gather(std::vector<Part>& parts, std::uint64_t limit, TopScores& top, HitCount& count) {
  std::vector<TopScores::Entry> all;
  for (Part& part : parts) {
    const auto own = part.top.take();
    all.insert(all.end(), own.begin(), own.end());
    if (!count.is_lower_bound) count.value += part.count.value;
  }
  count.is_lower_bound |= count.value > limit;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.doc < b.doc; });
  for (const TopScores::Entry& entry : all)
    if (entry.score > top.threshold()) top.add(entry.score, entry.doc);
}

Status search_parts(const QueryContext& context, const TermsShape& shape, std::uint64_t limit,
                    TopScores& top, HitCount& count) {
  std::vector<Narrowed> narrowed;
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    CAIRN_TRY(auto own, narrowed_by(context, shape, i));
    narrowed.push_back(std::move(own));
  }
  const auto ranges = ranges_of(context, shape);
  std::vector<Part> parts(ranges.size(), Part{TopScores(top.kept()), count});
  for (Part& part : parts) part.count.value = count.is_lower_bound ? count.value : 0;
  SharedFloor floor{top.threshold()};
  const Status ran =
      for_each_part(context, ranges.size(), [&](std::size_t i, const QueryContext& own) {
        return search_range(own, shape, ranges[i],
                            {.narrowed = narrowed[ranges[i].segment],
                             .count_limit = limit,
                             .top = parts[i].top,
                             .count = parts[i].count,
                             .floor = &floor,
                             .opening = nullptr});
      });
  gather(parts, limit, top, count);
  return ran;
}

}  // namespace

void TopScores::add(float score, DocAddress doc) {
  if (k_ == 0) return;
  if (heap_.size() == k_) {
    std::pop_heap(heap_.begin(), heap_.end(), better);
    heap_.pop_back();
  }
  heap_.push_back({.score = score, .doc = doc});
  std::push_heap(heap_.begin(), heap_.end(), better);
  if (heap_.size() == k_) threshold_ = std::max(floor_, heap_.front().score);
}

std::vector<TopScores::Entry> TopScores::take() {
  std::sort(heap_.begin(), heap_.end(), better);
  return std::move(heap_);
}

std::optional<TermsShape> terms_shape(const Plan& plan) {
  TermsShape out;
  if (const TermPlan* term = plan.as_term()) {
    if (!(term->weight > 0)) return std::nullopt;
    out.terms.push_back(term);
    return out;
  }
  const BoolPlan* bools = plan.as_bool();
  if (bools == nullptr) return std::nullopt;
  for (const auto* list : {&bools->filter, &bools->must_not})
    for (const PlanPtr& clause : *list)
      if (only_checks(*clause)) return std::nullopt;
  const bool any =
      bools->must.empty() && !bools->should.empty() &&
      (bools->least_should == 1 || (bools->least_should == 0 && bools->filter.empty()));
  const bool all = !bools->must.empty() && bools->should.empty();
  if (!any && !all) return std::nullopt;
  // A single clause that is itself such a query, narrowed further: filter around a match.
  const auto& clauses = all ? bools->must : bools->should;
  if (clauses.size() == 1 && clauses[0]->as_bool() != nullptr) {
    auto inner = terms_shape(*clauses[0]);
    if (!inner) return std::nullopt;
    out = std::move(*inner);
  } else {
    out.all = all;
    for (const PlanPtr& clause : clauses) {
      if (clause->matches_nothing()) continue;
      const TermPlan* term = clause->as_term();
      if (term == nullptr || !(term->weight > 0)) return std::nullopt;
      out.terms.push_back(term);
    }
  }
  if (out.terms.empty() || out.terms.size() > searched_terms_max) return std::nullopt;
  // Of two levels of filters both are in the key, or there is none.
  const bool inner_narrows = !out.filters.empty() || !out.excluded.empty();
  if (!bools->filter.empty() || !bools->must_not.empty()) {
    const bool known = !bools->narrowing_key.empty() && inner_narrows != out.narrowing_key.empty();
    out.narrowing_key = known ? bools->narrowing_key + out.narrowing_key : std::string();
  }
  for (const PlanPtr& filter : bools->filter) out.filters.push_back(filter.get());
  for (const PlanPtr& excluded : bools->must_not) out.excluded.push_back(excluded.get());
  return out;
}

Status top_terms(const QueryContext& context, const TermsShape& shape, std::uint64_t count_limit,
                 TopScores& top, HitCount& count) {
  if (surely_more(context, shape, count_limit)) count = {count_limit + 1, true};
  if (shape.profile == nullptr && is_worth_sharing(context, work_of(context, shape)))
    return search_parts(context, shape, count_limit, top, count);
  for (std::size_t i = 0; i < context.view.segments.size(); ++i) {
    StepWatch opening(shape.profile, QueryStep::build_scorer);
    CAIRN_TRY(const Narrowed narrowed, narrowed_by(context, shape, i));
    const DocRange all{i, 0, context.view.segments[i].segment->doc_count()};
    CAIRN_CHECK(search_range(context, shape, all,
                             {.narrowed = narrowed,
                              .count_limit = count_limit,
                              .top = top,
                              .count = count,
                              .floor = nullptr,
                              .opening = &opening}));
  }
  return ok_status();
}

}  // namespace cairn::index
