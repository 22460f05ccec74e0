// SPDX-License-Identifier: Apache-2.0
// The master key sealed by a key service outside: two programs that the operator names.
#pragma once

#include <string>
#include <vector>

#include "auth/secrets/seal.h"
#include "base/result.h"

namespace cairn::app {

/// What seals the file of the master key, and opens it: each a program by its absolute path, and
/// its words. The one gets the text on standard input and writes what the file holds; the other the
/// reverse. Run at the start, and when the key is changed, for at most half a minute.
struct MasterKeyCommands {
  std::vector<std::string> seal = {};
  std::vector<std::string> open = {};
};

/// Errors: invalid_argument: one without the other, or no absolute path.
Status check_master_key_commands(const MasterKeyCommands& commands);

/// Functions that run them; empty ones where none are named. Errors of both: unavailable, with the
/// end of what the program said; too_large.
auth::KeyFileSeal file_seal_of(const MasterKeyCommands& commands);

}  // namespace cairn::app
