// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/rocks_kv.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "objectstore/metadata/rocks_files.h"
#include "objectstore/metadata/row_cache.h"
#include "objectstore/metadata/write_groups.h"
#include "os/blocking.h"
#include "os/log.h"

namespace cairn::objectstore {
namespace {

constexpr std::array<const char*, table_count> table_names = {"default", "objects", "bodies",
                                                              "references", "versions"};

constexpr std::uint64_t flush_at_close_bytes = 4 << 20;

Error error_of(const rocksdb::Status& status, std::string_view doing) {
  ErrorKind kind = ErrorKind::internal;
  if (status.IsNoSpace())
    kind = ErrorKind::storage_full;
  else if (status.IsCorruption())
    kind = ErrorKind::corrupt;
  else if (status.IsBusy() || status.IsTryAgain() || status.IsShutdownInProgress())
    kind = ErrorKind::unavailable;
  return {.kind = kind, .message = std::string(doing) + ": " + status.ToString()};
}

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
std::string_view bytes_of_slice(const rocksdb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

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
  out.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  out.max_total_wal_size = 4 * options.write_buffer_bytes;  // bounds the replay at start
  out.db_write_buffer_size = 2 * options.write_buffer_bytes;
  out.paranoid_checks = true;
  out.max_open_files = 1024;
  out.skip_stats_update_on_db_open = true;
  out.skip_checking_sst_file_sizes_on_db_open = true;
  out.stats_dump_period_sec = 0;
  out.stats_persist_period_sec = 0;
  out.avoid_unnecessary_blocking_io = true;
  out.allow_concurrent_memtable_write = false;  // there is one writer at a time: WriteGroups
  out.max_bgerror_resume_count = 0;             // recover() does it
  return out;
}

class Database final : public RocksKv {
 public:
  Database(os::Files& files, std::string path, const KvOptions& options)
      : path_(std::move(path)),
        env_(rocks_env(files)),
        options_(database_options(env_.get(), options)),
        rows_(options.row_cache_bytes) {
    const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
    for (std::size_t i = 0; i < table_count; ++i) {
      tables_.emplace_back(table_names[i], table_options(static_cast<Table>(i), options, cache));
    }
    options_.listeners.push_back(std::make_shared<Listener>(*this));
  }
  ~Database() override {
    flush();
    close();
  }

  /// `writable` false: to look only, which asks nothing of a disk that does not take writes.
  Status open_now(bool writable = true) {
    rocksdb::DB* db = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto status = writable
                            ? rocksdb::DB::Open(options_, path_, tables_, &handles, &db)
                            : rocksdb::DB::OpenForReadOnly(options_, path_, tables_, &handles, &db);
    if (!status.ok()) return error_of(status, "open the metadata in [" + path_ + "]");
    db_.reset(db);
    for (std::size_t i = 0; i < table_count; ++i) handles_[i] = handles[i];
    return ok_status();
  }

  Result<bool> get(Table table, std::string_view key, std::string& value) override {
    const std::shared_lock lock(gate_);
    if (!db_) return closed();
    RowCache::Miss miss;
    const bool cached = is_cached(table);
    if (cached && rows_.find(number(table), key, value, miss)) return true;
    rocksdb::PinnableSlice found(&value);
    const auto status = db_->Get(rocksdb::ReadOptions(), handle(table), slice(key), &found);
    if (status.IsNotFound()) return false;
    if (!status.ok()) return error_of(status, "read metadata");
    if (found.IsPinned()) value.assign(found.data(), found.size());
    if (cached) rows_.keep(number(table), key, value, miss);
    return true;
  }

  Status write(const KvBatch& batch) override {
    const std::shared_lock lock(gate_);
    if (!db_) return closed();
    if (!healthy()) return refusal();
    RowCache::Write changed(rows_);
    for (const auto& step : steps_of(batch))
      if (is_cached(step.table)) changed.changes(number(step.table), step.key);
    const os::Blocking waiting;
    rocksdb::Status added;
    const auto status =
        groups_.commit([&](rocksdb::WriteBatch& rows) { return added = add(batch, rows); });
    if (status.ok()) return ok_status();
    if (!added.ok()) return error_of(added, "prepare metadata");  // nothing was written
    fail(status);
    return error_of(status, "write metadata");
  }

  Result<std::unique_ptr<KvCursor>> cursor(Table table, std::string end) override;

  std::uint64_t cursor_steps() const override { return steps_.load(std::memory_order_relaxed); }
  bool healthy() const override { return healthy_.load(std::memory_order_acquire); }

  Status recover() override {
    const os::Blocking waiting;
    const std::unique_lock lock(gate_);
    close();
    rows_.clear();  // of a failed write nobody knows what the next look will find
    if (Status opened = open_now(); !opened.ok()) {
      (void)open_now(false).ok();  // reads go on meanwhile
      return opened;
    }
    healthy_.store(true, std::memory_order_release);
    return ok_status();
  }

 private:
  class Cursor;

