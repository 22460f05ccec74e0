// SPDX-License-Identifier: Apache-2.0
// Running trees over several indices and merging what they give.
#include "search/run/execution.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/joint_aggregations.h"
#include "search/errors.h"
#include "search/run/tie_breaker.h"

namespace cairn::search {
namespace {

// Of the query within the filter of an alias, where the request gave it no name.
constexpr std::uint32_t asked_label = UINT32_MAX;

}  // namespace

using index::Field;
using index::FieldType;
using index::Query;
using index::SearchParams;
using index::SortKey;
using index::SortValue;

Execution::Execution(std::string_view text, std::vector<Target> targets, Embedder& embedder,
                     const Options& options, std::size_t size, os::Deadline deadline,
                     std::int64_t now_ms, std::optional<os::Deadline> until)
    : text_(text),
      targets_(std::move(targets)),
      embedder_(embedder),
      options_(options),
      size_(size),
      deadline_(std::move(deadline)),
      now_ms_(now_ms),
      until_(std::move(until)) {
  for (const Target& target : targets_)
    readers_.emplace_back(text_, target.view->mapping(), embedder_, options_, size_,
                          target.index->setting_texts("query.default_field"));
  filters_.resize(targets_.size());
  if (readers_.empty()) readers_.emplace_back(text_, no_mapping_, embedder_, options_, size_);
}

Result<Queries> Execution::read(const Json& query, const std::string& path) {
  Queries out;
  for (std::size_t i = 0; i < readers_.size(); ++i)
    CAIRN_CHECK(read_one(i, query, path, false, out));
  return out;
}

Result<Queries> Execution::read_with_inner_hits(const Json& query, const std::string& path,
                                                std::vector<NestedInnerHits>& found) {
  for (QueryReader& reader : readers_) reader.collect_inner_hits(true);
  auto queries = read(query, path);
  std::vector<NestedInnerHits> own;
  for (QueryReader& reader : readers_) {
    reader.collect_inner_hits(false);
    own = reader.take_inner_hits();  // the same of each
  }
  CAIRN_CHECK(check_inner_windows());
  for (NestedInnerHits& one : own) {
    for (const NestedInnerHits& known : found)
      if (known.inner.name == one.inner.name)
        return illegal_argument("[inner_hits] already contains an entry for key [" +
                                one.inner.name + "]");
    found.push_back(std::move(one));
  }
  return queries;
}

Status Execution::check_inner_windows() const {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const std::size_t most = targets_[i].index->setting_number("max_inner_result_window");
    Status fits = check_inner_window(readers_[i].widest_inner_hits(), most,
                                     "index.max_inner_result_window");
    if (!fits.ok()) return failed(i, std::move(fits).error());
  }
  return ok_status();
}

Result<Queries> Execution::read_knn(const Json& knn, const std::string& path) {
  Queries out;
  for (std::size_t i = 0; i < readers_.size(); ++i) CAIRN_CHECK(read_one(i, knn, path, true, out));
  return out;
}

Status Execution::read_one(std::size_t target, const Json& query, const std::string& path,
                           bool is_knn, Queries& out) {
  const std::int64_t begin = clock_ == nullptr ? 0 : clock_->steady_ns();
  CAIRN_CHECK(read_filter(target));
  Query read;
  if (is_knn) {
    CAIRN_TRY(read, readers_[target].read_knn(query, path));
    if (auto* knn = std::get_if<index::KnnQuery>(&read.node)) knn->is_own_search = true;
  } else if (!query.is_null()) {
    CAIRN_TRY(read, readers_[target].read(query, path));
  }
  if (clock_ != nullptr) read_ns_[target] += clock_->steady_ns() - begin;
  out.push_back(std::move(read));
  return ok_status();
}

void Execution::look_up_in(DocumentLookup& documents) {
  for (QueryReader& reader : readers_) reader.look_up_in(&documents);
}

void Execution::measure(const os::Clock& clock) {
  clock_ = &clock;
  read_ns_.resize(readers_.size());
  measured_.resize(targets_.size());
}

const std::vector<NamedQuery>& Execution::named(std::size_t target) const {
  return readers_[target].named();
}

