// SPDX-License-Identifier: Apache-2.0
// One change of one object that others may be changing too: read, change, put where nobody was
// faster.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::store {

/// What becomes of an object: its new bytes, or nothing where it stays as it is. `current` is null
/// where the key holds nothing. May be asked again when another writer was faster, so the answer
/// must depend on `current` only.
using Change = std::function<Result<std::optional<std::string>>(const Object* current)>;

/// Changes the object at `key`; gives what it is then, or nothing where `change` left it as it is.
/// Errors: those of `change` and of the store; conflict where others kept changing it.
Result<std::optional<ObjectInfo>> update(Store& store, std::string_view key, const Change& change,
                                         const os::Deadline& deadline);

}  // namespace cairn::store
