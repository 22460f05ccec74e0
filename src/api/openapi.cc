// SPDX-License-Identifier: Apache-2.0
#include "api/openapi.h"

#include <map>
#include <string_view>

#include "api/descriptions.h"
#include "base/strings.h"

namespace cairn::api {
namespace {

constexpr const char* json_media = "application/json";
constexpr const char* lines_media = "application/x-ndjson";

// --- parameters

Json schema_of(const gate::Parameter& parameter) {
  const auto& type = parameter.type;
  if (type == "boolean" || type == "integer" || type == "number")
    return Json::object({{"type", type}});
  if (type == "list")
    return Json::object({{"type", "array"}, {"items", Json::object({{"type", "string"}})}});
  if (type == "time")
    return Json::object(
        {{"type", "string"}, {"pattern", "^(-1|0|[0-9]+(nanos|micros|ms|s|m|h|d))$"}});
  return Json::object({{"type", "string"}});
}

Json query_parameter(const gate::Parameter& parameter) {
  Json out = Json::object({{"name", parameter.name}, {"in", "query"}});
  if (!parameter.description.empty()) out.set("description", parameter.description);
  if (parameter.type == "list") out.set("explode", false);
  out.set("schema", schema_of(parameter));
  return out;
}

Json path_parameters(const std::string& path) {
  Json out = Json::array();
  for (const auto segment : split(path, '/')) {
    if (segment.size() < 3 || segment.front() != '{') continue;
    std::string_view name = segment.substr(1, segment.size() - 2);
    if (name.ends_with("...")) name.remove_suffix(3);
    Json one = Json::object({{"name", name},
                             {"in", "path"},
                             {"required", true},
                             {"schema", Json::object({{"type", "string"}})}});
    if (name == "index")
      one.set("description",
              "Names of indices. .objects-journal-BUCKET and .objects-inventory-BUCKET are the "
              "tables of a bucket: read-only, and matched only by patterns that begin with a dot.");
    out.push(std::move(one));
  }
  return out;
}

/// A parameter that takes all that is left of a path has no sign of its own in OpenAPI.
std::string shown_path(std::string path) {
  if (path.ends_with("...}")) path.replace(path.size() - 4, 4, "}");
  return path;
}

Json parameters_of(const gate::Route& route) {
  Json out = path_parameters(route.path);
  for (const auto& parameter : route.query)
    if (parameter.name != "*") out.push(query_parameter(parameter));
  for (const auto* name : {"pretty", "human", "filter_path", "error_trace", "format"})
    out.push(Json::object({{"$ref", std::string("#/components/parameters/") + name}}));
  return out;
}

// --- bodies and answers

Json content(std::string_view media, Json schema) {
  return Json::object({{std::string(media), Json::object({{"schema", std::move(schema)}})}});
}

/// The media type of a row's JSON, without what may follow it.
std::string json_media_of(const gate::Route& route) {
  if (route.media_type.empty()) return json_media;
  return std::string(trim(split(route.media_type, ';').front()));
}

/// Null where the row takes none.
Json body_of(const gate::Route& route, const Json& described) {
  // A body of GET means nothing in OpenAPI, and POST is there wherever one is of use.
  if (route.method == "GET" && !route.body_required) return {};
  Json media;
  if (const Json* line = described.find("line"))
    media = content(lines_media, *line);
  else if (const Json* other = described.find("body_media"))
    media = content(other->as_string(), Json::object());
  else if (const Json* body = described.find("body"))
    media = content(json_media_of(route), *body);
  else if (route.body_required)
    media = content(json_media_of(route), Json::object({{"type", "object"}}));
  else
    return {};
  if (const Json* example = described.find("example"))
    media.as_object().front().second.set("example", *example);
  return Json::object({{"required", route.body_required}, {"content", std::move(media)}});
}

std::string_view meaning_of(std::string_view status) {
  static constexpr std::pair<std::string_view, std::string_view> meanings[] = {
      {"200", "Done."},
      {"201", "Made."},
      {"202", "Begun; it goes on."},
      {"404", "It is not there."},
      {"408", "Not in time."},
      {"409", "Ended by a conflict."}};
  for (const auto& [known, meaning] : meanings)
    if (known == status) return meaning;
  return "Answered.";
}

/// The response of a status, made where there is none yet.
Json& response_of(Json& responses, const std::string& status) {
  if (Json* there = responses.find(status)) return *there;
  return responses.set(status, Json::object({{"description", meaning_of(status)}}));
}

void add_content(Json& response, std::string_view media, Json schema) {
  Json* all = response.find("content");
  if (all == nullptr) all = &response.set("content", Json::object());
  all->set(media, Json::object({{"schema", std::move(schema)}}));
}

Json responses_of(const gate::Route& route, const Json& described) {
  Json out = Json::object();
  response_of(out, "200");
  if (route.method != "HEAD") {
    if (const Json* answers = described.find("answers"))
      for (const auto& [status, schema] : answers->as_object())
        add_content(response_of(out, status), json_media_of(route), schema);
    if (const Json* line = described.find("answer_lines"))
      add_content(response_of(out, "200"), lines_media, *line);
    if (const Json* texts = described.find("texts"))
      for (const auto& [status, media] : texts->as_object())
        add_content(response_of(out, status), media.as_string(),
                    Json::object({{"type", "string"}}));
  }
  Json fault = Json::object({{"description", "An error."}});
  // Rows of other protocols word errors in their own way.
  if (route.error_wording == nullptr)
    add_content(fault, json_media, Json::object({{"$ref", "#/components/schemas/Error"}}));
  out.set("default", std::move(fault));
  return out;
}

// --- operations

std::string state_of(const gate::Route& route) {
  switch (route.stability) {
    case gate::Stability::stable:
      return "Generally available; added in " + route.since;
    case gate::Stability::beta:
      return "Beta; added in " + route.since;
    case gate::Stability::experimental:
      break;
  }
  return "Experimental; added in " + route.since;
}

Json facts_of(const gate::Route& route, const Json& described) {
  Json out = Json::object({{"operation", route.operation},
                           {"privileges", shown_privileges(route)},
                           {"resource", route.resource},
                           {"surface", ratelimit::name_of(route.surface)},
                           {"points", gate::usual_points(route)},
                           {"reads", gate::reads_only(route)},
                           {"content", route.content},
                           {"public", route.public_data},
                           {"stability", gate::name_of(route.stability)},
                           {"since", route.since}});
  if (const Json* reason = described.find("undescribed")) out.set("undescribed", *reason);
  return out;
}

Json operation_of(const gate::Route& route, const std::string& id, const Json& described) {
  Json out =
      Json::object({{"operationId", id},
                    {"tags", Json::array({route.operation.substr(0, route.operation.find('.'))})},
                    {"summary", route.summary},
                    {"parameters", parameters_of(route)}});
  if (Json body = body_of(route, described); !body.is_null())
    out.set("requestBody", std::move(body));
  out.set("responses", responses_of(route, described));
  if (route.open) out.set("security", Json::array());
  out.set("x-state", state_of(route));
  out.set("x-cairn", facts_of(route, described));
  return out;
}

// --- components

Json shared_parameters() {
  const auto flag = [](const char* name, const char* text) {
    return Json::object({{"name", name},
                         {"in", "query"},
                         {"description", text},
                         {"schema", Json::object({{"type", "boolean"}})}});
  };
  return Json::object(
      {{"pretty", flag("pretty", "Indents the reply.")},
       {"human", flag("human", "Adds sizes and times in words beside the numbers.")},
       {"error_trace", flag("error_trace", "Adds stack_trace to errors.")},
       {"filter_path",
        Json::object({{"name", "filter_path"},
                      {"in", "query"},
                      {"description", "Paths of the reply to send; * and **, - leaves out."},
                      {"schema", Json::object({{"type", "string"}})}})},
       {"format",
        Json::object({{"name", "format"},
                      {"in", "query"},
                      {"schema", Json::object({{"type", "string"},
                                               {"enum", Json::array({"json", "yaml"})}})}})}});
}

Json components(const Descriptions& descriptions) {
  Json key = Json::object({{"type", "apiKey"},
                           {"in", "header"},
                           {"name", "Authorization"},
                           {"description", "ApiKey followed by the encoded form of a key."}});
  return Json::object({{"parameters", shared_parameters()},
                       {"schemas", descriptions.schemas()},
                       {"securitySchemes", Json::object({{"ApiKey", std::move(key)}})}});
}

}  // namespace

Json shown_privileges(const gate::Route& route) {
  Json out = Json::object();
  if (route.open) return out;
  if (!route.cluster.empty()) out.set("cluster", Json::array_of(route.cluster));
  if (!route.index_privilege.empty()) {
    out.set("index", route.index_privilege);
    if (!route.fixed_index.empty()) out.set("on", route.fixed_index);
  }
  return out;
}

Json openapi_document(const std::vector<gate::Route>& routes, const std::string& version,
                      const std::string& base_path) {
  const Descriptions& descriptions = Descriptions::of_program();
  const Json nothing = Json::object();
  Json paths = Json::object();
  std::map<std::string, int> used;
  for (const auto& route : routes) {
    // Several paths may do one operation; ids must differ.
    const int times = ++used[route.operation];
    const std::string id =
        times == 1 ? route.operation : route.operation + "_" + std::to_string(times);
    const Json* described = descriptions.operation(route.operation);
    Json* path = paths.find(shown_path(route.path));
    if (path == nullptr) path = &paths.set(shown_path(route.path), Json::object());
    path->set(lower_ascii(route.method),
              operation_of(route, id, described == nullptr ? nothing : *described));
  }
  return Json::object(
      {{"openapi", "3.1.0"},
       {"info", Json::object({{"title", "Cairn"},
                              {"version", version},
                              {"description", "Search, inference and snapshots."},
                              {"license", Json::object({{"name", "Apache-2.0"},
                                                        {"identifier", "Apache-2.0"}})}})},
       {"servers", Json::array({Json::object({{"url", base_path.empty() ? "/" : base_path}})})},
       {"security", Json::array({Json::object({{"ApiKey", Json::array()}})})},
       {"paths", std::move(paths)},
       {"components", components(descriptions)}});
}

}  // namespace cairn::api
