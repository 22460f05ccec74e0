// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/rocks_kv.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/listener.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "base/bytes.h"
#include "base/strings.h"
#include "objectstore/metadata/metadata_mirror.h"
#include "objectstore/metadata/rocks_files.h"
#include "objectstore/metadata/rocks_options.h"
#include "objectstore/metadata/row_cache.h"
#include "objectstore/metadata/write_groups.h"
#include "os/log.h"
#include "os/mirror/mirror_copy.h"
#include "os/mirror/mirrored_files.h"
#include "os/threads/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::array<const char*, table_count> table_names = {"default", "objects", "bodies",
                                                              "references", "versions"};

constexpr std::string_view starts_row = "starts";

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

class Database final : public RocksKv {
 public:
  Database(os::Files& files, std::string path, const KvOptions& options)
      : files_(files),
        mirror_(os::sides_of(files)),
        path_(std::move(path)),
        state_(files, metadata_state_path(path_)),
        env_(rocks_env(files, state_)),
        options_(database_options(env_.get(), options)),
        rows_(options.row_cache_bytes) {
    const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
    for (std::size_t i = 0; i < table_count; ++i) {
      tables_.emplace_back(table_names[i], table_options(static_cast<Table>(i), options, cache));
    }
    options_.listeners.push_back(std::make_shared<Listener>(*this));
  }
  ~Database() override {
    const bool flushed = flush();
    close();
    if (flushed) note_clean();
  }

  Status start() {
    if (mirror_ != nullptr) CAIRN_CHECK(align_metadata(*mirror_, path_));
    CAIRN_CHECK(load_state());
    opening_.is_new = !state_.state().has_database;
    opening_.was_clean = state_.state().clean;
    CAIRN_CHECK(open_checked());
    return count_start();
  }

  Status look() {
    looks_only_ = true;
    options_.create_if_missing = false;
    return open_now(false);
  }

  KvOpening opening() const override { return opening_; }
  Status verify_tables(const std::function<void(const FileFault&)>& on_fault) override;
  std::optional<FileFault> fault_of_table(const std::string& name) const;
  Result<bool> mend_table(const std::string& name) override;
  std::vector<std::string> tables() override {
    const std::shared_lock lock(gate_);
    std::vector<rocksdb::LiveFileMetaData> live;
    if (db_) db_->GetLiveFilesMetaData(&live);
    std::vector<std::string> names;
    for (const auto& table : live)
      names.push_back(table.name.substr(table.name.find_first_not_of('/')));
    return names;
  }
  Error with_table_named(Error error) const;

