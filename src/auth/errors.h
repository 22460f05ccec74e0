// SPDX-License-Identifier: Apache-2.0
// The errors of the room, with the names that they have on the wire.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::auth {

inline Error illegal_argument(std::string message) {
  return {ErrorKind::invalid_argument, "illegal_argument_exception", std::move(message)};
}

/// The platform's form of a list of faults: "Validation Failed: 1: a;2: b;".
inline Error validation_failed(const std::vector<std::string>& faults) {
  std::string text = "Validation Failed: ";
  for (std::size_t i = 0; i < faults.size(); ++i)
    text += std::to_string(i + 1) + ": " + faults[i] + ";";
  return {ErrorKind::invalid_argument, "action_request_validation_exception", std::move(text)};
}

inline Error not_allowed(std::string message) {
  return {ErrorKind::permission_denied, "security_exception", std::move(message)};
}

inline Error key_not_found(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "no API key owned by requesting user found for ID [" + std::string(id) + "]"};
}

inline Error last_administrator(std::string_view id) {
  return {ErrorKind::conflict, "status_exception",
          "API key [" + std::string(id) +
              "] is the last administrator's key that does not expire; without it nobody could "
              "make keys any more. Make another one first: a key without [role_descriptors] and "
              "[expiration], made by an administrator's key"};
}

}  // namespace cairn::auth
