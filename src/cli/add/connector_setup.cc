// SPDX-License-Identifier: Apache-2.0
#include "cli/add/connector_setup.h"

#include "base/encode.h"
#include "cli/add/upload.h"
#include "cli/search/search_request.h"

namespace cairn::cli {
namespace {

std::string path_of_connector(const std::string& name, std::string_view rest = {}) {
  return "/_connector/" + percent_encode(name) + std::string(rest);
}

Error said_no(const Answer& answer) {
  const bool rights = answer.status == 401 || answer.status == 403;
  return {.kind = rights                 ? ErrorKind::permission_denied
                  : answer.status == 429 ? ErrorKind::rate_limited
                                         : ErrorKind::conflict,
          .message = reason_of(answer)};
}

Error taken(const std::string& name, const std::string& by) {
  return {
      .kind = ErrorKind::already_exists,
      .message = "the name " + name + " is taken by " + by + "; choose another one with --name"};
}

Result<NameHolder> holder_of_index(Connection& connection, const std::string& name,
                                   const std::string& folder) {
  CAIRN_TRY(const Answer index, connection.ask("GET", index_path({name}, "/_mapping")));
  if (index.status == 404) return NameHolder::nobody;
  if (index.status != 200) return said_no(index);
  const auto& indices = index.body.as_object();
  const std::string from =
      indices.size() == 1 ? uploaded_from(indices.front().second) : std::string();
  if (from.empty()) return taken(name, "an index");
  if (from == uploaded_folder_name(folder)) return NameHolder::uploaded_folder;
  return taken(name, "the folder " + from);
}

/// Errors: as the server's answer, where it is not what was expected.
Result<Json> expect(Connection& connection, std::string method, const std::string& path,
                    const Json* body, int status = 200) {
  CAIRN_TRY(Answer answer, connection.ask(std::move(method), path, body));
  if (answer.status != status) return said_no(answer);
  return std::move(answer.body);
}

/// A job of the connector that has not ended; empty where there is none.
Result<std::string> job_going_on(Connection& connection, const std::string& name) {
  for (const auto* status : {"in_progress", "pending", "suspended"}) {
    CAIRN_TRY(const Json jobs, expect(connection, "GET",
                                      "/_connector/_sync_job?connector_id=" + percent_encode(name) +
                                          "&status=" + status,
                                      nullptr));
    const Json* results = jobs.find("results");
    if (results != nullptr && results->is_array() && !results->as_array().empty())
      return results->as_array()[0].string_or("id");
  }
  return std::string();
}

}  // namespace

Result<NameHolder> holder_of_name(Connection& connection, const std::string& name,
                                  const std::string& folder) {
  CAIRN_TRY(const Answer answer, connection.ask("GET", path_of_connector(name)));
  if (answer.status == 404) return holder_of_index(connection, name, folder);
  if (answer.status != 200) return said_no(answer);
  const std::string type = answer.body.string_or("service_type");
  if (type != "directory") return taken(name, "a connector of type " + type);
  const Json* path = answer.body.find_path("configuration.path.value");
  if (path != nullptr && path->is_string() && path->as_string() != folder)
    return taken(name, "the folder " + path->as_string());
  return NameHolder::connector_of_folder;
}

Result<std::string> set_up_connector(Connection& connection, const ConnectorWishes& wishes,
                                     bool is_there) {
  if (!is_there) {
    const Json body = Json::object({{"index_name", wishes.name},
                                    {"name", wishes.name},
                                    {"service_type", "directory"},
                                    {"description", "Added by `cairn add`: " + wishes.folder}});
    CAIRN_CHECK(expect(connection, "PUT", path_of_connector(wishes.name), &body));
  }
  Json values = Json::object({{"path", wishes.folder}, {"semantic", true}});
  if (wishes.watch) values.set("watch", true);
  const Json configuration = Json::object({{"values", std::move(values)}});
  CAIRN_CHECK(
      expect(connection, "PUT", path_of_connector(wishes.name, "/_configuration"), &configuration));
  if (wishes.cron) {
    const Json every = Json::object({{"enabled", true}, {"interval", *wishes.cron}});
    const Json body = Json::object({{"scheduling", Json::object({{"incremental", every}})}});
    CAIRN_CHECK(expect(connection, "PUT", path_of_connector(wishes.name, "/_scheduling"), &body));
  }
  CAIRN_TRY(std::string going_on, job_going_on(connection, wishes.name));
  if (!going_on.empty()) return going_on;
  // The first one finds nothing recorded, and reads everything.
  const Json job = Json::object({{"id", wishes.name}, {"job_type", "incremental"}});
  CAIRN_TRY(const Json made, expect(connection, "POST", "/_connector/_sync_job", &job, 201));
  return made.string_or("id");
}

}  // namespace cairn::cli