Status Execution::read_filter(std::size_t target) {
  if (target >= targets_.size() || filters_[target]) return ok_status();
  const auto& given = targets_[target].filter;
  if (given == nullptr) return ok_status();
  // A text of its own, as it does not stand in the request.
  const std::string text = given->dump();
  QueryReader reader(text, targets_[target].view->mapping(), embedder_, options_, size_,
                     targets_[target].index->setting_texts("query.default_field"));
  auto read = reader.read(*given, "");
  if (!read.ok()) return failed(target, std::move(read).error());
  filters_[target] = std::make_shared<const Query>(std::move(*read));
  readers_[target].narrow_nearest(filters_[target]);
  return ok_status();
}

Query Execution::narrowed_by_filter(std::size_t target, Query query) const {
  const auto& filter = filters_[target];
  // The nearest of those that pass were asked for already.
  if (filter == nullptr || std::holds_alternative<index::KnnQuery>(query.node)) return query;
  if (query.label == 0) query.label = asked_label;
  index::BoolQuery all;
  all.must.push_back(std::move(query));
  all.filter.push_back(*filter);
  return {.node = std::move(all)};
}

Queries Execution::boosted(Queries queries) const {
  for (std::size_t i = 0; i < boosts_.size(); ++i) queries[i].boost *= boosts_[i];
  return queries;
}

Result<PreparedQueries> Execution::prepare(Queries queries, bool described) {
  PreparedQueries out;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    CAIRN_CHECK(read_filter(i));
    const bool whole = filters_[i] == nullptr;
    auto plan = targets_[i].view->prepare(whole ? queries[i] : narrowed_by_filter(i, queries[i]),
                                          until(), now_ms_, described, clock_ != nullptr);
    if (!plan.ok()) return failed(i, std::move(plan).error());
    const std::uint32_t label = queries[i].label == 0 ? asked_label : queries[i].label;
    index::PreparedQueryPtr asked = whole ? nullptr : (*plan)->part(label);
    if (asked == nullptr) asked = *plan;  // nothing narrows it from outside
    out.push_back({std::move(queries[i]), std::move(*plan), {std::move(asked)}});
  }
  return out;
}

Error Execution::failed(std::size_t target, Error cause) const {
  if (auto of_request = request_error(text_, cause)) return std::move(*of_request);
  const index::Index& index = *targets_[target].index;
  return phase_error(index.name(), index.uuid(), std::move(cause));
}

template <class Value, class Ask>
Result<std::vector<Value>> Execution::asked_of(std::span<const Candidate> hits, Value none,
                                               Ask ask) const {
  std::vector<Value> out(hits.size(), none);
  for (std::size_t target = 0; target < targets_.size(); ++target) {
    std::vector<std::size_t> own;
    std::vector<index::DocAddress> docs;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].place.target != target) continue;
      own.push_back(i);
      docs.push_back(hits[i].place.doc);
    }
    CAIRN_TRY(const auto found, ask(target, docs));
    for (std::size_t i = 0; i < own.size(); ++i) out[own[i]] = found[i];
  }
  return out;
}

Result<std::vector<bool>> Execution::matches(const PreparedQueries& queries,
                                             std::span<const Candidate> hits) const {
  return asked_of(hits, false, [&](std::size_t target, const auto& docs) {
    return queries[target].plan->matches(docs, until());
  });
}

Result<std::vector<std::optional<float>>> Execution::scores(const PreparedQueries& queries,
                                                            std::span<const Candidate> hits) const {
  return asked_of(hits, std::optional<float>(), [&](std::size_t target, const auto& docs) {
    return queries[target].plan->scores(docs, until());
  });
}

