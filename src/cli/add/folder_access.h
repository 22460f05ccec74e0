// SPDX-License-Identifier: Apache-2.0
// Whether the server may read a folder of this machine, and letting it.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "cli/connection.h"

namespace cairn::cli {

struct FolderAccess {
  bool server_reads = false;
  std::string why_not = {};  // for people, where it does not
};

/// Asks a person; false is a no. Errors: invalid_argument where there is nobody to ask.
using AskPerson = std::function<Result<bool>(const std::string& question)>;

/// Looks whether the server sees the very folder that this process sees and is allowed to read it.
/// Where it is not allowed, asks, and writes the root into conf.d beside the server's
/// configuration, as the user who runs this process; the server takes that over by itself. A root
/// that turns out to be of no use is taken out again. Whoever holds a key of the server cannot do
/// that: only who may write its configuration can. Errors: those of asking the server and the
/// person.
Result<FolderAccess> let_server_read(Connection& connection, const std::string& folder,
                                     const AskPerson& ask);

}  // namespace cairn::cli
