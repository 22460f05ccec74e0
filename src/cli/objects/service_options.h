// SPDX-License-Identifier: Apache-2.0
// Options that every command of the object storage takes: where the service is, who asks, how.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/connection.h"
#include "cli/objects/console.h"

namespace cairn::objectclient {
struct ClientOptions;
struct Environment;
}  // namespace cairn::objectclient

namespace cairn::cli {

/// Adds them to what a command takes.
void add_service_options(Syntax& syntax);
/// What --help prints of them.
std::string_view service_options_help();

/// The client's options from the command line. Where nobody names an endpoint it is that of the
/// Cairn on this machine, with the keys that its first start wrote.
/// Errors: invalid_argument; not_found, permission_denied (files).
Status read_service_options(const Arguments& arguments, const Environment& environment,
                            const Console& console, objectclient::ClientOptions& options);

/// The machine's, with these variables.
objectclient::Environment environment_of(const Environment& environment);

}  // namespace cairn::cli
