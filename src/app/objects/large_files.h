// SPDX-License-Identifier: Apache-2.0
// Large files on top of the object service: whose bucket it is, which key signs, and the handlers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "api/router.h"
#include "auth/secrets/object_keys.h"
#include "lfs/service.h"
#include "objectstore/engine.h"
#include "s3api/service.h"

namespace cairn::app {

/// A pair of the administrator's account that is in no store and lives as long as the process; URLs
/// that it signed are void after a restart, and clients ask again. What it signs counts as
/// nobody's.
auth::ObjectKey large_files_key(const auth::ObjectKeys& keys);

/// Finds `key` too, besides all that `find` does.
s3api::FindKey with_key(s3api::FindKey find, const auth::ObjectKey& key);

/// The bucket `lfs` of the engine, which outlives what is returned; made on demand for the account
/// of `key`. Errors of the call: conflict where the bucket belongs to another account.
lfs::OpenBucket large_files_bucket(objectstore::Engine& engine, const auth::ObjectKey& key);

/// The rows of large files with their handlers. The service outlives the router.
void add_large_file_routes(api::Router& router, api::ServiceRef<const lfs::Service> service);

}  // namespace cairn::app
