// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/rocks_options.h"

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <cstdarg>
#include <cstdio>
#include <string_view>

#include "os/log.h"

namespace cairn::objectstore {
namespace {

/// Warnings and errors of RocksDB go to the log of the process.
class LogOfRocks final : public rocksdb::Logger {
 public:
  LogOfRocks() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}
  using Logger::Logv;
  void Logv(const char* format, std::va_list arguments) override {
    write(os::LogLevel::debug, format, arguments);
  }
  void Logv(const rocksdb::InfoLogLevel level, const char* format,
            std::va_list arguments) override {
    if (level < GetInfoLogLevel()) return;
    // Its warnings tell of stalls, many times a second when it is busy.
    write(level >= rocksdb::InfoLogLevel::ERROR_LEVEL ? os::LogLevel::error : os::LogLevel::debug,
          format, arguments);
  }

 private:
  static void write(os::LogLevel level, const char* format, std::va_list arguments) {
    char text[512];
    std::vsnprintf(text, sizeof text, format, arguments);
    os::log(level, "objectstore", "rocksdb", {{"message", std::string_view(text)}});
  }
};

}  // namespace

rocksdb::ColumnFamilyOptions table_options(Table table, const KvOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions out;
  out.write_buffer_size = options.write_buffer_bytes;
  out.max_write_buffer_number = 4;
  // At the bottom too: a page of a listing would spend a fifth of its time on zstd.
  out.compression = rocksdb::kLZ4Compression;
  out.level_compaction_dynamic_level_bytes = true;
  // Stalls in 7.8 can hang (mended in 8.7): the triggers stand far from where compaction lives.
  out.level0_slowdown_writes_trigger = 40;
  out.level0_stop_writes_trigger = 64;
  out.target_file_size_base = 32 << 20;
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.cache_index_and_filter_blocks = true;
  blocks.pin_l0_filter_and_index_blocks_in_cache = true;
  blocks.block_size = table == Table::bodies ? 16 << 10 : 4 << 10;
  blocks.format_version = 5;
  blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // In parts of a block each: the index of a whole file is half a megabyte, which the cache does
  // not keep for every file of a large store.
  blocks.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  blocks.partition_filters = true;
  blocks.metadata_block_size = 4 << 10;
  out.optimize_filters_for_hits = table == Table::bodies;  // a record says that the body is there
  out.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  return out;
}

rocksdb::DBOptions database_options(rocksdb::Env* env, const KvOptions& options) {
  rocksdb::DBOptions out;
  out.env = env;
  out.create_if_missing = true;
  out.create_missing_column_families = true;
  out.info_log = std::make_shared<LogOfRocks>();
  out.max_background_jobs = 2;
  // What is damaged is found before RocksDB reads it (check_metadata): what is left is torn.
  out.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  out.max_total_wal_size = 4 * options.write_buffer_bytes;  // bounds the replay at start
  out.db_write_buffer_size = 2 * options.write_buffer_bytes;
  out.paranoid_checks = true;
  out.max_open_files = 1024;
  out.skip_stats_update_on_db_open = true;
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  out.avoid_unnecessary_blocking_io = true;
  out.allow_concurrent_memtable_write = false;  // there is one writer at a time: WriteGroups
  out.max_bgerror_resume_count = 0;             // recover() does it
  return out;
}

}  // namespace cairn::objectstore
