// SPDX-License-Identifier: Apache-2.0
// Searches within a search: some of a hit's group, and objects that matched in it.
#include <optional>
#include <utility>

#include "search/service.h"

namespace cairn::search {

// Each a search of its own, over the same documents.
Result<Json> Service::show_group(const SearchRequest& request, const Candidate& hit,
                                 const Page& page, const os::Deadline& deadline) {
  Json out = Json::object();
  for (const InnerHits& inner : request.collapse.inner) {
    const Json body =
        inner_request(request.collapse, inner, hit.group, request.query, request.post_filter);
    CAIRN_TRY(Json shown, run_inner(body, page.targets, std::nullopt, page, deadline));
    out.set(inner.name, std::move(shown));
  }
  return out;
}

// Each a search of the objects in the hit.
Status Service::show_objects(const std::vector<NestedInnerHits>& asked, const Candidate& hit,
                             const Page& page, const os::Deadline& deadline, Json& out) {
  for (const NestedInnerHits& one : asked) {
    const Target& target = page.targets[hit.place.target];
    CAIRN_TRY(auto objects, target.view->objects(one.path));
    if (objects == nullptr) continue;  // the query may ignore that
    CAIRN_TRY(const auto within, target.view->objects_of(one.path, hit.place.doc));
    Json body = one.inner.body;
    body.set("query", one.query);
    CAIRN_TRY(Json shown, run_inner(body, {{target.index, std::move(objects), target.names}},
                                    within, page, deadline));
    out.set(one.inner.name, std::move(shown));
  }
  return ok_status();
}

Result<Json> Service::run_inner(const Json& body, std::vector<Target> targets,
                                std::optional<index::WithinQuery> within, const Page& page,
                                const os::Deadline& deadline) {
  const std::string text = body.dump();
  SearchParameters parameters;
  parameters.caller = page.parameters.caller;
  parameters.find_document = page.parameters.find_document;
  parameters.find_script = page.parameters.find_script;
  parameters.named_scores = page.parameters.named_scores;
  parameters.answer_bytes_before = page.parameters.answer_bytes_before;
  CAIRN_TRY(SearchRequest own, parse_request(text, body, parameters, options_));
  own.within = within;
  std::string path = page.path;
  if (within) {
    const Target& target = targets.front();
    path += "/" + target.index->name() + "/" + target.view->nested_path();
  }
  const Page own_page{.body = text,
                      .parameters = parameters,
                      .targets = std::move(targets),
                      .now_ms = page.now_ms,
                      .embedded = page.embedded,
                      .begin_ns = page.begin_ns,
                      .memory = page.memory,
                      .path = std::move(path)};
  CAIRN_TRY(const auto answer, run_page(std::move(own), own_page, deadline));
  CAIRN_TRY(const Json json, parse_json(answer.text));
  return Json::object({{"hits", *json.find("hits")}});
}

}  // namespace cairn::search
