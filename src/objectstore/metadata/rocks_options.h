// SPDX-License-Identifier: Apache-2.0
// How RocksDB is set for the engine's rows, and where it logs.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include <memory>

#include "objectstore/metadata/rocks_kv.h"

namespace cairn::objectstore {

rocksdb::ColumnFamilyOptions table_options(Table table, const KvOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache);
/// `env` outlives the database. Warnings and errors of RocksDB go to the log of the process.
rocksdb::DBOptions database_options(rocksdb::Env* env, const KvOptions& options);

}  // namespace cairn::objectstore