Result<std::vector<SortValue>> Execution::cursor_of(std::size_t target, const Cursor& cursor,
                                                    const std::vector<SortKey>& keys) const {
  std::vector<SortValue> out = cursor.kept;
  if (out.empty()) {
    for (std::size_t i = 0; i < cursor.given.size(); ++i) {
      CAIRN_TRY(auto value, sort_value(cursor.given[i], keys[i], targets_[target].view->mapping()));
      out.push_back(std::move(value));
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto* place = std::get_if<std::int64_t>(&out[i]);
        place != nullptr && is_place_key(keys[i]))
      out[i] = place_within(target, *place);
  return out;
}

Result<std::unique_ptr<index::JointAggregations>> Execution::join_aggregations(
    const SearchParams& params, const std::vector<index::PreparedQueryPtr>& plans) {
  std::unique_ptr<index::JointAggregations> out;
  if (params.aggregations.is_null() || targets_.size() == 1) return out;
  if (clock_ != nullptr)
    return not_offered("profile of aggregations over several indices", "ask one index at a time");
  std::vector<std::shared_ptr<const index::View>> views;
  for (const index::PreparedQueryPtr& plan : plans) views.push_back(plan->view());
  CAIRN_TRY(out, index::JointAggregations::make(views));
  QueryReader reader(text_, out->mapping(), embedder_, options_, size_);
  const auto read = [&reader](const Json& query) { return reader.read(query, "aggs"); };
  // Where there is no index, they are read all the same.
  const Status begun = out->begin({.request = params.aggregations,
                                   .typed_keys = params.typed_keys,
                                   .now_ms = now_ms_,
                                   .collect_until = until()},
                                  read);
  if (begun.ok()) return out;
  if (!targets_.empty()) return failed(0, begun.error());
  return request_error(text_, begun.error()).value_or(begun.error());
}

Result<std::vector<index::PreparedQueryPtr>> Execution::with_values(const PreparedQueries& queries,
                                                                    const SearchParams& params) {
  std::vector<index::PreparedQueryPtr> out;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    out.push_back(queries[i].plan);
    if (timed_out_) continue;
    auto made = index::PreparedQuery::with_values(queries[i].plan, params, until());
    const bool is_up =
        !made.ok() && made.error().kind == ErrorKind::timeout && until_ && !deadline_.passed();
    timed_out_ = timed_out_ || is_up;
    if (!made.ok() && !is_up) return failed(i, std::move(made).error());
    if (made.ok()) out.back() = std::move(*made);
  }
  return out;
}

Result<Ranking> Execution::run(const PreparedQueries& queries, const SearchParams& params,
                               const Cursor& cursor, const PreparedQueries& post_filter) {
  Ranking out;
  CAIRN_TRY(const auto plans, with_values(queries, params));
  CAIRN_TRY(const auto joint, join_aggregations(params, plans));
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (timed_out_) break;
    SearchParams own = params;
    if (joint != nullptr) {
      own.aggregations = {};
      own.joint = joint.get();
      joint->next_view(i);
    }
    own.collect_until = until_;
    own.read_query = [&reader = readers_[i]](const Json& query) {
      return reader.read(query, "aggs");
    };
    CAIRN_TRY(own.search_after, cursor_of(i, cursor, params.sort));
    auto found =
        plans[i]->search(own, post_filter.empty() ? nullptr : post_filter[i].plan.get(), deadline_);
    if (!found.ok()) return failed(i, std::move(found).error());
    timed_out_ = timed_out_ || found->timed_out;
    terminated_early_ = terminated_early_ || found->terminated_early;
    if (found->profile != nullptr)
      measured_[i].push_back(
          {.read_ns = std::exchange(read_ns_[i], 0), .profile = std::move(found->profile)});
    out.total += found->total;
    out.total_is_lower_bound = out.total_is_lower_bound || found->total_is_lower_bound;
    if (found->max_score)
      out.max_score = std::max(out.max_score.value_or(*found->max_score), *found->max_score);
    for (index::Hit& hit : found->hits) {
      for (std::size_t key = 0; key < hit.sort.size(); ++key)
        if (is_place_key(params.sort[key]))
          hit.sort[key] = place_over_all(i, std::get<std::int64_t>(hit.sort[key]));
      out.hits.push_back({{i, hit.doc}, hit.score, std::move(hit.sort), std::move(hit.group)});
    }
    out.aggregations = std::move(found->aggregations);
  }
  if (joint != nullptr && !targets_.empty()) {
    CAIRN_TRY(out.aggregations, joint->finish(deadline_));
  }
  if (out.total > params.track_total_hits) {  // the sum of bounds is over the bound
    out.total = params.track_total_hits;
    out.total_is_lower_bound = true;
  }
  if (targets_.size() > 1) {
    std::stable_sort(out.hits.begin(), out.hits.end(), [&](const Candidate& a, const Candidate& b) {
      return comes_before(a, b, params.sort);
    });
    if (!params.collapse.empty()) {
      std::set<SortValue> seen;
      std::erase_if(out.hits, [&](const Candidate& hit) { return !seen.insert(hit.group).second; });
    }
    if (out.hits.size() > params.size) out.hits.resize(params.size);
  }
  return out;
}

