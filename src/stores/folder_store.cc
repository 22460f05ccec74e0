// SPDX-License-Identifier: Apache-2.0
#include "stores/folder_store.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "base/encode.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/random.h"
#include "os/threads/blocking.h"
#include "store/folding.h"
#include "stores/key_names.h"
#include "stores/key_walk.h"

namespace cairn::stores {
namespace {

using os::File;
using os::FileInfo;
using os::Files;
using store::Condition;
using store::ObjectInfo;

constexpr std::size_t key_bytes_max = 1024;
constexpr std::size_t copy_bytes = 1 << 20;
constexpr std::size_t batch_under_one_lock = 256;
constexpr std::int64_t lock_poll_ms = 2;
constexpr std::int64_t leftover_age_ms = 3'600'000;
// No name made from a key starts with a dot.
constexpr const char* own_directory = store_mark.data();
constexpr const char* temporary_directory = "/.cairn-store/tmp";

std::string etag_of(const FileInfo& info) {
  return std::to_string(info.modified_ns) + "-" + std::to_string(info.id) + "-" +
         std::to_string(info.size_bytes);
}

ObjectInfo object_info(std::string_view key, const FileInfo& info) {
  return {.key = std::string(key),
          .size_bytes = info.size_bytes,
          .etag = etag_of(info),
          .modified_ms = info.modified_ms};
}

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Status check_key(std::string_view key) {
  if (!key.empty() && key.size() <= key_bytes_max) return ok_status();
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "a key has 1 to " + std::to_string(key_bytes_max) +
                          " bytes, and this one has " + std::to_string(key.size())};
}

Status check(const Condition& condition, const std::optional<FileInfo>& now) {
  const auto failed = [](std::string what) {
    return Error{.kind = ErrorKind::precondition_failed, .message = std::move(what)};
  };
  if (condition.if_none_match && now) return failed("an object is there already");
  if (condition.if_match && !now) return failed("no object is there");
  if (condition.if_match && *condition.if_match != etag_of(*now))
    return failed("another version of the object is there");
  return ok_status();
}

class FolderStore final : public store::Store {
 public:
  FolderStore(std::unique_ptr<Files> owned, Files& files, std::string root)
      : owned_(std::move(owned)), files_(files), root_(std::move(root)) {}

  Status open() {
    const std::string temporary = root_ + temporary_directory;
    CAIRN_CHECK(files_.make_directories(temporary));
    CAIRN_TRY(const auto names, files_.list(temporary));
    // Of a process that was killed; a young one may be in use by a process that runs.
    const std::int64_t now = os::system_clock().unix_ms();
    for (const std::string& name : names) {
      const std::string path = temporary + "/" + name;
      const auto info = files_.info(path);
      if (info.ok() && now - info->modified_ms > leftover_age_ms) (void)files_.remove(path);
    }
    return ok_status();
  }

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    CAIRN_CHECK(check_key(key));
    CAIRN_CHECK(deadline.check("read an object"));
    const os::Blocking waiting;
    const auto file = files_.open(path_of(key), os::OpenMode::read);
    if (!file.ok() && file.error().kind == ErrorKind::not_found) return missing(key);
    CAIRN_CHECK(file);
    CAIRN_TRY(const FileInfo info, (*file)->info());
    if (range.offset > info.size_bytes) {
      return Error{.kind = ErrorKind::invalid_argument,
                   .message = "the range starts at " + std::to_string(range.offset) +
                              " and the object has " + std::to_string(info.size_bytes) + " bytes"};
    }
    store::Object object{.info = object_info(key, info), .bytes = {}};
    object.bytes.resize(std::min(range.count, info.size_bytes - range.offset));
    for (std::size_t done = 0; done < object.bytes.size();) {
      CAIRN_CHECK(deadline.check("read an object"));
      const std::size_t want = std::min(object.bytes.size() - done, copy_bytes);
      CAIRN_TRY(const std::size_t got,
                (*file)->read_at(range.offset + done, object.bytes.data() + done, want));
      if (got != want) {
        return Error{.kind = ErrorKind::corrupt,
                     .message = "[" + path_of(key) + "] became shorter while it was read"};
      }
      done += got;
    }
    return object;
  }

  Result<std::optional<ObjectInfo>> head(std::string_view key,
                                         const os::Deadline& deadline) override {
    CAIRN_CHECK(check_key(key));
    CAIRN_CHECK(deadline.check("look at an object"));
    CAIRN_TRY(const auto info, look(path_of(key)));
    if (!info) return std::optional<ObjectInfo>();
    return std::optional(object_info(key, *info));
  }

