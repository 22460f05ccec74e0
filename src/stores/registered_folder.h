// SPDX-License-Identifier: Apache-2.0
// A folder store that knows whether its folder is the one it was made in: a disk that is not
// mounted is an error then, and no empty store.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace cairn::stores {

/// The folder_store() that was made in `folder` before; opens without looking. Each call looks
/// whether it lies there now, and what lies there is never made. A folder that went away and comes
/// back is used again.
/// Errors of every call where it is not there: unavailable, with the code repository_exception.
std::unique_ptr<store::Store> registered_folder(std::string folder);

}  // namespace cairn::stores