Queries any_of(std::vector<Queries> lists) {
  if (lists.size() == 1) return std::move(lists.front());
  Queries out(lists.front().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    index::BoolQuery any;
    for (Queries& list : lists) any.should.push_back(std::move(list[i]));
    out[i].node = std::move(any);
  }
  return out;
}

PreparedQueries any_of(std::vector<PreparedQueries> lists) {
  if (lists.size() == 1) return std::move(lists.front());
  PreparedQueries out(lists.front().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    index::BoolQuery any;
    std::vector<index::PreparedQueryPtr> plans;
    for (PreparedQueries& list : lists) {
      any.should.push_back(std::move(list[i].query));
      plans.push_back(std::move(list[i].plan));
      for (auto& asked : list[i].asked) out[i].asked.push_back(std::move(asked));
    }
    out[i].query = {.node = std::move(any)};
    out[i].plan = index::PreparedQuery::any_of(plans);
  }
  return out;
}

Queries narrowed(Queries queries, const Queries& filter) {
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (auto* knn = std::get_if<index::KnnQuery>(&queries[i].node)) {
      knn->filter.push_back(filter[i]);  // the k nearest of those that pass
      continue;
    }
    index::BoolQuery all;
    all.must.push_back(std::move(queries[i]));
    all.filter.push_back(filter[i]);
    queries[i] = {.node = std::move(all)};
  }
  return queries;
}

Result<SortValue> sort_value(const Json& json, const SortKey& key, const index::Mapping& mapping) {
  if (json.is_null()) return SortValue{};
  const std::string name = key.by == SortKey::By::score ? "_score"
                           : key.by == SortKey::By::doc ? "_doc"
                                                        : key.field;
  const auto wrong = [&](const std::string& why) {
    return illegal_argument("Failed to parse search_after value for field [" + name + "]" + why);
  };
  if (json.is_object() || json.is_array())
    return wrong(": [search_after] takes numbers, texts, true, false and null");
  if (key.by == SortKey::By::score || key.by == SortKey::By::doc) {
    if (!json.is_number()) return wrong(".");
    if (key.by == SortKey::By::score) return SortValue(json.as_double());
    if (json.is_integer()) return SortValue(json.as_int());
    return SortValue(json.as_double() < 0x1p62 ? static_cast<std::int64_t>(json.as_double())
                                               : INT64_MAX);
  }
  const Field* field = mapping.find(key.field);
  const bool text = field == nullptr ? json.is_string() : field->type == FieldType::keyword;
  if (text) return SortValue(scalar_text(json));
  if (field != nullptr && !index::is_whole_number(field->type) && index::is_number(field->type)) {
    if (json.is_number()) return SortValue(json.as_double());
    // As the cursor of a document without a value is shown.
    if (json.is_string() && json.as_string() == "Infinity") return SortValue(HUGE_VAL);
    if (json.is_string() && json.as_string() == "-Infinity") return SortValue(-HUGE_VAL);
  } else if (json.is_integer()) {
    return SortValue(json.as_int());
  } else if (json.is_number() && std::abs(json.as_double()) >= 0x1p63) {
    // The same of whole numbers, from a client that keeps numbers as doubles.
    return SortValue(json.as_double() > 0 ? INT64_MAX : INT64_MIN);
  }
  if (field != nullptr && field->type == FieldType::date && !key.format.empty())
    if (const auto format = index::DateFormat::parse(key.format); format.ok())
      if (const auto ms = format->read(json)) return SortValue(*ms);
  if (field == nullptr) return SortValue(json.is_number() ? json.as_double() : 0.0);
  const auto column = index::column_value(*field, json);
  if (!column.ok()) return wrong(": " + column.error().message);
  if (index::is_number(field->type) && !index::is_whole_number(field->type))
    return SortValue(index::key_double(*column));
  return SortValue(*column);
}

}  // namespace cairn::search
