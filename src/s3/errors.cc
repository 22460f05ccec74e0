// SPDX-License-Identifier: Apache-2.0
#include "s3/errors.h"

namespace cairn::s3 {
namespace {

// What an error without a code of this table becomes on the wire.
std::string_view default_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return "InvalidRequest";
    case ErrorKind::unauthenticated:
      return "AccessDenied";
    case ErrorKind::permission_denied:
      return "AccessDenied";
    case ErrorKind::not_found:
      return "NoSuchKey";
    case ErrorKind::already_exists:
      return "OperationAborted";
    case ErrorKind::conflict:
      return "OperationAborted";
    case ErrorKind::precondition_failed:
      return "PreconditionFailed";
    case ErrorKind::too_large:
      return "EntityTooLarge";
    case ErrorKind::unsupported:
      return "NotImplemented";
    case ErrorKind::rate_limited:
      return "SlowDown";
    case ErrorKind::timeout:
      return "RequestTimeout";
    case ErrorKind::cancelled:
      return "ServiceUnavailable";
    case ErrorKind::unavailable:
      return "ServiceUnavailable";
    case ErrorKind::storage_full:
      return "ServiceUnavailable";
    case ErrorKind::corrupt:
      return "InternalError";
    case ErrorKind::internal:
      return "InternalError";
  }
  return "InternalError";
}

}  // namespace

Error error(ErrorCode code, std::string message) {
  const ErrorRow& row = code.row();
  return Error{.kind = row.kind,
               .code = std::string(row.code),
               .message = message.empty() ? std::string(row.message) : std::move(message)};
}

int status_of(const Error& error) { return find_error(code_of(error))->status; }

std::string_view code_of(const Error& error) {
  if (const ErrorRow* row = find_error(error.code)) return row->code;
  return default_code(error.kind);
}

ErrorKind kind_of(std::string_view code, int status) {
  if (const ErrorRow* row = find_error(code)) return row->kind;
  switch (status) {
    case 400:
      return ErrorKind::invalid_argument;
    case 401:
      return ErrorKind::unauthenticated;
    case 403:
      return ErrorKind::permission_denied;
    case 404:
      return ErrorKind::not_found;
    case 408:
      return ErrorKind::timeout;
    case 409:
      return ErrorKind::conflict;
    case 412:
      return ErrorKind::precondition_failed;
    case 413:
      return ErrorKind::too_large;
    case 429:
      return ErrorKind::rate_limited;
    case 500:
      return ErrorKind::internal;
    case 501:
      return ErrorKind::unsupported;
    default:
      break;
  }
  if (status >= 502 && status <= 504) return ErrorKind::unavailable;
  return status >= 500 ? ErrorKind::internal : ErrorKind::invalid_argument;
}

}  // namespace cairn::s3
