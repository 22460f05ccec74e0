// SPDX-License-Identifier: Apache-2.0
// The errors of repositories and snapshots, by their wire codes.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::snapshots {

inline Error repository_missing(const std::string& repository) {
  return {.kind = ErrorKind::not_found,
          .code = "repository_missing_exception",
          .message = "[" + repository + "] missing"};
}

inline Error repository_fault(const std::string& repository, const std::string& what) {
  return {.kind = ErrorKind::internal,
          .code = "repository_exception",
          .message = "[" + repository + "] " + what};
}

inline Error snapshot_missing(const std::string& repository, const std::string& snapshot) {
  return {.kind = ErrorKind::not_found,
          .code = "snapshot_missing_exception",
          .message = "[" + repository + ":" + snapshot + "] is missing"};
}

inline Error bad_snapshot_name(const std::string& repository, const std::string& snapshot,
                               const std::string& why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "invalid_snapshot_name_exception",
          .message = "[" + repository + ":" + snapshot + "] Invalid snapshot name [" + snapshot +
                     "], " + why};
}

/// 503: another operation holds the repository.
inline Error busy(const std::string& repository, const std::string& snapshot,
                  const std::string& what) {
  return {.kind = ErrorKind::unavailable,
          .code = "concurrent_snapshot_execution_exception",
          .message = "[" + repository + ":" + snapshot + "] " + what};
}

/// 500: the cluster's state forbids it at the moment.
inline Error illegal_state(std::string message) {
  return {.kind = ErrorKind::conflict,
          .code = "illegal_state_exception",
          .message = std::move(message)};
}

inline Error bad_argument(std::string message) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "illegal_argument_exception",
          .message = std::move(message)};
}

}  // namespace cairn::snapshots