  Result<ObjectInfo> put(std::string_view key, std::string_view bytes, const os::Deadline& deadline,
                         const Condition& condition) override {
    CAIRN_TRY(const auto file, begin(key, deadline));
    CAIRN_CHECK(file->append(bytes));
    return commit(*file, key, deadline, condition);
  }

  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override;

  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    store::ListPage page;
    KeyWalk walk(files_, root_);
    const os::Blocking waiting;
    CAIRN_TRY(page.next_start_after,
              store::fold_keys(
                  walk,
                  {.prefix = params.prefix,
                   .start_after = params.start_after,
                   .delimiter = params.delimiter,
                   .limit = std::max<std::size_t>(params.limit, 1)},
                  deadline,
                  [&](std::string_view key) {
                    page.objects.push_back(object_info(key, walk.info()));
                    return ok_status();
                  },
                  [&](std::string_view prefix) { page.prefixes.emplace_back(prefix); }));
    return page;
  }

  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const Condition& condition) override {
    CAIRN_CHECK(check_key(key));
    CAIRN_TRY(const auto held, lock(deadline, "delete an object"));
    const std::string path = path_of(key);
    CAIRN_TRY(const auto now, look(path));
    if (condition.if_match) CAIRN_CHECK(check({.if_match = condition.if_match}, now));
    if (!now) return false;
    CAIRN_CHECK(unlink({path}));
    return true;
  }

  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    for (const std::string& key : keys) CAIRN_CHECK(check_key(key));
    std::size_t removed = 0;
    for (std::size_t at = 0; at < keys.size(); at += batch_under_one_lock) {
      CAIRN_TRY(const auto held, lock(deadline, "delete objects"));
      std::set<std::string> there;
      for (std::size_t i = at; i < std::min(at + batch_under_one_lock, keys.size()); ++i) {
        const std::string path = path_of(keys[i]);
        CAIRN_TRY(const auto now, look(path));
        if (now) there.insert(path);
      }
      CAIRN_CHECK(unlink(there));
      removed += there.size();
    }
    return removed;
  }

  Result<ObjectInfo> copy(std::string_view from, std::string_view to, const os::Deadline& deadline,
                          const Condition& condition) override {
    CAIRN_CHECK(check_key(from));
    const auto source = files_.open(path_of(from), os::OpenMode::read);
    if (!source.ok() && source.error().kind == ErrorKind::not_found) return missing(from);
    CAIRN_CHECK(source);
    CAIRN_TRY(const auto file, begin(to, deadline));
    const os::Blocking waiting;
    std::string piece;
    for (std::uint64_t at = 0;; at += piece.size()) {
      CAIRN_CHECK(deadline.check("copy an object"));
      piece.resize(copy_bytes);
      CAIRN_TRY(const std::size_t got, (*source)->read_at(at, piece.data(), piece.size()));
      piece.resize(got);
      if (got == 0) break;
      CAIRN_CHECK(file->append(piece));
    }
    return commit(*file, to, deadline, condition);
  }

  /// A file without a name, for the bytes of an object on its way in.
  Result<std::unique_ptr<File>> begin(std::string_view key, const os::Deadline& deadline) {
    CAIRN_CHECK(check_key(key));
    CAIRN_CHECK(deadline.check("put an object"));
    return files_.create_unnamed(root_ + temporary_directory);
  }

  // Crash points: the bytes are durable before the file has a name; it gets its name by one link or
  // rename, so the key shows the old or the new object; and the answer goes out only after the
  // directory is synced. A kill between the two names of a replacement leaves a file in tmp, which
  // an open an hour later removes.
  Result<ObjectInfo> commit(File& file, std::string_view key, const os::Deadline& deadline,
                            const Condition& condition) {
    CAIRN_CHECK(file.set_modified_ns(some_ns()));
    CAIRN_CHECK(file.sync_all());
    const std::string path = path_of(key);
    FileInfo info;
    {
      CAIRN_TRY(const auto held, lock(deadline, "put an object"));
      CAIRN_TRY(const auto now, look(path));
      CAIRN_CHECK(check(condition, now));
      CAIRN_TRY(info, file.info());
      if (now && info.modified_ns <= now->modified_ns) {  // the etag must be another one
        CAIRN_CHECK(file.set_modified_ns(now->modified_ns + 1));
        CAIRN_CHECK(file.sync_all());
        CAIRN_TRY(info, file.info());
      }
      CAIRN_CHECK(now ? replace(file, path) : publish(file, path));
    }
    Status synced = files_.sync_directory(directory_of(path));
    // Removed again, with its directory, by the next change: which is durable then.
    if (!synced.ok() && synced.error().kind != ErrorKind::not_found)
      return std::move(synced).error();
    return object_info(key, info);
  }

 private:
  /// The right to change the folder: among threads by turn, among processes by the lock file.
  class Held {
   public:
    Held(FolderStore& store, std::unique_ptr<File> file) : store_(&store), file_(std::move(file)) {}
    Held(Held&& other) noexcept
        : store_(std::exchange(other.store_, nullptr)), file_(std::move(other.file_)) {}
    ~Held() {
      if (store_ == nullptr) return;
      file_.reset();
      store_->release_turn();
    }

   private:
    FolderStore* store_;
    std::unique_ptr<File> file_;
  };

  Result<Held> lock(const os::Deadline& deadline, std::string_view doing) {
    const os::Blocking waiting;
    CAIRN_CHECK(deadline.check(doing));
    {
      std::unique_lock turn(mutex_);
      if (!os::wait(turn_changed_, turn, deadline, [this] { return !busy_; }))
        return deadline.check(doing).error();
      busy_ = true;
    }
    for (;;) {
      auto file = files_.lock(root_ + own_directory + std::string("/lock"));
      if (file.ok()) return Held(*this, std::move(*file));
      const bool taken = file.error().kind == ErrorKind::conflict;
      if (taken && os::sleep_ms(lock_poll_ms, deadline)) continue;
      release_turn();
      if (taken) CAIRN_CHECK(deadline.check(doing));
      return std::move(file).error();
    }
  }

  void release_turn() {
    const std::lock_guard turn(mutex_);
    busy_ = false;
    turn_changed_.notify_one();
  }

  std::string path_of(std::string_view key) const { return root_ + "/" + path_of_key(key); }

  Error missing(std::string_view key) const {
    return {.kind = ErrorKind::not_found, .message = "no object [" + std::string(key) + "]"};
  }

  /// What is at a path now. Nothing for a directory, which no key can name.
  Result<std::optional<FileInfo>> look(const std::string& path) {
    auto info = files_.info(path);
    if (!info.ok() && info.error().kind == ErrorKind::not_found) return std::optional<FileInfo>();
    CAIRN_CHECK(info);
    if (info->is_directory) return std::optional<FileInfo>();
    return std::optional(*info);
  }

  /// The time with random nanoseconds: two processes hardly ever give one twice.
  static std::int64_t some_ns() {
    return os::system_clock().unix_ms() * 1'000'000 +
           static_cast<std::int64_t>(os::system_random().below(1'000'000));
  }

  /// Names a file where nothing is; makes its directories durable first where they are missing.
  Status publish(File& file, const std::string& path) {
    Status done = file.publish(path);
    if (done.ok() || done.error().kind != ErrorKind::not_found) return done;
    CAIRN_CHECK(os::make_directories_durably(files_, directory_of(path)));
    return file.publish(path);
  }

  Status replace(File& file, const std::string& path) {
    const std::string beside =
        root_ + temporary_directory + "/" + to_hex(os::system_random().bytes(12));
    CAIRN_CHECK(file.publish(beside));
    Status done = files_.rename(beside, path);
    if (!done.ok()) (void)files_.remove(beside);
    return done;
  }

  /// Removes files and the directories that they leave empty, durably. Under the lock.
  Status unlink(const std::set<std::string>& paths) {
    std::set<std::string> changed;
    for (const std::string& path : paths) {
      CAIRN_CHECK(files_.remove(path));
      std::string directory = directory_of(path);
      while (directory != root_ && files_.remove_directory(directory).ok()) {
        changed.erase(directory);
        directory = directory_of(directory);
      }
      changed.insert(directory);
    }
    for (const std::string& directory : changed) CAIRN_CHECK(files_.sync_directory(directory));
    return ok_status();
  }

  const std::unique_ptr<Files> owned_;
  Files& files_;
  const std::string root_;
  std::mutex mutex_;
  std::condition_variable_any turn_changed_;
  bool busy_ = false;  // guarded by mutex_: a thread has the turn
};

