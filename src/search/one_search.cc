// SPDX-License-Identifier: Apache-2.0
#include "search/one_search.h"

#include "index/query_fields.h"
#include "search/errors.h"
#include "search/run/request_fields.h"
#include "search/run/retrievers.h"
#include "search/show/column_values.h"
#include "search/stored_values.h"

namespace cairn::search {

using index::SearchParams;

Status OneSearch::run() {
  CAIRN_CHECK(check_window());
  CAIRN_CHECK(check_shown_fields());
  if (!request_.post_filter.is_null()) {
    CAIRN_TRY(auto read, execution_.read_with_inner_hits(request_.post_filter, "post_filter",
                                                         nested_inner_hits_));
    CAIRN_TRY(post_filter_, execution_.prepare(std::move(read)));
  }
  CAIRN_CHECK(read_highlight_queries());
  if (!request_.suggest.empty()) {
    CAIRN_TRY(suggest_,
              run_suggest(request_.suggest, execution_, request_.source, request_.typed_keys));
    // Nothing else was asked.
    if (request_.query.is_null() && request_.knn.empty() && request_.retriever.is_null() &&
        request_.aggregations.is_null())
      return ok_status();
  }
  if (request_.retriever.is_null()) return run_plain();
  return run_compound();
}

Result<std::string> OneSearch::render(const AnswerFacts& facts) {
  return render_answer(request_, execution_,
                       {.ranking = ranking_,
                        .queries = queries_,
                        .post_filter = post_filter_,
                        .own_queries = own_queries_,
                        .rescorers = rescorers_,
                        .inner_hits = inner_hits_,
                        .suggest = suggest_},
                       facts);
}

void OneSearch::count_as(std::uint64_t total, std::optional<float> max_score) {
  ranking_.total = total;
  ranking_.total_is_lower_bound = false;
  ranking_.max_score = max_score;
}

Status OneSearch::check_window() const {
  if (request_.within) return ok_status();  // the window of inner hits was asked for
  const std::size_t window = request_.from + request_.size;
  if (window < request_.from || execution_.targets().empty())
    return check_window(nullptr, window, execution_.options().max_result_window);
  for (const Target& target : execution_.targets()) {
    CAIRN_CHECK(check_window(target.index.get(), window,
                             target.index->setting_number("max_result_window")));
    CAIRN_CHECK(check_rescore(*target.index));
  }
  return ok_status();
}

Status OneSearch::check_window(const index::Index* index, std::size_t window,
                               std::size_t limit) const {
  if (window <= limit && window >= request_.from) return ok_status();
  Error cause = illegal_argument(
      "Result window is too large, from + size must be less than or equal to: [" +
      std::to_string(limit) + "] but was [" + std::to_string(window) +
      "]. See the scroll api and [search_after] at a point in time for a more efficient way to "
      "request large data sets. This limit can be set by changing the [index.max_result_window] "
      "index "
      "level setting.");
  if (index == nullptr) return cause;
  return phase_error(index->name(), index->uuid(), std::move(cause));
}

Status OneSearch::check_rescore(const index::Index& index) const {
  const std::size_t window = widest_window(request_.rescore);
  const std::size_t limit = index.setting_number("max_rescore_window");
  if (window <= limit) return ok_status();
  return phase_error(
      index.name(), index.uuid(),
      illegal_argument("Rescore window [" + std::to_string(window) +
                       "] is too large. It must be less than [" + std::to_string(limit) +
                       "]. This prevents allocating massive heaps for storing the results to be "
                       "rescored. This limit can be set by changing the "
                       "[index.max_rescore_window] index level setting."));
}

Status OneSearch::check_shown_fields() const {
  for (const Target& target : execution_.targets()) {
    const std::size_t most = target.index->setting_number("max_docvalue_fields_search");
    Status fits = check_column_formats(request_.docvalue_fields, target.view->mapping(), most);
    if (fits.ok()) fits = check_formats(request_.fields, target.view->mapping());
    if (fits.ok())
      fits = check_script_fields(request_.script_fields.size(),
                                 target.index->setting_number("max_script_fields"));
    if (!fits.ok()) return phase_error(target.index->name(), target.index->uuid(), fits.error());
  }
  return ok_status();
}

Status OneSearch::read_highlight_queries() {
  own_queries_.resize(std::max<std::size_t>(execution_.targets().size(), 1));
  if (!request_.highlight) return ok_status();
  for (const HighlightField& field : request_.highlight->fields) {
    PreparedQueries own;
    if (!field.query.is_null()) {
      CAIRN_TRY(auto read, execution_.read(field.query, "highlight.highlight_query"));
      CAIRN_TRY(own, execution_.prepare(std::move(read)));
    }
    for (std::size_t i = 0; i < own_queries_.size(); ++i)
      own_queries_[i].push_back(own.empty() ? std::nullopt : std::optional(std::move(own[i])));
  }
  return ok_status();
}

SearchParams OneSearch::params() const {
  SearchParams params;
  params.size = std::max(request_.from + request_.size, widest_window(request_.rescore));
  params.sort = request_.sort;
  params.collapse = request_.collapse.field;
  params.min_score = request_.min_score;
  params.track_total_hits = request_.track_total_hits;
  params.track_scores = request_.track_scores;
  params.terminate_after = request_.terminate_after;
  params.aggregations = request_.aggregations;
  params.typed_keys = request_.typed_keys;
  return params;
}

Status OneSearch::run_within() {
  const index::WithinQuery& part = *request_.within;
  HitMemory::Planned& planned = execution_.planned_before();
  if (planned.queries.empty()) {
    CAIRN_TRY(Queries queries,
              execution_.read_with_inner_hits(request_.query, "query", nested_inner_hits_));
    CAIRN_CHECK(check_inner_searches());
    const bool near = index::narrow_nearest(queries.front(), part);
    CAIRN_TRY(queries_, execution_.prepare(std::move(queries), request_.explain));
    if (!near && execution_.named(0).empty()) planned = {queries_, nested_inner_hits_};
  } else {
    queries_ = planned.queries;
    nested_inner_hits_ = planned.inner;
  }
  index::PreparedQueryPtr& plan = queries_.front().plan;
  plan = index::PreparedQuery::within(plan, part);
  CAIRN_TRY(ranking_, execution_.run(queries_, params(), cursor_, post_filter_));
  return ok_status();
}

Status OneSearch::run_plain() {
  if (request_.within) return run_within();
  std::vector<Queries> parts;
  if (!request_.query.is_null() || request_.knn.empty()) {
    CAIRN_TRY(auto queries,
              execution_.read_with_inner_hits(request_.query, "query", nested_inner_hits_));
    parts.push_back(std::move(queries));
  }
  for (const Json& knn : request_.knn) {
    CAIRN_TRY(auto queries, execution_.read_knn(knn, "knn"));
    parts.push_back(std::move(queries));
  }
  CAIRN_CHECK(check_inner_searches());
  CAIRN_TRY(rescorers_, prepare_rescorers(request_.rescore, execution_, request_.explain));
  const bool only_knn = request_.query.is_null() && request_.knn.size() == 1;
  Queries all = execution_.boosted(any_of(std::move(parts)));
  CAIRN_TRY(queries_, execution_.prepare(sliced(std::move(all)), request_.explain));
  CAIRN_TRY(ranking_, execution_.run(queries_, params(), cursor_, post_filter_));
  if (only_knn && execution_.targets().size() > 1) {
    // k is meant over all indices together.
    const std::size_t k = std::get<index::KnnQuery>(queries_.front().query.node).k;
    if (ranking_.hits.size() > k) ranking_.hits.resize(k);
    ranking_.total = std::min<std::uint64_t>(ranking_.total, k);
  }
  return rescore_hits();
}

Status OneSearch::check_inner_searches() const {
  constexpr std::size_t most = 10'000;
  for (const NestedInnerHits& own : nested_inner_hits_)
    for (const InnerHits& other : request_.collapse.inner)
      if (own.inner.name == other.name)
        return illegal_argument("[inner_hits] already contains an entry for key [" + other.name +
                                "]");
  if (nested_inner_hits_.empty() || request_.size <= most / nested_inner_hits_.size())
    return ok_status();
  return illegal_argument("[size] is [" + std::to_string(request_.size) + "], and there are [" +
                          std::to_string(nested_inner_hits_.size()) +
                          "] inner_hits: together a search may look into [" + std::to_string(most) +
                          "] hits");
}

Status OneSearch::rescore_hits() {
  if (rescorers_.empty()) return ok_status();
  CAIRN_CHECK(rescore(rescorers_, execution_, ranking_.hits));
  if (!ranking_.hits.empty()) ranking_.max_score = ranking_.hits.front().score;
  return ok_status();
}

Queries OneSearch::sliced(Queries queries) const {
  if (!request_.slice) return queries;
  const index::SliceQuery slice{
      .field = request_.slice->field, .id = request_.slice->id, .max = request_.slice->max};
  const Queries slices(queries.size(), {.node = slice});
  return narrowed(std::move(queries), slices);
}

Status OneSearch::run_compound() {
  if (request_.explain)
    return not_offered("explain beside a retriever of several lists", "explain each list");
  if (!request_.indices_boost.empty())
    return not_offered("indices_boost beside a retriever of several lists", "boost each list");
  if (request_.terminate_after > 0)
    return not_offered("terminate_after beside a retriever of several lists", "");
  CAIRN_TRY(const auto retriever, read_retriever(request_.retriever, execution_));
  CAIRN_TRY(queries_, prepare_leaves(*retriever, execution_));
  if (queries_.empty()) return ok_status();
  CAIRN_TRY(auto hits, run_retriever(*retriever, execution_, retriever->window));
  CAIRN_CHECK(apply_post_filter(hits));
  if (request_.min_score)
    std::erase_if(hits, [&](const Candidate& hit) { return hit.score < *request_.min_score; });
  // What matches at all, and its aggregations.
  SearchParams all = params();
  all.size = 0;
  all.sort.clear();
  all.min_score.reset();
  CAIRN_TRY(ranking_, execution_.run(queries_, all, {}, post_filter_));
  ranking_.max_score.reset();
  if (!hits.empty()) ranking_.max_score = hits.front().score;
  ranking_.hits = std::move(hits);
  return ok_status();
}

Status OneSearch::apply_post_filter(std::vector<Candidate>& hits) {
  if (post_filter_.empty()) return ok_status();
  CAIRN_TRY(const auto passes, execution_.matches(post_filter_, hits));
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (passes[i]) kept.push_back(std::move(hits[i]));
  hits = std::move(kept);
  return ok_status();
}

}  // namespace cairn::search
