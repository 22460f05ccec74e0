// SPDX-License-Identifier: Apache-2.0
// One request from text to text.
#include "search/service.h"

#include <algorithm>

#include "base/strings.h"
#include "index/query_fields.h"
#include "search/errors.h"
#include "search/run/request_fields.h"
#include "search/run/rescore.h"
#include "search/run/retrievers.h"
#include "search/run/tie_breaker.h"
#include "search/show/answer.h"
#include "search/show/column_values.h"
#include "search/source_filter.h"
#include "search/stored_values.h"

namespace cairn::search {
namespace {

using index::Query;
using index::SearchParams;

std::vector<Target> targets_of(const IndexList& indices) {
  std::vector<Target> targets;
  for (const auto& index : indices)
    targets.push_back({index.index(), index->view(), index.names(), index.filter(),
                       index.hides_documents()});
  return targets;
}

Result<Json> parse_body(std::string_view body) {
  if (trim(body).empty()) return Json();
  return parse_json(body, {.unique_names = true});
}

/// A retriever that is one list is a plain search. `filter` becomes part of the query.
Result<bool> unwrap(SearchRequest& request, std::string_view text) {
  if (request.retriever.as_object().size() != 1) return false;
  const auto& [name, body] = request.retriever.as_object().front();
  if ((name != "standard" && name != "knn") || !body.is_object()) return false;
  const Json inner = body;
  const bool is_knn = name == "knn";
  Json rest = inner;
  if (const Json* least = inner.find("min_score"); least != nullptr && least->is_number()) {
    request.min_score = static_cast<float>(least->as_double());
    rest.erase("min_score");
  }
  rest.erase("_name");
  request.retriever = {};
  if (is_knn) {
    request.knn = {std::move(rest)};
    return true;
  }
  for (const auto& [member, value] : inner.as_object()) {
    if (member == "sort") {
      CAIRN_CHECK(parse_sort(text, value, request.sort, request.sort_formats));
    } else if (member == "search_after" && value.is_array()) {
      request.search_after = value.as_array();
    } else if (member == "collapse") {
      CAIRN_TRY(request.collapse, read_collapse(text, value));
    } else if (member == "terminate_after") {
      return not_offered(member, "");
    } else if (member != "query" && member != "filter" && member != "min_score" &&
               member != "_name") {
      return parsing_error(text, "retriever.standard." + member,
                           "[standard] unknown field [" + member + "]");
    }
  }
  const Json* query = inner.find("query");
  request.query = query == nullptr ? Json() : *query;
  if (const Json* filter = inner.find("filter")) {
    Json narrowed = Json::object({{"filter", *filter}});
    if (query != nullptr) narrowed.set("must", *query);
    request.query = Json::object({{"bool", std::move(narrowed)}});
  }
  CAIRN_CHECK(check_cursor(request));
  CAIRN_CHECK(check_collapse(request));
  return true;
}

Error denied(std::string message) {
  return {.kind = ErrorKind::permission_denied,
          .code = "security_exception",
          .message = std::move(message)};
}

/// Whoever has the id of a context reads its indices with rights of their own.
Status may_read(const SearchContext& context, const ContextCaller& caller) {
  if (!caller.may_read) return ok_status();
  for (const Target& target : context.targets)
    for (const std::string& name : target.names) CAIRN_CHECK(caller.may_read(name, target.hides_documents));
  return ok_status();
}

Error hides_documents(const index::Index& index) {
  return not_offered("suggest] and [profile",
                     "a query in the role descriptors of the API key hides documents of index [" +
                         index.name() + "], whose words they would tell");
}

/// What a slice goes by where it does not say.
Status resolve_slice(SearchRequest& request) {
  if (!request.slice) return ok_status();
  if (!request.retriever.is_null())
    return validation_error("cannot specify [retriever] and [slice]");
  std::string& field = request.slice->field;
  const bool by_place = field == "_doc" || field == "_shard_doc";
  if (by_place && !request.pit)
    return illegal_argument("[slice] of a scroll cannot go by [" + field +
                            "]: leave the field out to slice by _id");
  if (field.empty()) field = request.pit ? "_doc" : "_id";
  if (by_place) field = "_doc";
  return ok_status();
}

/// `answer` is an object with members.
std::string with_first_member(std::string answer, const std::string& member) {
  if (!member.empty()) answer.insert(1, member);
  return answer;
}

/// One search under way.
class Search {
 public:
  Search(SearchRequest request, Cursor cursor, Execution& execution)
      : request_(std::move(request)), cursor_(std::move(cursor)), execution_(execution) {
    if (cursor_.kept.empty()) cursor_.given = request_.search_after;
  }

