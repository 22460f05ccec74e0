// SPDX-License-Identifier: Apache-2.0
// A rocksdb::FileSystem over os::Files, so that fault tests reach RocksDB too.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "os/files.h"

namespace cairn::objectstore {

/// `files` outlives what is made here.
std::shared_ptr<rocksdb::FileSystem> rocks_files(os::Files& files);

}  // namespace cairn::objectstore
