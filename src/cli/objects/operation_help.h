// SPDX-License-Identifier: Apache-2.0
// Help of operations, from their descriptions.
#pragma once

#include <string>

namespace cairn::s3 {
struct Operation;
}

namespace cairn::cli {

/// "get-object" of "get_object".
std::string command_of_operation(const s3::Operation& operation);

/// What it does on the wire, and every parameter with type and allowed values, required ones first.
std::string operation_help(const s3::Operation& operation);

/// All operations in groups, and the commands that people use.
std::string objects_help();

}  // namespace cairn::cli
