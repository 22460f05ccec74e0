// SPDX-License-Identifier: Apache-2.0
#include "api/server_error.h"

#include "api/forms/error_json.h"

namespace cairn::api {
namespace {

ErrorKind kind_of(int status) {
  if (status == 413 || status == 414 || status == 431) return ErrorKind::too_large;
  if (status == 408) return ErrorKind::timeout;
  if (status == 503) return ErrorKind::unavailable;
  return status >= 500 ? ErrorKind::internal : ErrorKind::invalid_argument;
}

std::string render(Error error, int status, std::string_view request_id, net::Headers& headers) {
  error.details.emplace_back("_status", std::to_string(status));
  if (status >= 500) error.details.emplace_back("request_id", request_id);
  headers.set("X-elastic-product", "Elasticsearch");
  headers.set("Content-Type", "application/json");
  return error_body(error).dump();
}

}  // namespace

std::string render_server_error(int status, std::string_view reason, std::string_view request_id,
                                net::Headers& headers) {
  return render({.kind = kind_of(status), .message = std::string(reason)}, status, request_id,
                headers);
}

std::string render_no_master(int status, std::string_view reason, std::string_view request_id,
                             net::Headers& headers) {
  return render({.kind = ErrorKind::unavailable,
                 .code = "master_not_discovered_exception",
                 .message = std::string(reason)},
                status, request_id, headers);
}

}  // namespace cairn::api
