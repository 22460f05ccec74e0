// SPDX-License-Identifier: Apache-2.0
#include "api/forms/browser_files.h"

#include <utility>

namespace cairn::api {
namespace {

/// An error where a browser expected a file.
std::string plain_error(const Error& error, int, std::string_view, net::Headers& headers) {
  headers.set("Content-Type", "text/plain; charset=utf-8");
  headers.set("X-Content-Type-Options", "nosniff");
  return error.message + "\n";
}

}  // namespace

gate::Route file_row(std::string path, std::string operation, std::string summary) {
  return {.method = "GET",
          .path = std::move(path),
          .operation = std::move(operation),
          .open = true,
          .resource = "",
          .summary = std::move(summary),
          .media_type = "text/html; charset=utf-8",
          .error_wording = plain_error};
}

Reply reply_of(console::Answer answer) {
  Reply out = Reply::empty(answer.status);
  if (const auto type = answer.headers.find("Content-Type")) out.content_type = *type;
  answer.headers.remove("Content-Type");
  out.headers = std::move(answer.headers);
  out.text = std::move(answer.body);
  return out;
}

Reply redirect(std::string location) {
  Reply out = Reply::empty(302);
  out.headers.set("Location", location);
  out.headers.set("Cache-Control", "no-store");
  // "/" answers others with JSON.
  out.headers.set("Vary", "Accept");
  return out;
}

}  // namespace cairn::api