  Status run() {
    CAIRN_CHECK(check_window());
    CAIRN_CHECK(check_shown_fields());
    if (!request_.post_filter.is_null()) {
      CAIRN_TRY(auto read, execution_.read_with_inner_hits(request_.post_filter, "post_filter",
                                                           nested_inner_hits_));
      CAIRN_TRY(post_filter_, execution_.prepare(std::move(read)));
    }
    CAIRN_CHECK(read_highlight_queries());
    if (!request_.suggest.empty()) {
      CAIRN_TRY(suggest_, run_suggest(request_.suggest, execution_, request_.source,
                                      request_.typed_keys));
      // Nothing else was asked.
      if (request_.query.is_null() && request_.knn.empty() && request_.retriever.is_null() &&
          request_.aggregations.is_null())
        return ok_status();
    }
    if (request_.retriever.is_null()) return run_plain();
    return run_compound();
  }

  Result<std::string> render(const AnswerFacts& facts) {
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

  /// From here on hits are shown with some of their group.
  void show_inner_hits(ShowInnerHits show) { inner_hits_ = std::move(show); }
  const SearchRequest& request() const { return request_; }
  const std::vector<NestedInnerHits>& nested_inner_hits() const { return nested_inner_hits_; }

  /// As if nothing had been found: what is answered when the time is up.
  void forget() { ranking_ = {}; }

  /// What was counted before stands on a later page of a scroll.
  void count_as(std::uint64_t total, std::optional<float> max_score) {
    ranking_.total = total;
    ranking_.total_is_lower_bound = false;
    ranking_.max_score = max_score;
  }
  const Ranking& ranking() const { return ranking_; }

 private:
  Status check_window() const {
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

  Status check_window(const index::Index* index, std::size_t window, std::size_t limit) const {
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

  Status check_rescore(const index::Index& index) const {
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

  /// How many fields there are, and that each can be shown as the request says.
  Status check_shown_fields() const {
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

  Status read_highlight_queries() {
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

  SearchParams params() const {
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

  // Of a hit's objects. What was planned for those of the hit before serves again, but for the
  // nearest, which are looked for among its own, and for names, which are of what is read.
  Status run_within() {
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

  Status run_plain() {
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

  // Each hit is searched once for each of its inner_hits.
  Status check_inner_searches() const {
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
                            "] inner_hits: together a search may look into [" +
                            std::to_string(most) + "] hits");
  }

  Status rescore_hits() {
    if (rescorers_.empty()) return ok_status();
    CAIRN_CHECK(rescore(rescorers_, execution_, ranking_.hits));
    if (!ranking_.hits.empty()) ranking_.max_score = ranking_.hits.front().score;
    return ok_status();
  }

  Queries sliced(Queries queries) const {
    if (!request_.slice) return queries;
    const index::SliceQuery slice{
        .field = request_.slice->field, .id = request_.slice->id, .max = request_.slice->max};
    const Queries slices(queries.size(), {.node = slice});
    return narrowed(std::move(queries), slices);
  }

  Status run_compound() {
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

  Status apply_post_filter(std::vector<Candidate>& hits) {
    if (post_filter_.empty()) return ok_status();
    CAIRN_TRY(const auto passes, execution_.matches(post_filter_, hits));
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < hits.size(); ++i)
      if (passes[i]) kept.push_back(std::move(hits[i]));
    hits = std::move(kept);
    return ok_status();
  }

  SearchRequest request_;
  Cursor cursor_;
  Execution& execution_;
  PreparedQueries queries_;
  PreparedQueries post_filter_;
  std::vector<PreparedRescorer> rescorers_;
  ShowInnerHits inner_hits_;
  std::vector<NestedInnerHits> nested_inner_hits_;
  Json suggest_;  // null: none was asked for
  OwnQueries own_queries_;
  Ranking ranking_;
};

}  // namespace

Result<std::string> Service::search(const IndexList& indices, std::string_view body,
                                    const SearchParameters& parameters,
                                    const os::Deadline& deadline) {
  const std::int64_t begin = clock_.steady_ns();
  CAIRN_TRY(const Json json, parse_body(body));
  CAIRN_TRY(SearchRequest request, parse_request(body, json, parameters, options_));
  if (!request.retriever.is_null()) CAIRN_CHECK(unwrap(request, body));
  Page page{.body = body, .parameters = parameters, .begin_ns = begin};
  if (request.pit) {
    CAIRN_TRY(const auto found, contexts_.point_in_time(request.pit->id, parameters.caller.owner,
                                                        request.pit->keep_alive_ms));
    CAIRN_CHECK(may_read(*found.context, parameters.caller));
    page.targets = found.context->targets;
    page.first_member = "\"pit_id\":\"" + request.pit->id + "\",";
    add_shown_tie_breaker(request);
  } else {
    page.targets = targets_of(indices);
  }
  CAIRN_CHECK(resolve_slice(request));
  if (parameters.scroll_ms) return begin_scroll(std::move(request), std::move(page), deadline);
  CAIRN_TRY(auto answer, run_page(std::move(request), page, deadline));
  return std::move(answer.text);
}

Result<Service::Outline> Service::outline(const IndexList& indices, std::string_view body,
                                          const SearchParameters& parameters) {
  CAIRN_TRY(const Json json, parse_body(body));
  CAIRN_TRY(SearchRequest request, parse_request(body, json, parameters, options_));
  if (!request.retriever.is_null()) CAIRN_CHECK(unwrap(request, body));
  Outline out{.shards = indices.size(),
              .names_parts = !request.aggregations.is_null() || !request.suggest.empty()};
  if (request.pit) {
    CAIRN_TRY(const auto found, contexts_.point_in_time(request.pit->id, parameters.caller.owner,
                                                        std::nullopt));
    CAIRN_CHECK(may_read(*found.context, parameters.caller));
    out.shards = found.context->targets.size();
  }
  CAIRN_CHECK(resolve_slice(request));
  return out;
}

Result<std::string> Service::begin_scroll(SearchRequest request, Page page,
                                          const os::Deadline& deadline) {
  const SearchParameters& parameters = page.parameters;
  if (parameters.caller.owner.empty())
    return denied("scrolls and points in time are kept for keys: send one");
  const auto body = std::make_shared<const std::string>(page.body);
  CAIRN_CHECK(contexts_.check_open(parameters.caller.owner, Scroll{.body = body},
                                   *parameters.scroll_ms));  // before the work
  add_hidden_tie_breaker(request);
  request.track_total_hits = UINT64_MAX;
  page.now_ms = clock_.unix_ms();
  CAIRN_TRY(auto answer, run_page(std::move(request), page, deadline));
  Scroll scroll{.body = body,
                .parameters = parameters,
                .now_ms = page.now_ms,
                .embedded = std::make_shared<const EmbeddedTexts>(std::move(answer.embedded)),
                .last = std::move(answer.last),
                .total = answer.counted.total,
                .max_score = answer.counted.max_score};
  scroll.parameters.caller = {};  // of this call alone: each page is read with its own rights
  scroll.parameters.find_document = {};
  scroll.parameters.find_script = {};
  CAIRN_TRY(const std::string id,
            contexts_.open({.owner = parameters.caller.owner, .targets = std::move(page.targets)},
                           std::move(scroll), *parameters.scroll_ms));
  return with_first_member(std::move(answer.text), "\"_scroll_id\":\"" + id + "\",");
}

Result<std::string> Service::next_page(std::string_view scroll_id,
                                       const SearchParameters& parameters,
                                       const os::Deadline& deadline) {
  const std::int64_t begin = clock_.steady_ns();
  CAIRN_TRY(auto found, contexts_.scroll(scroll_id, parameters.caller.owner, parameters.scroll_ms));
  CAIRN_CHECK(may_read(*found.context, parameters.caller));
  Scroll& scroll = found.scroll;
  const std::string& body = *scroll.body;
  SearchParameters own = scroll.parameters;
  own.total_hits_as_int = parameters.total_hits_as_int;
  CAIRN_TRY(const Json json, parse_body(body));
  CAIRN_TRY(SearchRequest request, parse_request(body, json, own, options_));
  CAIRN_CHECK(resolve_slice(request));
  add_hidden_tie_breaker(request);
  request.aggregations = {};
  request.track_total_hits = 0;
  Page page{.body = body,
            .parameters = own,
            .targets = found.context->targets,
            .cursor = {.kept = scroll.last},
            .counted = Counted{.total = scroll.total, .max_score = scroll.max_score},
            .now_ms = scroll.now_ms,
            .embedded = scroll.embedded,
            .first_member = "\"_scroll_id\":\"" + std::string(scroll_id) + "\",",
            .begin_ns = begin};
  CAIRN_TRY(auto answer, run_page(std::move(request), page, deadline));
  if (!answer.last.empty()) contexts_.advance(scroll_id, std::move(answer.last));
  return std::move(answer.text);
}

Result<std::string> Service::open_point_in_time(const IndexList& indices,
                                                const ContextCaller& caller,
                                                std::int64_t keep_alive_ms) {
  if (caller.owner.empty()) return denied("scrolls and points in time are kept for keys: send one");
  return contexts_.open({.owner = caller.owner, .targets = targets_of(indices)}, std::nullopt,
                        keep_alive_ms);
}

Result<Service::Answer> Service::run_page(SearchRequest request, const Page& page,
                                          const os::Deadline& deadline) {
  CAIRN_CHECK(find_scripts(
      request, DocumentLookup(page.parameters.find_document, page.parameters.find_script)));
  if (!adds_fields(request)) return run_over(std::move(request), page, deadline);
  Page own = page;
  CAIRN_TRY(own.targets, with_request_fields(std::move(own.targets), request));
  return run_over(std::move(request), own, deadline);
}

Result<Service::Answer> Service::run_over(SearchRequest request, const Page& page,
                                          const os::Deadline& deadline) {
  const std::int64_t otherwise = page.parameters.scroll_ms ? -1 : default_timeout_ms_.load();
  const std::int64_t timeout_ms = request.timeout_ms.value_or(otherwise);
  const bool limited = timeout_ms >= 0;
  const os::Deadline own = limited ? deadline.sooner_ms(timeout_ms) : deadline;
  Embedder embedder(inference_, own, page.embedded);
  // Where part of an answer is none, the time is up for all of it. A scroll would go on behind what
  // it has not shown.
  const bool whole =
      !limited || !page.parameters.allow_partial_results || page.parameters.scroll_ms.has_value();
  Execution execution(page.body, page.targets, embedder, options_, request.size,
                      whole ? own : deadline, page.now_ms,
                      whole ? std::nullopt : std::optional(own));
  DocumentLookup documents(page.parameters.find_document, page.parameters.find_script);
  // The pages of a scroll would not be of one query: the document may change between them.
  if (!page.parameters.scroll_ms && page.parameters.find_document) execution.look_up_in(documents);
  execution.remember(page.memory, page.path);
  if (!request.suggest.empty() || request.profile)
    for (const Target& target : page.targets)
      if (target.hides_documents) return hides_documents(*target.index);
  if (request.profile) {
    // It names the words that queries are expanded to, those of hidden documents too.
    for (const Target& target : page.targets)
      if (target.filter != nullptr)
        return not_offered("profile through an alias with a filter", "name the index");
    execution.measure(clock_);
  }
  CAIRN_TRY(auto boosts, boosts_of(request, page));
  execution.boost_targets(std::move(boosts));
  Search search(std::move(request), page.cursor, execution);
  AnswerFacts facts{.shards = page.targets.size(),
                    .clock = clock_,
                    .begin_ns = page.begin_ns,
                    .bytes_before = page.parameters.answer_bytes_before};
  // The time that the request gave is up before any hit could be looked for, not that of the
  // caller: an answer, with nothing in it.
  const auto is_up = [&](const Error& error) {
    return limited && page.parameters.allow_partial_results && !page.parameters.scroll_ms &&
           error.kind == ErrorKind::timeout && !deadline.passed();
  };
  if (const Status ran = search.run(); !ran.ok()) {
    if (!is_up(ran.error())) return ran.error();
    facts.timed_out = true;
    search.forget();
  }
  facts.timed_out = facts.timed_out || execution.timed_out();
  facts.terminated_early = execution.terminated_early();
  const auto inner_hits = [&](const Candidate& hit) -> Result<Json> {
    CAIRN_TRY(Json out, show_group(search.request(), hit, page, own));
    CAIRN_CHECK(show_objects(search.nested_inner_hits(), hit, page, own, out));
    return out;
  };
  if (!search.request().collapse.inner.empty() || !search.nested_inner_hits().empty())
    search.show_inner_hits(inner_hits);
  if (page.counted) search.count_as(page.counted->total, page.counted->max_score);
  auto text = search.render(facts);
  if (!text.ok() && !facts.timed_out && is_up(text.error())) {
    facts.timed_out = true;
    search.forget();
    text = search.render(facts);
  }
  if (!text.ok()) return std::move(text).error();
  const Ranking& ranking = search.ranking();
  Answer answer{.text = with_first_member(std::move(*text), page.first_member),
                .counted = {.total = ranking.total, .max_score = ranking.max_score},
                .embedded = embedder.known()};
  if (!ranking.hits.empty()) answer.last = ranking.hits.back().sort;
  return answer;
}

// The first name that stands for an index says its boost.
Result<std::vector<float>> Service::boosts_of(const SearchRequest& request,
                                              const Page& page) const {
  std::vector<float> out;
  if (request.indices_boost.empty()) return out;
  out.assign(page.targets.size(), 1);
  std::vector<bool> is_known(page.targets.size(), false);
  for (const auto& [expression, boost] : request.indices_boost) {
    std::vector<std::string> names = {expression};
    if (page.parameters.resolve_indices) {
      CAIRN_TRY(names, page.parameters.resolve_indices(expression));
    }
    for (std::size_t i = 0; i < page.targets.size(); ++i) {
      const bool is_meant = std::find(names.begin(), names.end(),
                                      page.targets[i].index->name()) != names.end();
      if (is_meant && !is_known[i]) out[i] = boost;
      is_known[i] = is_known[i] || is_meant;
    }
  }
  return out;
}

Result<Service::Count> Service::count(const IndexList& indices, std::string_view body,
                                      const SearchParameters& parameters,
                                      const os::Deadline& deadline) {
  CAIRN_TRY(const Json json, parse_body(body));
  if (json.is_object())
    for (const auto& [name, value] : json.as_object())
      if (name != "query")
        return parsing_error(body, name, "request does not support [" + name + "]");
  CAIRN_TRY(const SearchRequest request, parse_request(body, json, parameters, options_));
  Embedder embedder(inference_, deadline);
  Execution execution(body, targets_of(indices), embedder, options_, 10, deadline);
  DocumentLookup documents(parameters.find_document, parameters.find_script);
  if (parameters.find_document) execution.look_up_in(documents);
  std::vector<NestedInnerHits> not_shown;  // what counts has no hits to show them in
  CAIRN_TRY(auto read, execution.read_with_inner_hits(request.query, "query", not_shown));
  CAIRN_TRY(const PreparedQueries queries, execution.prepare(std::move(read)));
  Count out;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Target& target = execution.targets()[i];
    const auto found = [&]() -> Result<std::uint64_t> {
      if (!request.min_score && request.terminate_after == 0)
        return queries[i].plan->count(deadline);
      SearchParams scored{.size = 0};
      scored.min_score = request.min_score;
      scored.track_total_hits = UINT64_MAX;
      scored.terminate_after = request.terminate_after;
      CAIRN_TRY(const auto top, queries[i].plan->search(scored, nullptr, deadline));
      out.terminated_early = out.terminated_early || top.terminated_early;
      return top.total;
    }();
    if (!found.ok()) return phase_error(target.index->name(), target.index->uuid(), found.error());
    out.total += *found;
  }
  return out;
}

Result<bool> Service::shows(const Target& target, const std::string& id,
                            const os::Deadline& deadline) {
  if (target.filter == nullptr) return true;
  Embedder embedder(inference_, deadline);
  const Json query =
      Json::object({{"ids", Json::object({{"values", Json::array({Json(id)})}})}});
  const std::string text = query.dump();
  Execution execution(text, {target}, embedder, options_, 1, deadline);
  CAIRN_TRY(auto read, execution.read(query, "query"));
  CAIRN_TRY(const PreparedQueries queries, execution.prepare(std::move(read)));
  auto found = queries.front().plan->count(deadline);
  if (!found.ok())
    return phase_error(target.index->name(), target.index->uuid(), std::move(found).error());
  return *found > 0;
}

Result<bool> Service::shows(const index::NamedIndex& index,
                            std::shared_ptr<const index::View> view, const std::string& id,
                            const os::Deadline& deadline) {
  return shows(Target{index.index(), std::move(view), index.names(), index.filter()}, id, deadline);
}

Status Service::check_filter(const index::Mapping& mapping,
                             std::vector<std::string> default_fields, const Json& filter,
                             const os::Deadline& deadline) {
  const std::string text = filter.dump();
  Embedder embedder(inference_, deadline);
  QueryReader reader(text, mapping, embedder, options_, 10, std::move(default_fields));
  const auto read = reader.read(filter, "");
  return read.ok() ? ok_status() : Status(read.error());
}

namespace {

/// What `_explain` shows of the document itself.
Status write_got(JsonWriter& text, const index::View& view, index::DocAddress doc,
                 const SearchRequest& request, const SearchParameters& parameters,
                 const os::Deadline& deadline) {
  CAIRN_TRY(const auto version, view.version(doc, deadline));
  CAIRN_TRY(const std::string kept, view.source(doc, deadline));
  CAIRN_TRY(const Json source, parse_json(kept));
  text.key("get").begin_object().key("_seq_no").integer(version.seq_no);
  text.key("_primary_term").integer(version.primary_term).key("found").boolean(true);
  if (request.source.enabled) text.key("_source").value(filter_source(source, request.source));
  const Json shown = stored_values(parameters.stored_fields, view.mapping(), source);
  if (!shown.as_object().empty()) text.key("fields").value(shown);
  text.end_object();
  return ok_status();
}

}  // namespace

Result<Service::Explained> Service::explain(const index::NamedIndex& index, const std::string& id,
                                            std::string_view body,
                                            const SearchParameters& parameters,
                                            const os::Deadline& deadline) {
  CAIRN_TRY(const Json json, parse_body(body));
  if (json.is_object())
    for (const auto& [name, value] : json.as_object())
      if (name != "query") return parsing_error(body, name, "Unknown parameter [" + name + "]");
  CAIRN_TRY(const SearchRequest request, parse_request(body, json, parameters, options_));
  if (request.query.is_null()) return validation_error("query is missing");
  Embedder embedder(inference_, deadline);
  Execution execution(body, targets_of({index}), embedder, options_, 10, deadline);
  DocumentLookup documents(parameters.find_document, parameters.find_script);
  if (parameters.find_document) execution.look_up_in(documents);
  std::vector<NestedInnerHits> not_shown;
  CAIRN_TRY(auto read, execution.read_with_inner_hits(request.query, "query", not_shown));
  CAIRN_TRY(const PreparedQueries queries, execution.prepare(std::move(read), true));
  const Target& target = execution.targets().front();
  CAIRN_TRY(auto doc, target.view->find(id, deadline));
  if (doc && target.hides_documents) {
    CAIRN_TRY(const bool is_shown, shows(target, id, deadline));
    if (!is_shown) doc.reset();
  }
  Explained out{.text = {}, .found = doc.has_value()};
  JsonWriter text(out.text);
  text.begin_object().key("_index").string(index->name()).key("_id").string(id);
  if (!doc) {
    text.key("matched").boolean(false).end_object();
    return out;
  }
  auto found = queries.front().plan->explain(*doc, deadline);
  if (!found.ok()) return phase_error(index->name(), index->uuid(), std::move(found).error());
  text.key("matched").boolean(found->matches).key("explanation");
  write_explanation(*found, text);
  const bool names_source =
      parameters.source || parameters.source_includes || parameters.source_excludes;
  const bool shows = (names_source && request.source.enabled) || !parameters.stored_fields.empty();
  if (shows) CAIRN_CHECK(write_got(text, *target.view, *doc, request, parameters, deadline));
  text.end_object();
  return out;
}

}  // namespace cairn::search