  class Listener final : public rocksdb::EventListener {
   public:
    explicit Listener(Database& database) : database_(database) {}
    void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override {
      database_.fail(*status);
    }
    void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status,
                              bool* automatic) override {
      *automatic = false;
    }

   private:
    Database& database_;
  };

  /// Writes what memory holds to tables, so that the next start has no long log to read back.
  /// Nothing depends on it.
  void flush() {
    std::uint64_t bytes = 0;
    if (!db_ || !healthy()) return;
    (void)db_->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
    if (bytes < flush_at_close_bytes) return;
    (void)db_->Flush(rocksdb::FlushOptions(), {handles_.begin(), handles_.end()});
  }

  void close() {
    for (auto*& table : handles_) {
      if (table != nullptr) (void)db_->DestroyColumnFamilyHandle(table);
      table = nullptr;
    }
    if (db_) rocksdb::CancelAllBackgroundWork(db_.get(), true);
    db_.reset();
  }

  rocksdb::ColumnFamilyHandle* handle(Table table) const {
    return handles_[static_cast<std::size_t>(table)];
  }

  rocksdb::Status add(const KvBatch& batch, rocksdb::WriteBatch& rows) const {
    for (const auto& step : steps_of(batch)) {
      const std::string_view value = step.view.data() != nullptr ? step.view : step.owned;
      const auto status = step.puts ? rows.Put(handle(step.table), slice(step.key), slice(value))
                                    : rows.Delete(handle(step.table), slice(step.key));
      if (!status.ok()) return status;
    }
    return rocksdb::Status::OK();
  }

  rocksdb::Status write_group(rocksdb::WriteBatch& rows) {
    rocksdb::WriteOptions durable;
    durable.sync = true;
    return db_->Write(durable, &rows);
  }

  static unsigned number(Table table) { return static_cast<unsigned>(table); }
  /// What each GET reads.
  static bool is_cached(Table table) { return table == Table::objects || table == Table::bodies; }

  void fail(const rocksdb::Status& status) {
    if (status.IsShutdownInProgress()) return;
    {
      const std::lock_guard lock(failure_mutex_);
      if (!healthy_.load()) return;
      failure_ = error_of(status, "metadata are read-only since a failed write");
      healthy_.store(false, std::memory_order_release);
    }
    os::log(os::LogLevel::error, "objectstore", "writes_stopped", {{"reason", status.ToString()}});
  }

  Error refusal() const {
    const std::lock_guard lock(failure_mutex_);
    Error error = failure_;
    if (error.kind != ErrorKind::storage_full) error.kind = ErrorKind::unavailable;
    return error;
  }

  static Error closed() {
    return {.kind = ErrorKind::unavailable, .message = "the metadata are being opened again"};
  }

  const std::string path_;
  const std::unique_ptr<rocksdb::Env> env_;
  rocksdb::DBOptions options_;
  std::vector<rocksdb::ColumnFamilyDescriptor> tables_;
  RowCache rows_;

  std::shared_mutex gate_;  // shared: db_ is in use; exclusive: it is being replaced
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, table_count> handles_ = {};
  WriteGroups groups_{[this](rocksdb::WriteBatch& rows) { return write_group(rows); }};

  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<bool> healthy_ = true;
  mutable std::mutex failure_mutex_;
  Error failure_;
};

class Database::Cursor final : public KvCursor {
 public:
  Cursor(Database& database, std::shared_lock<std::shared_mutex> lock, Table table, std::string end)
      : database_(database), lock_(std::move(lock)), end_(std::move(end)), bound_(slice(end_)) {
    rocksdb::ReadOptions options;
    if (!end_.empty()) options.iterate_upper_bound = &bound_;
    iterator_.reset(database.db_->NewIterator(options, database.handle(table)));
  }
  ~Cursor() override { database_.steps_.fetch_add(steps_, std::memory_order_relaxed); }
  void seek(std::string_view key) override {
    ++steps_;
    iterator_->Seek(slice(key));
  }
  void next() override {
    ++steps_;
    iterator_->Next();
  }
  bool valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return bytes_of_slice(iterator_->key()); }
  std::string_view value() const override { return bytes_of_slice(iterator_->value()); }
  Status status() const override {
    const auto status = iterator_->status();
    return status.ok() ? ok_status() : error_of(status, "walk metadata");
  }

 private:
  Database& database_;
  std::uint64_t steps_ = 0;
  std::shared_lock<std::shared_mutex> lock_;
  std::string end_;
  rocksdb::Slice bound_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

Result<std::unique_ptr<KvCursor>> Database::cursor(Table table, std::string end) {
  std::shared_lock lock(gate_);
  if (!db_) return closed();
  return std::unique_ptr<KvCursor>(
      std::make_unique<Cursor>(*this, std::move(lock), table, std::move(end)));
}

}  // namespace

Result<std::unique_ptr<RocksKv>> RocksKv::open(os::Files& files, std::string path,
                                               const KvOptions& options) {
  auto database = std::make_unique<Database>(files, std::move(path), options);
  CAIRN_CHECK(database->open_now());
  return std::unique_ptr<RocksKv>(std::move(database));
}

}  // namespace cairn::objectstore
