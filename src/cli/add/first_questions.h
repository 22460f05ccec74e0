// SPDX-License-Identifier: Apache-2.0
// Searches that answer something of an index.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/connection.h"

namespace cairn::cli {

/// Up to three, made of titles of documents; each was asked, and found its document among the first
/// three. Errors: those of asking.
Result<std::vector<std::string>> first_questions(Connection& connection, const std::string& index);

}  // namespace cairn::cli
