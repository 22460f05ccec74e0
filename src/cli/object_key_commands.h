// SPDX-License-Identifier: Apache-2.0
// `cairn key … --objects`: access keys of the object storage.
#pragma once

#include "cli/arguments.h"
#include "cli/connection.h"

namespace cairn::cli {

// Each asks the server and prints; the exit status.
int create_object_key(const Arguments& arguments, Connection& connection);
int list_object_keys(const Arguments& arguments, Connection& connection);
int delete_object_keys(const Arguments& arguments, Connection& connection);
/// Makes one idle, or active again.
int set_object_key_active(const Arguments& arguments, Connection& connection, bool active);

}  // namespace cairn::cli
