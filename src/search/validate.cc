// SPDX-License-Identifier: Apache-2.0
// Service::validate: a query is read and planned for each index, and asked of none.
#include "base/strings.h"
#include "search/errors.h"
#include "search/run/execution.h"
#include "search/service.h"

namespace cairn::search {
namespace {

/// Errors that say nothing about the query.
bool is_of_the_moment(const Error& error) {
  return error.kind != ErrorKind::invalid_argument;
}

/// The query of a body; null: there is none.
Result<Json> query_in(std::string_view body, const SearchParameters& parameters,
                      const Options& options) {
  Json json;
  if (!trim(body).empty()) {
    CAIRN_TRY(json, parse_json(body, {.unique_names = true}));
  }
  if (json.is_object())
    for (const auto& [name, value] : json.as_object())
      if (name != "query")
        return parsing_error(body, name, "request does not support [" + name + "]");
  CAIRN_TRY(const SearchRequest request, parse_request(body, json, parameters, options));
  return request.query;
}

}  // namespace

Result<std::vector<Service::Validated>> Service::validate(const IndexList& indices,
                                                          std::string_view body,
                                                          const SearchParameters& parameters,
                                                          const os::Deadline& deadline) {
  std::vector<Validated> out;
  auto query = query_in(body, parameters, options_);
  if (!query.ok() && is_of_the_moment(query.error())) return std::move(query).error();
  Embedder embedder(inference_, deadline);
  DocumentLookup documents(parameters.find_document, parameters.find_script);
  for (const auto& index : indices) {
    CAIRN_CHECK(deadline.check("validating a query"));
    Validated& one = out.emplace_back(Validated{.index = index->name()});
    if (!query.ok()) {
      one.error = query.error();
      continue;
    }
    const Target target{index.index(), index->view(), index.names(), index.filter(),
                        index.hides_documents()};
    Execution execution(body, {target}, embedder, options_, 10, deadline);
    if (parameters.find_document) execution.look_up_in(documents);
    const auto prepared = [&]() -> Result<PreparedQueries> {
      CAIRN_TRY(auto read, execution.read(*query, "query"));
      return execution.prepare(std::move(read), true);
    }();
    if (prepared.ok()) {
      // Words that a query is expanded to may be those of documents that an alias hides.
      if (target.filter == nullptr) one.text = prepared->front().plan->text();
    } else if (is_of_the_moment(prepared.error())) {
      return prepared.error();
    } else {
      one.error = prepared.error();
    }
  }
  // Where there is no index, the request is read all the same.
  if (indices.empty() && !query.ok()) out.push_back({.index = {}, .error = query.error()});
  return out;
}

}  // namespace cairn::search
