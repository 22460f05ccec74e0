// SPDX-License-Identifier: Apache-2.0
// The rocksdb::Env of the engine: files through os::Files, so that fault tests reach RocksDB too.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "os/files.h"

namespace cairn::objectstore {

/// `files` outlives what is made here.
std::unique_ptr<rocksdb::Env> rocks_env(os::Files& files);

}  // namespace cairn::objectstore