  /// `writable` false: to look only, which asks nothing of a disk that does not take writes.
  Status open_now(bool writable = true) {
    rocksdb::DB* db = nullptr;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto open = [&] {
      return writable ? rocksdb::DB::Open(options_, path_, tables_, &handles, &db)
                      : rocksdb::DB::OpenForReadOnly(options_, path_, tables_, &handles, &db);
    };
    const auto status = read_mended(open);
    if (!status.ok())
      return with_table_named(error_of(status, "open the metadata in [" + path_ + "]"));
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
    const auto read = [&] {
      return db_->Get(rocksdb::ReadOptions(), handle(table), slice(key), &found);
    };
    const auto status = read_mended(read);
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

  Result<std::unique_ptr<FrozenFiles>> freeze(
      const std::function<Status()>& at_that_moment) override;

  Status recover() override {
    const os::Blocking waiting;
    const std::unique_lock lock(gate_);
    const std::string failure = [this] {
      const std::lock_guard failure_lock(failure_mutex_);
      return failure_.message;
    }();
    close();
    ++openings_;
    if (mirror_ != nullptr) {
      mend_tables(failure);
      CAIRN_CHECK(align_metadata(*mirror_, path_));
    }
    rows_.clear();  // of a failed write nobody knows what the next look will find
    if (Status opened = open_checked(); !opened.ok()) {
      (void)open_now(false).ok();  // reads go on meanwhile
      return opened;
    }
    healthy_.store(true, std::memory_order_release);
    return ok_status();
  }

 private:
  class Cursor;
  class Frozen;

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

  Status load_state() {
    auto known = read_metadata_state(files_, path_);
    if (!known.ok() && known.error().kind != ErrorKind::not_found) return known.error();
    has_state_ = known.ok();
    if (known.ok()) state_.load(std::move(*known));
    return ok_status();
  }

  /// Judges the files, and opens them where they are whole.
  Status open_checked() {
    const auto known = has_state_ ? std::optional(state_.state()) : std::nullopt;
    CAIRN_TRY(const MetadataFindings found, check_metadata(files_, path_, known));
    for (const FileFault& fault : found.faults)
      os::log(fault.stops_start ? os::LogLevel::error : os::LogLevel::warn, "objectstore",
              "damaged_file",
              {{"file", fault.file},
               {"offset", static_cast<std::int64_t>(fault.offset)},
               {"reason", fault.reason}});
    for (const FileFault& fault : found.faults)
      if (fault.stops_start) return error_of(fault);
    // The state learns of an end before the bytes behind it go: power may fail in between.
    CAIRN_CHECK(state_.change([&](MetadataState& state) { begin(found, state); }));
    opening_.was_cut_short = state_.state().cut_short;
    if (found.torn) CAIRN_CHECK(cut_torn_tail(*found.torn));
    if (found.torn_manifest) CAIRN_CHECK(cut_torn_tail(*found.torn_manifest));
    options_.create_if_missing = known ? !known->has_database : true;
    CAIRN_CHECK(open_now());
    Status noted = ok_status();
    CAIRN_CHECK(state_.change([&](MetadataState& state) {
      noted = note_fixed_files(files_, path_, state);
      state.has_database = true;
    }));
    has_state_ = true;
    return noted;
  }

  /// From here on files change: nothing is said of them any more but how far logs reach.
  void begin(const MetadataFindings& found, MetadataState& state) const {
    state.clean = false;
    if (found.torn || found.torn_manifest) state.cut_short = true;
    state.fixed.clear();
    state.tables.clear();
    if (found.torn)
      state.growing[found.torn->name] = {.least_bytes = found.torn->whole_bytes, .closed = true};
    for (const FileFault& fault : found.faults)
      state.growing.erase(fault.file.substr(path_.size() + 1));
  }

  /// Bytes behind the last whole group: their sync never came back, so nobody was promised them.
  Status cut_torn_tail(const TornTail& tail) {
    CAIRN_TRY(const auto file, files_.open(tail.file, os::OpenMode::read_write));
    CAIRN_TRY(const std::uint64_t size, file->size());
    CAIRN_CHECK(file->truncate(tail.whole_bytes));
    CAIRN_CHECK(file->sync_all());
    os::log(os::LogLevel::warn, "objectstore", "torn_tail",
            {{"file", tail.file},
             {"offset", static_cast<std::int64_t>(tail.whole_bytes)},
             {"file_bytes", static_cast<std::int64_t>(size)},
             {"reason",
              "a crash cut the last write, which was not acknowledged; extents without "
              "a reference are kept until the start after the next orderly stop"}});
    return ok_status();
  }

  Result<std::uint64_t> starts_in_rows() {
    std::string value;
    CAIRN_TRY(const bool found, get(Table::system, starts_row, value));
    if (!found) return std::uint64_t{0};
    return ByteReader(value).u64le().value_or(0);
  }

  Status write_starts(std::uint64_t starts) {
    std::string value;
    put_u64le(value, starts);
    KvBatch batch;
    batch.put(Table::system, std::string(starts_row), std::move(value));
    return write(batch);
  }

  /// The rows and the file beside them count together: a folder that was put together from copies
  /// of different moments is told by that.
  Status count_start() {
    CAIRN_TRY(const std::uint64_t rows, starts_in_rows());
    const std::uint64_t file = state_.state().starts;
    const bool fits = rows == file || (!opening_.was_clean && rows + 1 == file);
    if (!fits && file != 0)
      return Error{.kind = ErrorKind::corrupt,
                   .message = "[" + path_ + "] is of start " + std::to_string(rows) + " and [" +
                              metadata_state_path(path_) + "] of start " + std::to_string(file) +
                              ": they are copies of different moments; restore both from the same"};
    CAIRN_CHECK(state_.change([&](MetadataState& state) { state.starts = rows + 1; }));
    return write_starts(rows + 1);
  }

  /// Writes what memory holds to tables, so that the next start has no log to read back, and the
  /// loss of the log loses nothing. False where that did not work.
  bool flush() {
    if (!db_ || !healthy() || !has_state_ || looks_only_) return false;
    const auto flushed = db_->Flush(rocksdb::FlushOptions(), {handles_.begin(), handles_.end()});
    // One row that stands elsewhere too: damage of the log is told by what is in it.
    const Status last = flushed.ok() ? write_starts(state_.state().starts) : ok_status();
    if (flushed.ok() && last.ok()) return true;
    os::log(os::LogLevel::warn, "objectstore", "stopped_with_a_log_to_replay",
            {{"reason", flushed.ok() ? last.error().message : flushed.ToString()}});
    return false;
  }

  void note_clean() {
    Status noted = ok_status();
    const Status saved = state_.change([&](MetadataState& state) {
      MetadataState clean = state;
      noted = note_files(files_, path_, clean);
      clean.cut_short = false;
      if (noted.ok()) state = std::move(clean);
    });
    if (!noted.ok() || !saved.ok())
      os::log(os::LogLevel::warn, "objectstore", "files_not_noted",
              {{"reason", noted.ok() ? saved.error().message : noted.error().message}});
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
      std::string numbered;
      if (step.numbers != nullptr) {
        numbered = step.key;
        put_u64be(numbered, step.numbers->take());
      }
      const std::string& key = step.numbers != nullptr ? numbered : step.key;
      const auto status = step.puts ? rows.Put(handle(step.table), slice(key), slice(value))
                                    : rows.Delete(handle(step.table), slice(key));
      if (!status.ok()) return status;
    }
    return rocksdb::Status::OK();
  }

