// SPDX-License-Identifier: Apache-2.0
// `cairn key … --objects`: access keys of the object storage.
#pragma once

#include "base/result.h"
#include "cli/arguments.h"
#include "cli/connection.h"
#include "format/json.h"

namespace cairn::cli {

/// {"account", "user", "policy"} as the arguments say. Errors: those of reading the policy's file.
Result<Json> object_key_body(const Arguments& arguments);

// Each asks the server and prints; the exit status.
int create_object_key(const Arguments& arguments, Connection& connection);
int list_object_keys(const Arguments& arguments, Connection& connection);
int delete_object_keys(const Arguments& arguments, Connection& connection);
/// Makes one idle, or active again.
int set_object_key_active(const Arguments& arguments, Connection& connection, bool active);

}  // namespace cairn::cli
