// SPDX-License-Identifier: Apache-2.0
// Errors of the library itself, worded in one way. Not part of the installed headers.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/result.h"

namespace cairn::objectclient {

/// The caller's fault; nothing was sent.
inline Error argument_error(std::string code, std::string text) {
  return {ErrorKind::invalid_argument, std::move(code), std::move(text)};
}
inline Error argument_error(std::string text) {
  return argument_error("ArgumentError", std::move(text));
}

/// What was asked for cannot be had now.
inline Error unavailable(std::string text) { return {ErrorKind::unavailable, {}, std::move(text)}; }

/// A reply that does not answer what was asked: other bytes, another object, a page without a next
/// one. Another attempt would not help.
inline Error unexpected_reply(std::string text) {
  return {ErrorKind::corrupt, "UnexpectedReplyError", std::move(text)};
}

/// A file that cannot be opened, read or written, by its `errno`.
inline Error file_error(const std::string& path, int number) {
  const ErrorKind kind = number == ENOENT                       ? ErrorKind::not_found
                         : number == EACCES || number == EPERM  ? ErrorKind::permission_denied
                         : number == ENOSPC || number == EDQUOT ? ErrorKind::storage_full
                                                                : ErrorKind::unavailable;
  return {kind, {}, path + ": " + std::strerror(number)};
}

}  // namespace cairn::objectclient
