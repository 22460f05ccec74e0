// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/rocks_files.h"

#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>
#include <sys/uio.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "objectstore/metadata/log_file.h"
#include "os/threads/blocking.h"

namespace cairn::objectstore {
namespace {

using os::File;
using os::Files;
using os::OpenMode;
using rocksdb::FileOptions;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::storage_full:
      return IOStatus::NoSpace(error.message);
    case ErrorKind::not_found:
      return IOStatus::PathNotFound(error.message);
    default:
      return IOStatus::IOError(error.message);
  }
}

template <class T>
IOStatus status_of(const Result<T>& result) {
  return result.ok() ? IOStatus::OK() : status_of(result.error());
}

std::string_view view(const Slice& slice) { return {slice.data(), slice.size()}; }

/// True where the system had all of these bytes in memory. Most reads are such, and need not tell
/// the worker set that this thread waits, which would wake another one.
bool read_in_memory(int descriptor, std::uint64_t offset, char* into, std::size_t count) {
  if (descriptor < 0) return false;
  const iovec part{into, count};
  const ssize_t got = ::preadv2(descriptor, &part, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return got >= 0 && static_cast<std::size_t>(got) == count;
}

class Sequential final : public rocksdb::FSSequentialFile {
 public:
  explicit Sequential(std::unique_ptr<File> file) : file_(std::move(file)) {}
  IOStatus Read(std::size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    const os::Blocking waiting;
    const auto got = file_->read_at(at_, scratch, n);
    if (!got.ok()) return status_of(got);
    at_ += *got;
    *result = Slice(scratch, *got);
    return IOStatus::OK();
  }
  IOStatus Skip(std::uint64_t n) override {
    at_ += n;
    return IOStatus::OK();
  }

 private:
  std::unique_ptr<File> file_;
  std::uint64_t at_ = 0;
};

class RandomAccess final : public rocksdb::FSRandomAccessFile {
 public:
  explicit RandomAccess(std::unique_ptr<File> file) : file_(std::move(file)) {}
  IOStatus Read(std::uint64_t offset, std::size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) const override {
    if (read_in_memory(file_->descriptor(), offset, scratch, n)) {
      *result = Slice(scratch, n);
      return IOStatus::OK();
    }
    const os::Blocking waiting;
    const auto got = file_->read_at(offset, scratch, n);
    if (!got.ok()) return status_of(got);
    *result = Slice(scratch, *got);
    return IOStatus::OK();
  }

 private:
  std::unique_ptr<File> file_;
};

/// What the files that RocksDB appends to have in common.
template <class Kind>
class Appended : public rocksdb::FSWritableFile {
 public:
  Appended(std::unique_ptr<Kind> file, const FileOptions& options)
      : FSWritableFile(options), file_(std::move(file)) {}
  using FSWritableFile::Append;
  IOStatus Flush(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    return status_of(file_->sync_data());
  }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return status_of(file_->sync_all());
  }
  bool IsSyncThreadSafe() const override { return true; }

 protected:
  std::unique_ptr<Kind> file_;
};

/// The name of a file in its folder.
std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class Writable final : public Appended<File> {
 public:
  /// `manifest` is told of each sync, where the file is one.
  Writable(std::unique_ptr<File> file, std::uint64_t size, const FileOptions& options,
           std::function<void(std::uint64_t size)> manifest)
      : Appended(std::move(file), options), size_(size), manifest_(std::move(manifest)) {}
  ~Writable() override {
    if (file_) Close({}, nullptr).PermitUncheckedError();
  }

  using Appended::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    const auto done = file_->write_at(size_, view(data));
    if (done.ok()) size_ += data.size();
    return status_of(done);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* context) override {
    return told(Appended::Sync(options, context));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* context) override {
    return told(Appended::Fsync(options, context));
  }
  bool IsSyncThreadSafe() const override { return manifest_ == nullptr; }
  IOStatus Truncate(std::uint64_t size, const IOOptions&, IODebugContext*) override {
    const auto done = file_->truncate(size);
    if (done.ok()) size_ = size;
    return status_of(done);
  }
  /// Gives back what was reserved beyond the end.
  IOStatus Close(const IOOptions&, IODebugContext*) override {
    if (!file_) return IOStatus::OK();
    const auto done = reserved_ > size_ ? file_->truncate(size_) : ok_status();
    file_.reset();
    return status_of(done);
  }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }
  IOStatus Allocate(std::uint64_t offset, std::uint64_t length, const IOOptions&,
                    IODebugContext*) override {
    const auto done = file_->allocate(offset, length, true);
    if (done.ok()) reserved_ = std::max(reserved_, offset + length);
    return status_of(done);
  }

 private:
  IOStatus told(IOStatus synced) {
    if (synced.ok() && manifest_) manifest_(size_);
    return synced;
  }

  std::uint64_t size_;  // bytes that RocksDB wrote
  std::uint64_t reserved_ = 0;
  std::function<void(std::uint64_t)> manifest_;
};

