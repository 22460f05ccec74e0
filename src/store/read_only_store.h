// SPDX-License-Identifier: Apache-2.0
// A store to those who must not change it.
#pragma once

#include <memory>

#include "store/store.h"

namespace cairn::store {

/// Reads from `store`, which must outlive it. Changes are errors (permission_denied) and reach
/// nothing.
std::unique_ptr<Store> read_only_store(Store& store);

}  // namespace cairn::store
