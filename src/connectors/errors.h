// SPDX-License-Identifier: Apache-2.0
// The errors of connectors and sync jobs, by their wire codes.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::connectors {

/// 404: no such connector or sync job.
inline Error missing(const std::string& what, const std::string& id) {
  return {.kind = ErrorKind::not_found,
          .code = "resource_not_found_exception",
          .message = what + " [" + id + "] not found"};
}

/// 400: the state or another record forbids it.
inline Error refused(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "status_exception",
          .message = std::move(message)};
}

/// 400: a field of the request.
inline Error bad_argument(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = std::move(message)};
}

/// 400: every fault of a request body.
inline Error invalid(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "action_request_validation_exception",
          .message = "Validation Failed: 1: " + std::move(message) + ";"};
}

}  // namespace cairn::connectors
