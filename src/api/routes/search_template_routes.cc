// SPDX-License-Identifier: Apache-2.0
#include "api/routes/search_template_routes.h"

#include "api/change_params.h"
#include "api/forms/error_json.h"
#include "api/index_names.h"
#include "api/search_access.h"
#include "api/search_params.h"
#include "index/templates/stored_scripts.h"

namespace cairn::api {
namespace {

// --- searches

Result<Reply> search_by_template(Call& call, const index::Indices& indices,
                                 search::Service& service) {
  CAIRN_TRY(search::SearchParameters parameters, search_params(call, indices));
  parameters.explain.reset();  // the template's request takes it
  CAIRN_TRY(const std::string_view body, call.raw_body());
  if (body.empty()) return parse_fault("request body is required");
  CAIRN_TRY(auto request, search::read_template_request(body));
  CAIRN_TRY(request.explain, call.flag("explain", request.explain));
  CAIRN_TRY(request.profile, call.flag("profile", request.profile));
  CAIRN_TRY(const auto names, indices_of(call, indices, call.path("index")));
  CAIRN_TRY(const Json made, search::render_search(request, template_finder(indices)));
  CAIRN_TRY(std::string text, service.search(names, made.dump(), parameters, call.deadline()));
  return Reply::raw_json(std::move(text));
}

Result<Reply> render(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const auto given, call.optional_body());
  Json body = given.value_or(Json::object());
  if (!call.path("id").empty()) body.set("id", call.path("id"));
  CAIRN_TRY(const auto request, search::read_template_request(body.dump()));
  CAIRN_TRY(Json made, search::render_search(request, template_finder(indices)));
  return Reply::json(Json::object({{"template_output", std::move(made)}}));
}

// --- what is kept

Result<Reply> put_script(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  const std::string context = call.query("context").value_or(call.path("context"));
  CAIRN_TRY(const Json body, call.body());
  CAIRN_TRY(auto script, index::read_stored_script(call.path("id"), body, context));
  CAIRN_CHECK(indices.scripts().put(call.path("id"), std::move(script), deadline));
  return acknowledged();
}

Result<Reply> get_script(Call& call, const index::Indices& indices) {
  const auto found = indices.scripts().find(call.path("id"));
  if (!found.ok() && found.error().kind != ErrorKind::not_found) return found.error();
  Json out = Json::object({{"_id", call.path("id")}, {"found", found.ok()}});
  if (found.ok()) out.set("script", found->to_json());
  return Reply::json(std::move(out), found.ok() ? 200 : 404);
}

Result<Reply> delete_script(Call& call, const index::Indices& indices) {
  CAIRN_TRY(const os::Deadline deadline, change_deadline(call));
  CAIRN_CHECK(indices.scripts().remove(call.path("id"), deadline));
  return acknowledged();
}

// --- rows

std::vector<gate::Parameter> template_parameters() {
  return with_index_options(
      {{"explain", "boolean", "How the score of each hit comes about."},
       {"profile", "boolean", "What the search spends its time on."},
       {"rest_total_hits_as_int", "boolean", "The total as a number."},
       {"scroll", "time", "Goes on as a scroll, kept for so long."},
       {"search_type", "string", "Both types are the same; not with knn."},
       {"typed_keys", "boolean", "Name aggregations with their types: avg#price."},
       {"preference", "string", "There is one shard."},
       {"routing", "string", "There is one shard."},
       {"ccs_minimize_roundtrips", "boolean", "There is one cluster."},
       {"ignore_throttled", "boolean", "No index is throttled."}});
}

using ScriptFace = Result<Reply> (*)(Call&, const index::Indices&);

void add_script_row(Router& router, ServiceRef<const index::Indices> indices, gate::Route row,
                    ScriptFace face) {
  row.cluster = {"manage"};
  row.query.push_back({"master_timeout", "time", "How long the change may take."});
  router.add(std::move(row), [indices, face](Call& call) { return face(call, *indices); });
}

void add_script_rows(Router& router, ServiceRef<const index::Indices> indices) {
  const gate::Parameter timeout = {"timeout", "time", "How long the change may take."};
  for (const auto* method : {"PUT", "POST"})
    for (const auto* path : {"/_scripts/{id}", "/_scripts/{id}/{context}"})
      add_script_row(router, indices,
                     {.method = method,
                      .path = path,
                      .operation = "put_script",
                      .query = {timeout, {"context", "string", "What it is for: template, score, filter."}},
                      .summary = "Keeps a script, or a template of searches, by a name.",
                      .body_required = true},
                     put_script);
  add_script_row(router, indices,
                 {.method = "GET",
                  .path = "/_scripts/{id}",
                  .operation = "get_script",
                  .summary = "Shows a kept script or template of searches."},
                 get_script);
  add_script_row(router, indices,
                 {.method = "DELETE",
                  .path = "/_scripts/{id}",
                  .operation = "delete_script",
                  .query = {timeout},
                  .summary = "Deletes a kept script or template of searches."},
                 delete_script);
}

}  // namespace

void add_search_template_routes(Router& router, ServiceRef<const index::Indices> indices,
                                ServiceRef<search::Service> service) {
  for (const auto* method : {"POST", "GET"}) {
    for (const std::string prefix : {"", "/{index}"})
      router.add(search_row(method, prefix + "/_search/template", "search_template",
                            "Searches indices as a template with values says.",
                            template_parameters()),
                 [indices, service](Call& call) {
                   return search_by_template(call, *indices, *service);
                 });
    for (const std::string tail : {"", "/{id}"})
      router.add(search_row(method, "/_render/template" + tail, "render_search_template",
                            "Shows the search that a template with values makes.", {}),
                 [indices](Call& call) { return render(call, *indices); });
  }
  add_script_rows(router, indices);
}

}  // namespace cairn::api
