// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/failure.h"

#include "base/strings.h"
#include "cli/exit_codes.h"

namespace cairn::cli {
namespace {

constexpr int interrupted = 130;  // as a shell says of a program that SIGINT ended

constexpr int first_refusal = 300;

/// True where the service answered, and not with success.
bool was_refused(const Error& error) {
  for (const auto& [name, value] : error.details)
    if (name == "status") return parse_number<int>(value).value_or(0) >= first_refusal;
  return false;
}

bool is_number_detail(const std::string& name) { return name == "status" || name == "attempts"; }

}  // namespace

int exit_status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::cancelled:
      return interrupted;
    case ErrorKind::unauthenticated:
    case ErrorKind::permission_denied:
      return no_permission;
    case ErrorKind::rate_limited:
      return temporary;
    case ErrorKind::storage_full:
      return was_refused(error) ? failed : cannot_create;
    default:
      break;
  }
  if (was_refused(error)) return failed;
  switch (error.kind) {
    case ErrorKind::invalid_argument:
      return usage_error;
    case ErrorKind::not_found:
      return no_input;
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
      return unavailable;
    case ErrorKind::conflict:
      return temporary;
    case ErrorKind::corrupt:
      return data_error;
    default:
      return failed;
  }
}

Json json_of_failure(const Error& error) {
  Json out = Json::object({{"code", error.code.empty() ? name_of(error.kind) : error.code},
                           {"message", error.message}});
  for (const auto& [name, value] : error.details) {
    const auto number = is_number_detail(name) ? parse_number<std::int64_t>(value) : std::nullopt;
    out.set(name, number ? Json(*number) : Json(value));
  }
  return out;
}

int tell_failure(const Console& console, const Error& error, bool json) {
  if (json)
    console.err(Json::object({{"error", json_of_failure(error)}}).dump() + "\n");
  else
    console.err("cairn: " + error.message + "\n");
  return exit_status_of(error);
}

}  // namespace cairn::cli
