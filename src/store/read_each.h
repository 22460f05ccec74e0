// SPDX-License-Identifier: Apache-2.0
// Reading many objects from a store that may be far.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::store {

/// Reads every object under a prefix and gives each to `each`, in order and by the calling thread,
/// until that returns an error. Up to 16 are on their way at a time; the bytes of a page of the
/// listing (1,000 objects) are in memory together. What goes meanwhile is passed over. Errors:
/// those of the store and of `each`.
Status read_each(Store& store, std::string_view prefix, const os::Deadline& deadline,
                 const std::function<Status(Object& object)>& each);

}  // namespace cairn::store