  rocksdb::Status write_group(rocksdb::WriteBatch& rows) {
    const std::lock_guard lock(writes_mutex_);
    rocksdb::WriteOptions durable;
    durable.sync = true;
    return db_->Write(durable, &rows);
  }

  /// Reads, and again for each damaged table that the other folder of the mirror made whole.
  template <class Read>
  rocksdb::Status read_mended(const Read& read) {
    auto status = read();
    for (std::string before; mirror_ != nullptr && status.IsCorruption(); status = read()) {
      if (status.ToString() == before || !mend_tables(status.ToString())) break;
      before = status.ToString();
    }
    return status;
  }
  bool mend_tables(const std::string& message);
  std::optional<FileFault> fault_of_table_at(rocksdb::Env* env, const std::string& path) const;

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

  os::Files& files_;
  os::MirrorSides* const mirror_;  // null: the files lie once
  std::mutex mending_mutex_;
  const std::string path_;
  MetadataStateFile state_;
  bool has_state_ = false;
  bool looks_only_ = false;
  KvOpening opening_;
  const std::unique_ptr<rocksdb::Env> env_;
  rocksdb::DBOptions options_;
  std::vector<rocksdb::ColumnFamilyDescriptor> tables_;
  RowCache rows_;

  std::shared_mutex gate_;      // shared: db_ is in use; exclusive: it is being replaced
  std::uint64_t openings_ = 0;  // guarded by gate_
  std::mutex writes_mutex_;     // held while a group is written, or while nobody may write
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
    if (database_.mirror_ != nullptr) seek_mended(key);
  }
  void next() override {
    ++steps_;
    if (database_.mirror_ == nullptr) return iterator_->Next();
    const std::string before(key());
    iterator_->Next();
    if (iterator_->Valid() || iterator_->status().ok()) return;
    seek_mended(before);
    if (iterator_->Valid() && key() == before) iterator_->Next();
  }
  bool valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return bytes_of_slice(iterator_->key()); }
  std::string_view value() const override { return bytes_of_slice(iterator_->value()); }
  Status status() const override {
    const auto status = iterator_->status();
    return status.ok() ? ok_status() : error_of(status, "walk metadata");
  }

 private:
  /// Where a table is damaged: goes there again once it is whole, in the state of then.
  void seek_mended(std::string_view key) {
    bool again = false;
    (void)database_.read_mended([&] {
      if (std::exchange(again, true)) {
        iterator_->Refresh().PermitUncheckedError();
        iterator_->Seek(slice(key));
      }
      return iterator_->status();
    });
  }

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

class Database::Frozen final : public FrozenFiles {
 public:
  /// With the gate held, and file deletions disabled: they are enabled again at the end.
  explicit Frozen(Database& database) : database_(database), opening_(database.openings_) {}
  ~Frozen() override {
    const std::shared_lock lock(database_.gate_);
    if (!is_same()) return;  // a database that was opened again deletes what it likes
    const auto enabled = database_.db_->EnableFileDeletions(false);
    if (!enabled.ok())
      os::log(os::LogLevel::warn, "objectstore", "file_deletions_stay_off",
              {{"reason", enabled.ToString()}});
  }

