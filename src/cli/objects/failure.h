// SPDX-License-Identifier: Apache-2.0
// What went wrong, for people and for programs, and the exit status that says it.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/objects/console.h"
#include "format/json.h"

namespace cairn::cli {

/// An exit status of exit_codes.h; 130 for what was interrupted.
int exit_status_of(const Error& error);

/// `{"code":…,"message":…}` with what is known of the call.
Json json_of_failure(const Error& error);

/// `cairn: message` on standard error, as `{"error":…}` for programs. The exit status.
int tell_failure(const Console& console, const Error& error, bool json);

}  // namespace cairn::cli
