// SPDX-License-Identifier: Apache-2.0
// The embedded engine as a store::Store: what auth, index and the other rooms keep their bytes in.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "objectstore/engine.h"
#include "store/store.h"

namespace cairn::objectstore {

/// Buckets that every engine has and no request can name.
inline constexpr std::array<std::string_view, 9> reserved_buckets = {
    ".cairn-auth",   ".cairn-connectors", ".cairn-index",  ".cairn-inference", ".cairn-lfs",
    ".cairn-limits", ".cairn-models",     ".cairn-tables", ".cairn-tasks"};

/// The store of one reserved bucket, below `prefix`. The engine outlives it.
/// Errors: not_found for a name that is not in reserved_buckets.
Result<std::unique_ptr<store::Store>> reserved_store(Engine& engine, std::string_view bucket,
                                                     std::string prefix = {});

/// The same, but what it puts is encrypted in that way: bodies lie sealed on the disk, each under a
/// data key of its own; keys, sizes and times lie as they are. It reads whatever is there. The
/// errors of its calls are also those of the engine's KeyRing: a key that is disabled, say.
Result<std::unique_ptr<store::Store>> sealed_store(Engine& engine, std::string_view bucket,
                                                   std::string prefix, const s3::Encryption& how);

/// A store in a bucket of the object service, below `prefix`: what it puts are objects like any
/// other, with an MD5 as their ETag. The engine outlives it. The bucket may be removed and made
/// again meanwhile. Errors: not_found where there is no such bucket now.
Result<std::unique_ptr<store::Store>> bucket_store(Engine& engine, std::string_view bucket,
                                                   std::string prefix = {});

}  // namespace cairn::objectstore