  Status fill() {
    std::vector<std::string> names;
    std::uint64_t manifest_bytes = 0;
    const auto listed = database_.db_->GetLiveFiles(names, &manifest_bytes, false);
    if (!listed.ok()) return error_of(listed, "list the files of the metadata");
    const auto named = database_.db_->GetDbIdentity(id_);
    if (!named.ok()) return error_of(named, "identify the metadata");
    starts_ = database_.state_.state().starts;
    for (const std::string& given : names) {
      const std::string name = given.substr(given.find_first_not_of('/'));
      if (name == "CURRENT") continue;
      const bool grows = name.starts_with("MANIFEST");
      if (grows) current_ = name + "\n";
      CAIRN_TRY(const os::FileInfo info, database_.files_.info(path_of(name)));
      files_.push_back({name, grows ? manifest_bytes : info.size_bytes});
    }
    files_.push_back({"CURRENT", current_.size()});
    return ok_status();
  }

  const std::vector<File>& files() const override { return files_; }
  const std::string& database_id() const override { return id_; }
  std::uint64_t starts() const override { return starts_; }

  Result<std::string> read(const File& file, std::uint64_t offset, std::size_t count) override {
    // The one on the disk may name a newer MANIFEST by now.
    if (file.name == "CURRENT") return current_.substr(offset, count);
    CAIRN_TRY(const auto open, database_.files_.open(path_of(file.name), os::OpenMode::read));
    {  // what was opened while they are kept stays readable
      const std::shared_lock lock(database_.gate_);
      if (!is_same())
        return Error{.kind = ErrorKind::unavailable,
                     .message =
                         "the metadata were opened again after a failed write, and what was "
                         "being copied of them is gone; begin the copy again"};
    }
    std::string bytes(
        static_cast<std::size_t>(std::min<std::uint64_t>(count, file.size_bytes - offset)), '\0');
    CAIRN_TRY(const std::size_t got, open->read_at(offset, bytes.data(), bytes.size()));
    if (got != bytes.size())
      return Error{.kind = ErrorKind::corrupt,
                   .message = "[" + path_of(file.name) + "] ends at " +
                              std::to_string(offset + got) + " and should have " +
                              std::to_string(file.size_bytes) + " bytes"};
    return bytes;
  }

 private:
  bool is_same() const { return database_.openings_ == opening_ && database_.db_ != nullptr; }
  std::string path_of(const std::string& name) const { return database_.path_ + "/" + name; }

  Database& database_;
  const std::uint64_t opening_;
  std::vector<File> files_;
  std::string current_;
  std::string id_;
  std::uint64_t starts_ = 0;
};

Result<std::unique_ptr<FrozenFiles>> Database::freeze(
    const std::function<Status()>& at_that_moment) {
  const os::Blocking waiting;
  std::shared_lock lock(gate_);
  if (!db_) return closed();
  if (!healthy()) return refusal();
  const auto flush_tables = [&] {
    const auto flushed = db_->Flush(rocksdb::FlushOptions(), {handles_.begin(), handles_.end()});
    return flushed.ok() ? ok_status() : Status(error_of(flushed, "write tables of the metadata"));
  };
  CAIRN_CHECK(flush_tables());  // most of it while others write
  const std::lock_guard pause(writes_mutex_);
  CAIRN_CHECK(flush_tables());
  if (const auto kept = db_->DisableFileDeletions(); !kept.ok())
    return error_of(kept, "keep the files of the metadata");
  auto frozen = std::make_unique<Frozen>(*this);
  Status filled = frozen->fill();
  if (filled.ok()) filled = at_that_moment();
  if (filled.ok()) return std::unique_ptr<FrozenFiles>(std::move(frozen));
  lock.unlock();  // the end of `frozen` takes it
  frozen.reset();
  return filled.error();
}

/// The number behind " offset " in what RocksDB says.
std::uint64_t offset_in(const std::string& message) {
  constexpr std::string_view mark = " offset ";
  const std::size_t at = message.find(mark);
  if (at == std::string::npos) return 0;
  std::size_t end = at + mark.size();
  while (end < message.size() && message[end] >= '0' && message[end] <= '9') ++end;
  const std::string_view digits = std::string_view(message).substr(at + mark.size());
  return parse_number<std::uint64_t>(digits.substr(0, end - at - mark.size())).value_or(0);
}

