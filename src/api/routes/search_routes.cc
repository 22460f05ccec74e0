// SPDX-License-Identifier: Apache-2.0
#include "api/routes/search_routes.h"

#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "api/search_params.h"
#include "api/url_query.h"
#include "search/rank_eval.h"

namespace cairn::api {
namespace {

struct SearchServices {
  const index::Indices& indices;
  search::Service& service;
  const os::Clock& clock;
};

Result<Reply> search_once(Call& call, const SearchServices& services) {
  CAIRN_TRY(const auto parameters, search_params(call, services.indices));
  CAIRN_TRY(const std::string_view body, call.raw_body());
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(std::string text, services.service.search(indices, body, parameters, call.deadline()));
  return Reply::raw_json(std::move(text));
}

Result<Reply> count(Call& call, const SearchServices& services) {
  CAIRN_TRY(const auto parameters, search_params(call, services.indices));
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
  parameters.source = call.query("_source");
  if (call.query("_source_includes")) parameters.source_includes = call.list("_source_includes");
  if (call.query("_source_excludes")) parameters.source_excludes = call.list("_source_excludes");
  parameters.stored_fields = call.list("stored_fields");
  parameters.find_document = document_finder(call, services.indices);
  parameters.find_script = template_finder(services.indices);
  CAIRN_TRY(const std::string_view body, call.raw_body());
  // One index, narrowed by the filter of an alias where the path names one.
  CAIRN_CHECK(services.indices.find_one(call.path("index")));
  CAIRN_TRY(const auto named, services.indices.resolve_names(
                                   call.path("index"), {.narrows = read_rights(call).narrows}));
  if (named.size() != 1) return illegal_argument("[_explain] takes one index");
  CAIRN_TRY(auto explained, services.service.explain(named.front(), call.path("id"), body,
                                                     parameters, call.deadline()));
  return Reply::raw_json(std::move(explained.text), explained.found ? 200 : 404);
}

Result<Reply> rank_eval(Call& call, const SearchServices& services) {
  search::SearchParameters parameters;
  parameters.search_type = call.query("search_type").value_or("");
  parameters.find_document = document_finder(call, services.indices);
  parameters.find_script = template_finder(services.indices);
  parameters.resolve_indices = index_resolver(call, services.indices);
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  CAIRN_TRY(const auto indices, indices_of(call, services.indices, call.path("index")));
  CAIRN_TRY(Json found, search::rank_eval(services.service, indices, body, parameters,
                                          template_finder(services.indices), call.deadline()));
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
  parameters.find_script = template_finder(services.indices);
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

}  // namespace

void add_search_routes(Router& router, ServiceRef<const index::Indices> indices,
                       ServiceRef<search::Service> service, const os::Clock& clock) {
  for (const auto* method : {"POST", "GET"}) {
    auto one = search_row(
        method, "/{index}/_explain/{id}", "explain", "Says how a document's score comes about.",
        with_url_query({{"_source", "list", "Show the document: true, or paths of it."},
                        {"_source_includes", "list", "Paths to show."},
                        {"_source_excludes", "list", "Paths to leave out."},
                        {"stored_fields", "list", "Fields with store to show."}}));
    one.filters_indices = false;
    router.add(std::move(one), [indices, service, &clock](Call& call) {
      return explain(call, {*indices, *service, clock});
    });
  }
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"})
      router.add(search_row(method, prefix + "/_validate/query", "indices.validate_query",
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
      router.add(search_row(method, prefix + "/_rank_eval", "rank_eval",
                     "Says how good searches are, by rated documents.",
                     with_index_options(
                         {{"search_type", "string", "Both types are the same."}})),
                 [indices, service, &clock](Call& call) {
                   return rank_eval(call, {*indices, *service, clock});
                 });
  for (const auto* method : {"POST", "GET"})
    for (const std::string prefix : {"", "/{index}"}) {
      router.add(
          search_row(method, prefix + "/_search", "search", "Searches indices.", search_parameters()),
          [indices, service, &clock](Call& call) {
            return search_once(call, {*indices, *service, clock});
          });
      router.add(search_row(method, prefix + "/_count", "count", "Counts what a query matches.",
                     count_parameters()),
                 [indices, service, &clock](Call& call) {
                   return count(call, {*indices, *service, clock});
                 });
    }
}

}  // namespace cairn::api
