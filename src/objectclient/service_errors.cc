// SPDX-License-Identifier: Apache-2.0
// From codes to classes.
#include "objectclient/service_errors.h"

#include <algorithm>
#include <utility>

namespace cairn::objectclient {
namespace {

template <class Exception>
[[noreturn]] void throw_as(const Error& error, const CallInfo& call) {
  throw Exception(error, call);
}

struct ErrorClass {
  std::string_view code;
  void (*raise)(const Error& error, const CallInfo& call);
};
constexpr ErrorClass service_rows[] = {
#define CAIRN_SERVICE_ERROR_ROW(Name, code) {code, &throw_as<errors::Name>},
    CAIRN_SERVICE_ERRORS(CAIRN_SERVICE_ERROR_ROW)
#undef CAIRN_SERVICE_ERROR_ROW
};

constexpr ErrorClass library_rows[] = {
    {"ArgumentError", &throw_as<ArgumentError>},
    {"MissingRegionError", &throw_as<MissingRegionError>},
    {"MissingCredentialsError", &throw_as<MissingCredentialsError>},
    {"ChecksumError", &throw_as<ChecksumError>},
    {"NetworkingError", &throw_as<NetworkingError>},
    {"TooManyAttemptsError", &throw_as<TooManyAttemptsError>},
    {"UnexpectedReplyError", &throw_as<UnexpectedReplyError>},
};

const ErrorClass* find_row(const ErrorClass* begin, const ErrorClass* end, std::string_view code) {
  const ErrorClass* const found =
      std::find_if(begin, end, [&](const ErrorClass& row) { return row.code == code; });
  return found == end ? nullptr : found;
}

}  // namespace

ClientError::ClientError(const Error& error, const CallInfo& call) : error_(error), call_(call) {}
ClientError::~ClientError() = default;

// Out of line, so that the tables of each class stand here and not in whatever catches it.
#define CAIRN_SERVICE_ERROR_END(Name, code) errors::Name::~Name() = default;
CAIRN_SERVICE_ERRORS(CAIRN_SERVICE_ERROR_END)
#undef CAIRN_SERVICE_ERROR_END

std::string_view ClientError::data(std::string_view name) const {
  for (const auto& [key, value] : error_.details)
    if (key == name) return value;
  return {};
}

bool has_error_class(std::string_view code) {
  return find_row(std::begin(service_rows), std::end(service_rows), code) != nullptr;
}

void throw_error(const Error& error, const CallInfo& call) {
  if (const ErrorClass* row =
          find_row(std::begin(library_rows), std::end(library_rows), error.code))
    row->raise(error, call);
  if (error.kind == ErrorKind::timeout && call.status == 0) throw DeadlineError(error, call);
  if (call.status == 0) {
    if (error.kind == ErrorKind::invalid_argument) throw ArgumentError(error, call);
    throw ClientError(error, call);
  }
  if (const ErrorClass* row =
          find_row(std::begin(service_rows), std::end(service_rows), error.code))
    row->raise(error, call);
  throw ServiceError(error, call);
}

}  // namespace cairn::objectclient