class FolderUpload final : public store::Upload {
 public:
  FolderUpload(FolderStore& store, std::unique_ptr<File> file, std::string_view key,
               const os::Deadline& deadline)
      : store_(store), file_(std::move(file)), key_(key), deadline_(deadline) {}
  Status write(std::string_view bytes) override {
    CAIRN_CHECK(deadline_.check("write an object"));
    const os::Blocking waiting;
    return file_->append(bytes);
  }
  Result<ObjectInfo> finish(const Condition& condition) override {
    return store_.commit(*file_, key_, deadline_, condition);
  }

 private:
  FolderStore& store_;
  std::unique_ptr<File> file_;
  std::string key_;
  os::Deadline deadline_;
};

Result<std::unique_ptr<store::Upload>> FolderStore::begin_upload(std::string_view key,
                                                                 const os::Deadline& deadline) {
  CAIRN_TRY(auto file, begin(key, deadline));
  return std::unique_ptr<store::Upload>(
      std::make_unique<FolderUpload>(*this, std::move(file), key, deadline));
}

Result<std::unique_ptr<store::Store>> open_in(std::unique_ptr<Files> owned, Files& files,
                                              std::string root) {
  auto store = std::make_unique<FolderStore>(std::move(owned), files, std::move(root));
  CAIRN_CHECK(store->open());
  return std::unique_ptr<store::Store>(std::move(store));
}

}  // namespace

Result<std::unique_ptr<store::Store>> folder_store(const std::string& folder) {
  CAIRN_CHECK(os::make_directories_durably(os::system_files(), folder));
  CAIRN_TRY(auto files, os::rooted_files(folder));
  Files& below = *files;
  return open_in(std::move(files), below, "");
}

Result<std::unique_ptr<store::Store>> folder_store(os::Files& files, const std::string& folder) {
  CAIRN_CHECK(os::make_directories_durably(files, folder));
  return open_in(nullptr, files, folder);
}

}  // namespace cairn::stores
