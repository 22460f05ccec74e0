// SPDX-License-Identifier: Apache-2.0
// A store::Store in a plain folder: for snapshot repositories of type `fs`, on a local disk or one
// that several machines mount.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "os/files/files.h"
#include "store/store.h"

namespace cairn::stores {

/// What a folder has that is a store, below its own path.
inline constexpr std::string_view store_mark = "/.cairn-store";

/// The store in `folder`, which is made where it is missing. An object is one file under a name
/// made from its key; its etag comes from the file's time, number and size. What it acknowledged is
/// durable, and a kill leaves old or new bytes, never a mixture. No key and no symbolic link below
/// `folder` leads out of it. Processes that share the folder see each other's changes; conditional
/// changes are judged under a lock file that all take.
///
/// The bytes are not checked against rot here: what needs that brings its own checksums.
Result<std::unique_ptr<store::Store>> folder_store(const std::string& folder);

/// The same through `files`, which outlives the store. For tests.
Result<std::unique_ptr<store::Store>> folder_store(os::Files& files, const std::string& folder);

}  // namespace cairn::stores
