// SPDX-License-Identifier: Apache-2.0
// Changes whose answer may be lost: made, looked for, made again, until it is known what happened.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "remotestore/wire.h"
#include "store/store.h"

namespace cairn::remotestore {

/// A put or a completion on its way.
struct Change {
  std::string name;
  std::string mark;  // hex, in the metadata of what it makes
  store::Condition condition;
};

/// One attempt. `retries`: the client may repeat it; a refusal after that is unclear.
using Attempt = std::function<Answer(bool retries)>;

/// Makes `attempt` until it is done or cannot be. After an unclear answer it looks for the mark:
/// found, it was done; not found and the condition still holds, it is made again; something else
/// there, nobody can know, and the error is unavailable.
/// Gives the etag. Errors: precondition_failed, only where this change was surely not made.
Result<std::string> make_change(Wire& wire, const Change& change, const Attempt& attempt,
                                const os::Deadline& deadline);

/// Removes what has this etag. Errors: precondition_failed, only where this call removed nothing.
Status remove_version(Wire& wire, const std::string& name, const std::string& etag,
                      const os::Deadline& deadline);

}  // namespace cairn::remotestore
