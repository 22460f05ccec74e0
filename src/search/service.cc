// SPDX-License-Identifier: Apache-2.0
// One request from text to text.
#include "search/service.h"

#include <algorithm>

#include "base/strings.h"
#include "search/errors.h"
#include "search/one_search.h"
#include "search/run/tie_breaker.h"
#include "search/show/answer.h"
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
  OneSearch search(std::move(request), page.cursor, execution);
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
