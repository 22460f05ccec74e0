// SPDX-License-Identifier: Apache-2.0
// The errors of inference with their wire names, and a gatherer of the faults of one request.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::inference {

/// `status_exception`: its status follows from the kind, or from a detail `_status`.
Error status_error(ErrorKind kind, std::string message);
inline Error bad_request(std::string message) {
  return status_error(ErrorKind::invalid_argument, std::move(message));
}
/// `illegal_argument_exception`.
Error illegal_argument(std::string message);
/// `resource_not_found_exception`.
Error not_found(std::string message);
/// `resource_already_exists_exception`, for an inference endpoint of that id.
Error endpoint_exists(std::string_view id);

/// Gathers the faults of one request, to name all of them in one answer.
class Faults {
 public:
  void add(std::string fault) { faults_.push_back(std::move(fault)); }
  bool none() const { return faults_.empty(); }
  /// `Validation Failed: 1: a;2: b;` under `code`: validation_exception for settings,
  /// action_request_validation_exception for requests.
  Error error(std::string_view code = "validation_exception") const;

 private:
  std::vector<std::string> faults_;
};

}  // namespace cairn::inference
