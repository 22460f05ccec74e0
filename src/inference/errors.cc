// SPDX-License-Identifier: Apache-2.0
// Making errors.
#include "inference/errors.h"

namespace cairn::inference {

Error status_error(ErrorKind kind, std::string message) {
  return Error{.kind = kind, .code = "status_exception", .message = std::move(message)};
}

Error illegal_argument(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .code = "illegal_argument_exception",
               .message = std::move(message)};
}

Error not_found(std::string message) {
  return Error{.kind = ErrorKind::not_found,
               .code = "resource_not_found_exception",
               .message = std::move(message)};
}

Error endpoint_exists(std::string_view id) {
  return Error{.kind = ErrorKind::already_exists,
               .code = "resource_already_exists_exception",
               .message = "Inference endpoint [" + std::string(id) + "] already exists"};
}

Error Faults::error(std::string_view code) const {
  std::string message = "Validation Failed: ";
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    message += std::to_string(i + 1) + ": " + faults_[i] + ";";
  }
  return Error{.kind = ErrorKind::invalid_argument,
               .code = std::string(code),
               .message = std::move(message)};
}

}  // namespace cairn::inference