class Log final : public Appended<LogFile> {
 public:
  /// `state` null: an old log that RocksDB opens to give back what was reserved; it stays as it is.
  Log(std::unique_ptr<LogFile> file, const FileOptions& options, MetadataStateFile* state,
      std::string name)
      : Appended(std::move(file), options), state_(state), name_(std::move(name)) {}
  ~Log() override { Close({}, nullptr).PermitUncheckedError(); }

  using Appended::Append;
  IOStatus Append(const Slice& data, const IOOptions&, IODebugContext*) override {
    return status_of(file_->append(view(data)));
  }
  IOStatus Truncate(std::uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("a log is not cut while it is written");
  }
  /// The state learns of the end before the zeros behind it go.
  IOStatus Close(const IOOptions&, IODebugContext*) override {
    if (std::exchange(closed_, true)) return IOStatus::OK();
    if (state_ == nullptr) {
      file_->abandon();
      return IOStatus::OK();
    }
    Status done = file_->has_failed() ? ok_status() : file_->sync_data();
    if (done.ok() && !file_->has_failed()) done = state_->log_ends(name_, file_->size());
    if (!done.ok()) file_->abandon();
    if (done.ok()) done = file_->close();
    return status_of(done);
  }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return file_->size(); }
  IOStatus Allocate(std::uint64_t offset, std::uint64_t length, const IOOptions&,
                    IODebugContext*) override {
    return status_of(file_->allocate(offset, length));
  }

 private:
  MetadataStateFile* state_;
  const std::string name_;
  bool closed_ = false;
};

class Directory final : public rocksdb::FSDirectory {
 public:
  Directory(Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    return status_of(files_.sync_directory(path_));
  }

 private:
  Files& files_;
  std::string path_;
};

class Lock final : public rocksdb::FileLock {
 public:
  explicit Lock(std::unique_ptr<File> file) : file_(std::move(file)) {}

 private:
  std::unique_ptr<File> file_;
};

class RocksFiles final : public rocksdb::FileSystem {
 public:
  RocksFiles(Files& files, MetadataStateFile& state) : files_(files), state_(state) {}
  const char* Name() const override { return "CairnFiles"; }

