// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

namespace cairn {

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "invalid_argument";
    case ErrorKind::unauthenticated:
      return "unauthenticated";
    case ErrorKind::permission_denied:
      return "permission_denied";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::already_exists:
      return "already_exists";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::precondition_failed:
      return "precondition_failed";
    case ErrorKind::too_large:
      return "too_large";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::rate_limited:
      return "rate_limited";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::storage_full:
      return "storage_full";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

HeldError::HeldError(Error&& error) : error_(new Error(std::move(error))) {}

Error* HeldError::copy(const Error& error) { return new Error(error); }

void HeldError::destroy(Error* error) noexcept { delete error; }

Error with_context(Error error, std::string_view context) {
  error.message.insert(0, ": ");
  error.message.insert(0, context);
  return error;
}

}  // namespace cairn
