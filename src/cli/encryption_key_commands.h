// SPDX-License-Identifier: Apache-2.0
// `cairn key … --encryption`: keys that objects are encrypted with.
#pragma once

#include "cli/arguments.h"
#include "cli/connection.h"

namespace cairn::cli {

// Each asks the server and prints; the exit status.
int create_encryption_key(const Arguments& arguments, Connection& connection);
int list_encryption_keys(const Arguments& arguments, Connection& connection);
/// Disables them, or enables them again.
int set_encryption_key_enabled(const Arguments& arguments, Connection& connection, bool enabled);
/// Gives one the aliases of --add, and takes those of --remove away.
int change_encryption_key_aliases(const Arguments& arguments, Connection& connection);

}  // namespace cairn::cli
