// SPDX-License-Identifier: Apache-2.0
#include "api/routes/search_routes.h"

#include "api/forms/error_json.h"
#include "api/forms/fields.h"
#include "api/index_names.h"
#include "api/routes/search_context_routes.h"
#include "api/search_access.h"
#include "api/url_query.h"
#include "base/strings.h"
#include "format/ndjson.h"
#include "search/rank_eval.h"

namespace cairn::api {
namespace {

struct SearchServices {
  const index::Indices& indices;
  search::Service& service;
  const os::Clock& clock;
};

Result<std::optional<bool>> optional_flag(const Call& call, std::string_view name) {
  if (!call.query(name)) return std::optional<bool>();
  CAIRN_TRY(const bool value, call.flag(name, false));
  return std::optional(value);
}

Result<std::optional<std::int64_t>> optional_number(const Call& call, std::string_view name) {
  if (!call.query(name)) return std::optional<std::int64_t>();
  CAIRN_TRY(const std::int64_t value, call.integer(name, 0));
  return std::optional(value);
}

Result<search::SearchParameters> parameters_of(const Call& call, const index::Indices& indices) {
  CAIRN_TRY(search::SearchParameters out, read_url_query(call));
  CAIRN_TRY(out.from, optional_number(call, "from"));
  CAIRN_TRY(out.size, optional_number(call, "size"));
  out.search_type = call.query("search_type").value_or("");
  out.sort = call.list("sort");
  out.source = call.query("_source");
  if (call.query("_source_includes")) out.source_includes = call.list("_source_includes");
  if (call.query("_source_excludes")) out.source_excludes = call.list("_source_excludes");
  out.track_total_hits = call.query("track_total_hits");
  CAIRN_TRY(out.track_scores, optional_flag(call, "track_scores"));
  CAIRN_TRY(out.version, optional_flag(call, "version"));
  CAIRN_TRY(out.seq_no_primary_term, optional_flag(call, "seq_no_primary_term"));
  CAIRN_TRY(out.explain, optional_flag(call, "explain"));
  if (call.query("timeout")) {
    CAIRN_TRY(const std::int64_t timeout, call.time("timeout", -1));
    out.timeout_ms = timeout;
  }
  if (call.query("min_score")) {
    CAIRN_TRY(const double least, call.number("min_score", 0));
    out.min_score = static_cast<float>(least);
  }
  CAIRN_TRY(out.terminate_after, optional_number(call, "terminate_after"));
  CAIRN_TRY(out.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  CAIRN_TRY(out.typed_keys, call.flag("typed_keys", false));
  CAIRN_TRY(out.allow_partial_results, call.flag("allow_partial_search_results", true));
  if (call.query("scroll")) {
    CAIRN_TRY(out.scroll_ms, call.time("scroll", -1));
  }
  out.unfit_for_pit = !call.path("index").empty() ? "indices"
                      : call.query("routing")     ? "routing"
                      : call.query("preference")  ? "preference"
                                                  : "";
  out.caller = context_caller(call);
  out.find_document = document_finder(call, indices);
  out.resolve_indices = index_resolver(call, indices);
  return out;
}

Result<Reply> search_once(Call& call, const SearchServices& services) {
  CAIRN_TRY(const auto parameters, parameters_of(call, services.indices));
  CAIRN_TRY(const std::string_view body, call.raw_body());
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(std::string text, services.service.search(indices, body, parameters, call.deadline()));
  return Reply::raw_json(std::move(text));
}

Result<Reply> count(Call& call, const SearchServices& services) {
  CAIRN_TRY(const auto parameters, parameters_of(call, services.indices));
  CAIRN_TRY(const std::string_view body, call.raw_body());
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(const auto found, services.service.count(indices, body, parameters, call.deadline()));
  Json shards = shards_of(indices.size());
  shards.erase("failed");
  shards.set("skipped", 0);
  shards.set("failed", 0);
  Json out = Json::object({{"count", Json(found.total)}});
  if (parameters.terminate_after.value_or(0) > 0)
    out.set("terminated_early", found.terminated_early);
  out.set("_shards", std::move(shards));
  return Reply::json(std::move(out));
}

Result<Reply> explain(Call& call, const SearchServices& services) {
  CAIRN_TRY(search::SearchParameters parameters, read_url_query(call));
  parameters.find_document = document_finder(call, services.indices);
  CAIRN_TRY(const std::string_view body, call.raw_body());
  // One index, narrowed by the filter of an alias where the path names one.
  CAIRN_CHECK(services.indices.find_one(call.path("index")));
  CAIRN_TRY(const auto named, services.indices.resolve_names(call.path("index")));
  if (named.size() != 1) return illegal_argument("[_explain] takes one index");
  CAIRN_TRY(auto explained, services.service.explain(named.front(), call.path("id"), body,
                                                     parameters, call.deadline()));
  return Reply::raw_json(std::move(explained.text), explained.found ? 200 : 404);
}

Result<Reply> rank_eval(Call& call, const SearchServices& services) {
  search::SearchParameters parameters;
  parameters.search_type = call.query("search_type").value_or("");
  parameters.find_document = document_finder(call, services.indices);
  parameters.resolve_indices = index_resolver(call, services.indices);
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(Json found, search::rank_eval(services.service, indices, body, parameters,
                                          call.deadline()));
  return Reply::json(std::move(found));
}

/// What is wrong with a query: the innermost of what is told.
std::string fault_of(const Error& error) {
  const Error* last = &error;
  while (last->cause != nullptr && last->code == "search_phase_execution_exception")
    last = last->cause.get();
  return last->code + ": " + last->message;
}

Result<Reply> validate(Call& call, const SearchServices& services) {
  CAIRN_TRY(search::SearchParameters parameters, read_url_query(call));
  parameters.find_document = document_finder(call, services.indices);
  CAIRN_TRY(const bool explains, call.flag("explain", false));
  CAIRN_TRY(const bool rewrites, call.flag("rewrite", true));
  if (!rewrites)
    return illegal_argument("[rewrite] can only be true: what a query comes to in an index is told");
  CAIRN_TRY(const std::string_view body, call.raw_body());
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(const auto each,
            services.service.validate(indices, body, parameters, call.deadline()));
  bool valid = true;
  Json list = Json::array();
  for (const auto& one : each) {
    valid = valid && !one.error;
    Json shown = Json::object();
    if (!one.index.empty()) shown.set("index", one.index);
    shown.set("valid", !one.error.has_value());
    if (one.error)
      shown.set("error", fault_of(*one.error));
    else if (!one.text.empty())
      shown.set("explanation", one.text);
    list.push(std::move(shown));
  }
  Json out = Json::object({{"_shards", shards_of(indices.size())}, {"valid", valid}});
  if (explains) out.set("explanations", std::move(list));
  return Reply::json(std::move(out));
}

// --- _msearch

struct Header {
  std::string expression;
  IndexOptions options;  // those of the request, unless it has its own
  std::optional<std::string> search_type = {};
  bool allow_partial_results = true;
};

Result<bool> flag_of(const std::string& name, const Json& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string() && (value.as_string() == "true" || value.as_string() == "false"))
    return value.as_string() == "true";
  return illegal_argument("Failed to parse value [" + value.dump() + "] of [" + name +
                          "] as only [true] or [false] are allowed.");
}

/// Names as a list, or as one text with commas. Errors: illegal_argument_exception.
Result<std::vector<std::string>> names_of(const std::string& name, const Json& value) {
  std::vector<std::string> out;
  if (value.is_string())
    for (const auto piece : split(value.as_string(), ',')) out.emplace_back(trim(piece));
  if (!value.is_array()) return out;
  for (const Json& element : value.as_array()) {
    if (!element.is_string()) return illegal_argument("[" + name + "] takes names");
    out.push_back(element.as_string());
  }
  return out;
}

Result<Header> read_header(const Call& call, std::string_view line) {
  CAIRN_TRY(IndexOptions options, index_options(call));
  Header header{.expression = call.path("index"), .options = std::move(options)};
  if (trim(line).empty()) return header;
  CAIRN_TRY(const Json json, parse_json(line));
  if (!json.is_object()) return illegal_argument("a header of _msearch must be an object");
  for (const auto& [name, value] : json.as_object()) {
    if (name == "index" || name == "indices") {
      CAIRN_TRY(const auto names, names_of("index", value));
      header.expression = join(names, ",");
    } else if (name == "ignore_unavailable") {
      CAIRN_TRY(header.options.ignore_unavailable, flag_of(name, value));
    } else if (name == "allow_no_indices") {
      CAIRN_TRY(header.options.allow_no_indices, flag_of(name, value));
    } else if (name == "expand_wildcards") {
      CAIRN_TRY(header.options.expand_wildcards, names_of(name, value));
    } else if (name == "search_type") {
      header.search_type = value.is_string() ? value.as_string() : value.dump();
    } else if (name == "allow_partial_search_results") {
      CAIRN_TRY(header.allow_partial_results, flag_of(name, value));
    } else if (name != "preference" && name != "routing" && name != "request_cache" &&
               name != "ccs_minimize_roundtrips" && name != "ignore_throttled") {
      return illegal_argument("key [" + name + "] is not supported in the metadata section");
    }
  }
  return header;
}

/// One search of several: rights on what the header names, then as any other.
Result<std::string> search_item(const Call& call, const SearchServices& services,
                                const Header& header, std::string_view body,
                                search::SearchParameters parameters) {
  if (header.search_type) parameters.search_type = *header.search_type;
  parameters.allow_partial_results = header.allow_partial_results;
  parameters.unfit_for_pit = header.expression.empty() ? "" : "indices";
  parameters.caller = context_caller(call);
  parameters.find_document = document_finder(call, services.indices);
  parameters.resolve_indices = index_resolver(call, services.indices);
  for (const auto name : split(header.expression, ','))
    if (!name.empty() && name != "_all" && name.find('*') == std::string_view::npos &&
        name.front() != '-')
      CAIRN_CHECK(call.require_index("read", name));
  CAIRN_TRY(const auto indices,
            indices_of(call, services.indices, header.expression, header.options));
  return services.service.search(indices, body, parameters, call.deadline());
}

Result<Reply> search_several(Call& call, const SearchServices& services) {
  const std::int64_t begin = services.clock.steady_ns();
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  search::SearchParameters parameters;
  CAIRN_TRY(parameters.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  CAIRN_TRY(parameters.typed_keys, call.flag("typed_keys", false));
  parameters.search_type = call.query("search_type").value_or("");
  std::vector<std::pair<Header, std::string_view>> searches;
  NdjsonLines lines(body);
  while (const auto first = lines.next()) {
    if (trim(*first).empty() && lines.unterminated()) break;
    CAIRN_TRY(Header header, read_header(call, *first));
    const auto second = lines.next();
    if (!second) break;  // an empty line at the end
    searches.emplace_back(std::move(header), *second);
  }
  if (lines.unterminated())
    return illegal_argument("The msearch request must be terminated by a newline [\\n]");
  if (searches.empty()) return validation_fault({"no requests added"});
  if (searches.size() > services.service.options().max_msearch_items)
    return illegal_argument("_msearch takes " +
                            std::to_string(services.service.options().max_msearch_items) +
                            " searches at most");
  std::string responses;
  for (const auto& [header, text] : searches) {
    CAIRN_CHECK(call.deadline().check("searching"));
    parameters.answer_bytes_before = responses.size();
    auto answer = search_item(call, services, header, text, parameters);
    if (!responses.empty()) responses += ',';
    if (!answer.ok()) {
      responses += error_body(answer.error()).dump();
      continue;
    }
    answer->pop_back();  // the closing brace, to add one more member
    responses += *answer + ",\"status\":200}";
  }
  const auto took = (services.clock.steady_ns() - begin) / 1'000'000;
  return Reply::raw_json("{\"took\":" + std::to_string(took) + ",\"responses\":[" + responses +
                         "]}");
}

// --- rows

std::vector<gate::Parameter> query_parameters() {
  return with_index_options(
      with_url_query({{"min_score", "number", "The least score of a hit."},
                      {"terminate_after", "integer", "Documents to look at in each index."},
                      {"ignore_throttled", "boolean", "No index is throttled."}}));
}

std::vector<gate::Parameter> search_parameters() {
  auto out = query_parameters();
  const std::vector<gate::Parameter> more = {
      {"from", "integer", "Hits to skip."},
      {"size", "integer", "Hits to give; 10 where absent."},
      {"sort", "list", "Keys, each as field:asc or field:desc."},
      {"_source", "list", "true, false, or the paths to give."},
      {"_source_includes", "list", "Paths to give."},
      {"_source_excludes", "list", "Paths to leave out."},
      {"track_total_hits", "string", "true, false, or how far to count."},
      {"track_scores", "boolean", "Scores though another key sorts."},
      {"version", "boolean", "The version of each hit."},
      {"seq_no_primary_term", "boolean", "The number of each hit's newest change."},
      {"explain", "boolean", "How the score of each hit comes about."},
      {"timeout", "time", "How long to look for hits."},
      {"rest_total_hits_as_int", "boolean", "The total as a number."},
      {"search_type", "string", "Both types are the same; not with knn."},
      {"request_cache", "boolean", "There is no cache of answers."},
      {"batched_reduce_size", "integer", "There is one shard."},
      {"max_concurrent_shard_requests", "integer", "There is one shard."},
      {"pre_filter_shard_size", "integer", "There is one shard."},
      {"ccs_minimize_roundtrips", "boolean", "There is one cluster."},
      {"allow_partial_search_results", "boolean", "Whether time that is up may leave hits out."},
      {"scroll", "time", "Goes on as a scroll, kept for so long."},
      {"typed_keys", "boolean", "Name aggregations with their types: avg#price."}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

gate::Route row(std::string method, std::string path, std::string operation, std::string summary,
                std::vector<gate::Parameter> query) {
  return {.method = std::move(method),
          .path = std::move(path),
          .operation = std::move(operation),
          .index_privilege = "read",
          .filters_indices = true,
          .resource = "search",
          .reads = true,
          .computes = true,
          .query = std::move(query),
          .summary = std::move(summary)};
}

}  // namespace

void add_search_routes(Router& router, ServiceRef<const index::Indices> indices,
                       ServiceRef<search::Service> service, const os::Clock& clock) {
  for (const auto* method : {"POST", "GET"}) {
    auto one = row(method, "/{index}/_explain/{id}", "explain",
                   "Says how a document's score comes about.", with_url_query());
    one.filters_indices = false;
    router.add(std::move(one), [indices, service, &clock](Call& call) {
      return explain(call, {*indices, *service, clock});
    });
  }
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"})
      router.add(row(method, prefix + "/_validate/query", "indices.validate_query",
                     "Says whether indices can be asked a query, and what it looks for.",
                     with_index_options(with_url_query(
                         {{"explain", "boolean", "What it looks for in each, or why it cannot."},
                          {"rewrite", "boolean", "Only true: what it comes to there."},
                          {"all_shards", "boolean", "There is one shard."}}))),
                 [indices, service, &clock](Call& call) {
                   return validate(call, {*indices, *service, clock});
                 });
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"})
      router.add(row(method, prefix + "/_rank_eval", "rank_eval",
                     "Says how good searches are, by rated documents.",
                     with_index_options(
                         {{"search_type", "string", "Both types are the same."}})),
                 [indices, service, &clock](Call& call) {
                   return rank_eval(call, {*indices, *service, clock});
                 });
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"}) {
      router.add(
          row(method, prefix + "/_search", "search", "Searches indices.", search_parameters()),
          [indices, service, &clock](Call& call) {
            return search_once(call, {*indices, *service, clock});
          });
      router.add(row(method, prefix + "/_count", "count", "Counts what a query matches.",
                     query_parameters()),
                 [indices, service, &clock](Call& call) {
                   return count(call, {*indices, *service, clock});
                 });
      auto several = row(
          method, prefix + "/_msearch", "msearch", "Does several searches.",
          with_index_options({{"rest_total_hits_as_int", "boolean", "Totals as numbers."},
                              {"max_concurrent_searches", "integer", "They follow each other."},
                              {"max_concurrent_shard_requests", "integer", "There is one shard."},
                              {"pre_filter_shard_size", "integer", "There is one shard."},
                              {"search_type", "string", "There is one shard."},
                              {"ccs_minimize_roundtrips", "boolean", "There is one cluster."},
                              {"typed_keys", "boolean", "Name aggregations with types."}}));
      several.ndjson = true;
      several.body_required = true;
      router.add(std::move(several), [indices, service, &clock](Call& call) {
        return search_several(call, {*indices, *service, clock});
      });
    }
}

}  // namespace cairn::api
