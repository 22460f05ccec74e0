// SPDX-License-Identifier: Apache-2.0
#include "lfs/rows.h"

namespace cairn::lfs {
namespace {

gate::Route row(std::string method, std::string path, std::string operation, std::string summary) {
  return {.method = std::move(method),
          .path = "/{owner}/{repo}/info/lfs" + std::move(path),
          .operation = std::move(operation),
          .surface = gate::Surface::large_files,
          .resource = "lfs",
          .summary = std::move(summary),
          .body_bytes_max = 4 << 20,
          .media_type = std::string(media_type),
          .error_wording = word_error};
}

}  // namespace

std::vector<Row> rows() {
  std::vector<Row> all;
  gate::Route batch = row("POST", "/objects/batch", "lfs.batch",
                          "URLs by which objects of a repository are sent or fetched (git-lfs).");
  batch.public_data = true;  // of the repositories that are public; the service asks for the others
  all.push_back({std::move(batch), &Service::batch});
  all.push_back({row("POST", "/verify", "lfs.verify",
                     "Whether an object has arrived, with the size that its sender says."),
                 &Service::verify});
  gate::Route list = row("GET", "/locks", "lfs.list_locks",
                         "The locks of files, page by page, or the one of a path or an id.");
  for (const char* name : {"path", "id", "cursor", "limit", "refspec"})
    list.query.push_back({.name = name});
  all.push_back({std::move(list), &Service::list_locks});
  all.push_back(
      {row("POST", "/locks", "lfs.lock", "Locks a file for the caller."), &Service::lock});
  all.push_back({row("POST", "/locks/verify", "lfs.verify_locks",
                     "The locks of the caller, and those of others: asked before a push."),
                 &Service::verify_locks});
  all.push_back(
      {row("POST", "/locks/{id}/unlock", "lfs.unlock", "Gives a lock back."), &Service::unlock});
  return all;
}

std::string word_error(const Error& error, int status, std::string_view request_id,
                       net::Headers& headers) {
  headers.set("Content-Type", media_type);
  if (status == 401) headers.set("LFS-Authenticate", "Basic realm=\"Cairn\"");
  Json body = Json::object({{"message", error.message}});
  for (const auto& [name, text] : error.details) {
    if (name == "_documentation_url") body.set("documentation_url", text);
    if (name == "additional_unsuccessful_credentials")
      body.set("message", error.message + "; " + text);
  }
  body.set("request_id", request_id);
  return body.dump();
}

}  // namespace cairn::lfs
