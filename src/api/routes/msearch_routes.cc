// SPDX-License-Identifier: Apache-2.0
#include "api/routes/msearch_routes.h"

#include <utility>

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "api/search_params.h"
#include "base/strings.h"
#include "format/ndjson.h"

namespace cairn::api {
namespace {

struct MultiSearchServices {
  const index::Indices& indices;
  search::Service& service;
  const os::Clock& clock;
};

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
  if (header.expression.empty()) {
    CAIRN_TRY(header.expression, plain_names(call.query("index").value_or("")));
  }
  if (trim(line).empty()) return header;
  CAIRN_TRY(const Json json, parse_json(line));
  if (!json.is_object()) return illegal_argument("a header of _msearch must be an object");
  for (const auto& [name, value] : json.as_object()) {
    if (name == "index" || name == "indices") {
      CAIRN_TRY(const auto names, names_of("index", value));
      CAIRN_TRY(header.expression, plain_names(join(names, ",")));
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
Result<std::string> search_item(const Call& call, const MultiSearchServices& services,
                                const Header& header, std::string_view body,
                                const search::SearchParameters& common) {
  search::SearchParameters parameters = common;
  if (header.search_type) parameters.search_type = *header.search_type;
  parameters.allow_partial_results = header.allow_partial_results;
  parameters.unfit_for_pit = header.expression.empty() ? "" : "indices";
  parameters.caller = context_caller(call);
  parameters.find_document = document_finder(call, services.indices);
  parameters.find_script = template_finder(services.indices);
  parameters.resolve_indices = index_resolver(call, services.indices);
  for (const auto name : split(header.expression, ','))
    if (!name.empty() && name != "_all" && name.find('*') == std::string_view::npos &&
        name.front() != '-')
      CAIRN_CHECK(call.require_index("read", name));
  CAIRN_TRY(const auto indices,
            indices_of(call, services.indices, header.expression, header.options));
  return services.service.search(indices, body, parameters, call.deadline());
}

/// The same, where the body names a template and values.
Result<std::string> template_item(const Call& call, const MultiSearchServices& services,
                                  const Header& header, std::string_view body,
                                  const search::SearchParameters& parameters) {
  CAIRN_TRY(const auto request, search::read_template_request(body));
  CAIRN_TRY(const Json made, search::render_search(request, template_finder(services.indices)));
  return search_item(call, services, header, made.dump(), parameters);
}

using SearchItem = Result<std::string> (*)(const Call&, const MultiSearchServices&, const Header&,
                                           std::string_view body, const search::SearchParameters&);

Result<Reply> search_several(Call& call, const MultiSearchServices& services, SearchItem search) {
  const std::int64_t begin = services.clock.steady_ns();
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  search::SearchParameters parameters;
  CAIRN_TRY(parameters.total_hits_as_int, call.flag("rest_total_hits_as_int", false));
  CAIRN_TRY(parameters.typed_keys, call.flag("typed_keys", false));
  CAIRN_TRY(parameters.named_scores, call.flag("include_named_queries_score", false));
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
  CAIRN_CHECK(call.weigh_searches(searches.size()));
  std::string responses;
  for (const auto& [header, text] : searches) {
    CAIRN_CHECK(call.deadline().check("searching"));
    parameters.answer_bytes_before = responses.size();
    auto answer = search(call, services, header, text, parameters);
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

gate::Route several_row(const std::string& method, const std::string& path,
                        const std::string& operation, const std::string& summary,
                        const std::vector<gate::Parameter>& more = {}) {
  gate::Route out = search_row(
      method, path, operation, summary,
      with_index_options({{"rest_total_hits_as_int", "boolean", "Totals as numbers."},
                          {"max_concurrent_searches", "integer", "They follow each other."},
                          {"max_concurrent_shard_requests", "integer", "There is one shard."},
                          {"pre_filter_shard_size", "integer", "There is one shard."},
                          {"search_type", "string", "There is one shard."},
                          {"routing", "string", "There is one shard."},
                          {"ignore_throttled", "boolean", "No index is throttled."},
                          {"ccs_minimize_roundtrips", "boolean", "There is one cluster."},
                          {"typed_keys", "boolean", "Name aggregations with types."}}));
  out.query.insert(out.query.end(), more.begin(), more.end());
  out.ndjson = true;
  out.body_required = true;
  return out;
}

}  // namespace

void add_msearch_routes(Router& router, ServiceRef<const index::Indices> indices,
                        ServiceRef<search::Service> service, const os::Clock& clock) {
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"}) {
      router.add(several_row(method, prefix + "/_msearch", "msearch", "Does several searches.",
                             {{"index", "list", "Of searches that name none."},
                              {"include_named_queries_score", "boolean",
                               "What named queries score, too."}}),
                 [indices, service, &clock](Call& call) {
                   return search_several(call, {*indices, *service, clock}, search_item);
                 });
      router.add(several_row(method, prefix + "/_msearch/template", "msearch_template",
                             "Does several searches that are made from templates."),
                 [indices, service, &clock](Call& call) {
                   return search_several(call, {*indices, *service, clock}, template_item);
                 });
    }
}

}  // namespace cairn::api