  IOStatus NewSequentialFile(const std::string& path, const FileOptions&,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             IODebugContext*) override {
    auto file = files_.open(path, OpenMode::read);
    if (file.ok()) *result = std::make_unique<Sequential>(std::move(*file));
    return status_of(file);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions&,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               IODebugContext*) override {
    auto file = files_.open(path, OpenMode::read);
    if (file.ok()) *result = std::make_unique<RandomAccess>(std::move(*file));
    return status_of(file);
  }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext*) override {
    return open_writable(path, OpenMode::truncate, options, result);
  }
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              IODebugContext*) override {
    return open_writable(path, OpenMode::append, options, result);
  }
  IOStatus NewDirectory(const std::string& path, const IOOptions&,
                        std::unique_ptr<rocksdb::FSDirectory>* result, IODebugContext*) override {
    const auto info = files_.info(path);
    if (info.ok()) *result = std::make_unique<Directory>(files_, path);
    return status_of(info);
  }
  IOStatus FileExists(const std::string& path, const IOOptions&, IODebugContext*) override {
    const auto info = files_.info(path);
    if (!info.ok() && info.error().kind == ErrorKind::not_found) return IOStatus::NotFound(path);
    return status_of(info);
  }
  IOStatus GetChildren(const std::string& path, const IOOptions&, std::vector<std::string>* result,
                       IODebugContext*) override {
    auto names = files_.list(path);
    if (!names.ok() && names.error().kind == ErrorKind::not_found) return IOStatus::NotFound(path);
    if (names.ok()) *result = std::move(*names);
    return status_of(names);
  }
  IOStatus DeleteFile(const std::string& path, const IOOptions&, IODebugContext*) override {
    if (const Status forgotten = state_.forget(name_in(path)); !forgotten.ok())
      return status_of(forgotten);
    return status_of(files_.remove(path));
  }
  IOStatus Truncate(const std::string& path, std::size_t size, const IOOptions&,
                    IODebugContext*) override {
    const auto file = files_.open(path, OpenMode::read_write);
    return file.ok() ? status_of((*file)->truncate(size)) : status_of(file);
  }
  IOStatus CreateDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return status_of(files_.make_directories(path));
  }
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions&, IODebugContext*) override {
    return status_of(files_.make_directories(path));
  }
  IOStatus DeleteDir(const std::string& path, const IOOptions&, IODebugContext*) override {
    return status_of(files_.remove_directory(path));
  }
  IOStatus GetFileSize(const std::string& path, const IOOptions&, std::uint64_t* size,
                       IODebugContext*) override {
    const auto info = files_.info(path);
    if (info.ok()) *size = info->size_bytes;
    return status_of(info);
  }
  IOStatus GetFileModificationTime(const std::string& path, const IOOptions&, std::uint64_t* time,
                                   IODebugContext*) override {
    const auto info = files_.info(path);
    if (info.ok()) *time = static_cast<std::uint64_t>(info->modified_ms / 1000);
    return status_of(info);
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions&,
                      IODebugContext*) override {
    return status_of(files_.rename(from, to));
  }
  IOStatus LockFile(const std::string& path, const IOOptions&, rocksdb::FileLock** lock,
                    IODebugContext*) override {
    auto file = files_.lock(path);
    *lock = file.ok() ? new Lock(std::move(*file)) : nullptr;
    return status_of(file);
  }
  IOStatus UnlockFile(rocksdb::FileLock* lock, const IOOptions&, IODebugContext*) override {
    delete lock;
    return IOStatus::OK();
  }
  IOStatus GetTestDirectory(const IOOptions&, std::string* path, IODebugContext*) override {
    *path = "/tmp";
    return IOStatus::OK();
  }
  IOStatus GetAbsolutePath(const std::string& path, const IOOptions&, std::string* result,
                           IODebugContext*) override {
    *result = path;
    return IOStatus::OK();
  }
  IOStatus GetFreeSpace(const std::string& path, const IOOptions&, std::uint64_t* bytes,
                        IODebugContext*) override {
    const auto free = files_.free_bytes(path);
    if (free.ok()) *bytes = *free;
    return status_of(free);
  }
  IOStatus IsDirectory(const std::string& path, const IOOptions&, bool* is_directory,
                       IODebugContext*) override {
    const auto info = files_.info(path);
    if (info.ok()) *is_directory = info->is_directory;
    return status_of(info);
  }

 private:
  IOStatus open_writable(const std::string& path, OpenMode mode, const FileOptions& options,
                         std::unique_ptr<rocksdb::FSWritableFile>* result) {
    if (path.ends_with(".log")) return open_log(path, mode, options, result);
    auto file = files_.open(path, mode);
    if (!file.ok()) return status_of(file);
    const auto size = (*file)->size();
    if (!size.ok()) return status_of(size);
    std::function<void(std::uint64_t)> manifest;
    if (std::string name = name_in(path); name.starts_with("MANIFEST-"))
      manifest = [this, name = std::move(name)](std::uint64_t bytes) {
        state_.manifest_synced(name, bytes);
      };
    *result = std::make_unique<Writable>(std::move(*file), *size, options, std::move(manifest));
    return IOStatus::OK();
  }

  /// A log is known before anything in it counts.
  IOStatus open_log(const std::string& path, OpenMode mode, const FileOptions& options,
                    std::unique_ptr<rocksdb::FSWritableFile>* result) {
    if (mode == OpenMode::append) {
      auto log = LogFile::reopen(files_, path);
      if (log.ok()) *result = std::make_unique<Log>(std::move(*log), options, nullptr, "");
      return status_of(log);
    }
    auto log = LogFile::create(files_, path);
    if (!log.ok()) return status_of(log);
    const auto named = files_.sync_directory(path.substr(0, path.rfind('/')));
    if (!named.ok()) return status_of(named);
    const auto known = state_.log_begins(name_in(path), LogFile::zeros_ahead);
    if (!known.ok()) return status_of(known);
    *result = std::make_unique<Log>(std::move(*log), options, &state_, name_in(path));
    return IOStatus::OK();
  }

  Files& files_;
  MetadataStateFile& state_;
};

/// After a failed flush RocksDB sleeps for a second before it looks at anything again, shutdown
/// included; but recovery is the collector's, and readers wait while it closes the database.
class BriefClock final : public rocksdb::SystemClockWrapper {
 public:
  BriefClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
  const char* Name() const override { return "CairnClock"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, 10'000));
  }
};

class RocksEnv final : public rocksdb::EnvWrapper {
 public:
  explicit RocksEnv(const std::shared_ptr<rocksdb::FileSystem>& files)
      : EnvWrapper(std::shared_ptr<rocksdb::Env>(rocksdb::NewCompositeEnv(files))) {
    file_system_ = files;
    system_clock_ = std::make_shared<BriefClock>();
  }
  const char* Name() const override { return "CairnEnv"; }
};

}  // namespace

std::unique_ptr<rocksdb::Env> rocks_env(os::Files& files, MetadataStateFile& state) {
  return std::make_unique<RocksEnv>(std::make_shared<RocksFiles>(files, state));
}

}  // namespace cairn::objectstore