std::optional<FileFault> Database::fault_of_table(const std::string& name) const {
  return fault_of_table_at(env_.get(), path_ + "/" + name);
}

std::optional<FileFault> Database::fault_of_table_at(rocksdb::Env* env,
                                                     const std::string& path) const {
  rocksdb::Options options(options_, tables_[0].options);
  options.env = env;
  rocksdb::SstFileReader reader(options);
  auto status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  if (status.ok()) return std::nullopt;
  const std::string message = status.ToString();
  return FileFault{.file = path,
                   .offset = offset_in(message),
                   .reason = message,
                   .advice = "restore it, or the folder, from a copy"};
}

Status Database::verify_tables(const std::function<void(const FileFault&)>& on_fault) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  for (const auto& table : live)
    if (const auto fault = fault_of_table(table.name.substr(table.name.find_first_not_of('/'))))
      on_fault(*fault);
  return ok_status();
}

/// The name of the table that RocksDB speaks of; empty where it names none.
std::string table_in(const std::string& message) {
  const std::size_t end = message.find(".sst");
  if (end == std::string::npos) return {};
  std::size_t begin = end;
  while (begin > 0 && message[begin - 1] >= '0' && message[begin - 1] <= '9') --begin;
  return begin == end ? std::string() : message.substr(begin, end - begin) + ".sst";
}

Result<bool> Database::mend_table(const std::string& name) {
  if (mirror_ == nullptr || !mirror_->both_whole())
    return Error{.kind = ErrorKind::corrupt, .message = "there is no other whole folder"};
  const std::lock_guard lock(mending_mutex_);
  const std::string path = path_ + "/" + name;
  const auto env = rocks_env(mirror_->below(), state_);
  std::array<std::optional<FileFault>, 2> faults;
  for (const int side : {0, 1})
    faults[static_cast<std::size_t>(side)] = fault_of_table_at(env.get(), mirror_->on(side, path));
  if (!faults[0] && !faults[1]) return false;
  if (faults[0] && faults[1])
    return error_of(*faults[static_cast<std::size_t>(mirror_->reading())]);
  const int target = faults[0] ? 0 : 1;
  {
    const auto stopped = mirror_->stop_changes();
    if (!mirror_->below().info(mirror_->on(1 - target, path)).ok())
      return false;  // deleted meanwhile
  }
  const Status mended = os::copy_into(*mirror_, target, path, {});
  if (mended.ok()) return true;
  if (!os::is_of_side(mended.error())) return mended.error();
  CAIRN_CHECK(mirror_->put_aside(target, mended.error().message));
  return true;
}

/// Of the table that the message names, or of all.
bool Database::mend_tables(const std::string& message) {
  if (!mirror_->both_whole()) return false;
  if (const std::string name = table_in(message); !name.empty()) return mend_table(name).ok();
  if (message.find("Corruption") == std::string::npos) return false;
  const auto names = files_.list(path_);
  bool all = names.ok();
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>())
    if (name.ends_with(".sst")) all = mend_table(name).ok() && all;
  return all;
}

/// RocksDB says which MANIFEST it was reading, where a table is what does not read.
Error Database::with_table_named(Error error) const {
  if (error.kind != ErrorKind::corrupt) return error;
  const auto names = files_.list(path_);
  if (!names.ok()) return error;
  for (const std::string& name : *names)
    if (const auto fault = name.ends_with(".sst") ? fault_of_table(name) : std::nullopt)
      return error_of(*fault);
  // A table that is missing is looked for under an older ending, and that one is told.
  constexpr std::string_view older = ".ldb]";
  if (const auto at = error.message.find(older); at != std::string::npos)
    error.message.replace(at, older.size(), ".sst]");
  return error;
}

}  // namespace

Result<std::unique_ptr<RocksKv>> RocksKv::open(os::Files& files, std::string path,
                                               const KvOptions& options) {
  auto database = std::make_unique<Database>(files, std::move(path), options);
  CAIRN_CHECK(database->start());
  return std::unique_ptr<RocksKv>(std::move(database));
}

Result<std::unique_ptr<RocksKv>> RocksKv::open_to_look(os::Files& files, std::string path,
                                                       const KvOptions& options) {
  auto database = std::make_unique<Database>(files, std::move(path), options);
  CAIRN_CHECK(database->look());
  return std::unique_ptr<RocksKv>(std::move(database));
}

}  // namespace cairn::objectstore
