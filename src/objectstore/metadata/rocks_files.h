// SPDX-License-Identifier: Apache-2.0
// The rocksdb::Env of the engine: files through os::Files, so that fault tests reach RocksDB too.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "objectstore/metadata/metadata_state.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// `state` learns which logs there are and how far they reach. Both outlive what is made here.
std::unique_ptr<rocksdb::Env> rocks_env(os::Files& files, MetadataStateFile& state);

}  // namespace cairn::objectstore
