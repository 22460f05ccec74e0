// SPDX-License-Identifier: Apache-2.0
// What the program's exit status means, after sysexits(3).
#pragma once

#include "base/result.h"

namespace cairn::cli {

inline constexpr int success = 0;
inline constexpr int failed = 1;         // the server said no
inline constexpr int partly_failed = 2;  // some items failed
inline constexpr int nothing_found = 3;  // of a search
inline constexpr int usage_error = 64;
inline constexpr int data_error = 65;  // format, or data of a newer version
inline constexpr int no_input = 66;
inline constexpr int unavailable = 69;  // port taken, server not reachable
inline constexpr int internal_error = 70;
inline constexpr int cannot_create = 73;  // or no space
inline constexpr int io_error = 74;
inline constexpr int temporary = 75;  // lock held, rate limited
inline constexpr int no_permission = 77;
inline constexpr int configuration_error = 78;

/// Of a command that opens a data folder itself; `otherwise` where the kind says no more.
inline int exit_code_of(const Error& error, int otherwise) {
  switch (error.kind) {
    case ErrorKind::conflict:
      return temporary;  // another process has it
    case ErrorKind::unsupported:
    case ErrorKind::corrupt:
      return data_error;
    case ErrorKind::permission_denied:
      return no_permission;
    case ErrorKind::storage_full:
      return cannot_create;
    case ErrorKind::not_found:
      return no_input;
    default:
      return otherwise;
  }
}

}  // namespace cairn::cli
