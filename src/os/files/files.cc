// SPDX-License-Identifier: Apache-2.0
#include "os/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "base/encode.h"
#include "os/files/descriptor.h"
#include "os/random.h"
#include "os/threads/blocking.h"

namespace cairn::os {
namespace {

constexpr mode_t file_mode = 0640;

ErrorKind kind_of_errno(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
      return ErrorKind::storage_full;
    case ENOENT:
    case ENOTDIR:
      return ErrorKind::not_found;
    case EEXIST:
      return ErrorKind::already_exists;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return ErrorKind::permission_denied;
    case ENOTEMPTY:
    case EWOULDBLOCK:
      return ErrorKind::conflict;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ErrorKind::unavailable;
    case EOPNOTSUPP:
      return ErrorKind::unsupported;
    case EISDIR:
    case ENAMETOOLONG:
    case EINVAL:
      return ErrorKind::invalid_argument;
    case EFBIG:
      return ErrorKind::too_large;
    default:
      return ErrorKind::internal;
  }
}

Error file_error(int number, std::string_view doing, const std::string& path) {
  return {.kind = kind_of_errno(number),
          .message = std::string(doing) + " [" + path + "]: " + std::strerror(number)};
}

FileInfo info_of(const struct stat& s) {
  const auto ns = std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec;
  return {.size_bytes = static_cast<std::uint64_t>(s.st_size),
          .modified_ms = ns / 1'000'000,
          .is_directory = S_ISDIR(s.st_mode),
          .modified_ns = ns,
          .id = s.st_ino};
}

/// A directory and a name in it, as the *at() calls take them. `held` keeps the directory open.
struct Place {
  int directory = AT_FDCWD;
  std::string name;
  Descriptor held = Descriptor();
};

/// Turns the paths of callers into places.
class Paths {
 public:
  virtual ~Paths() = default;
  virtual Result<Place> find(const std::string& path) const = 0;
  virtual int open_flags() const = 0;  // added to every open
};

class AllPaths final : public Paths {
 public:
  Result<Place> find(const std::string& path) const override {
    return Place{.directory = AT_FDCWD, .name = path};
  }
  int open_flags() const override { return O_CLOEXEC; }
};

/// Walks below a root directory one name at a time and follows no link.
class RootedPaths final : public Paths {
 public:
  explicit RootedPaths(Descriptor root) : root_(std::move(root)) {}

  Result<Place> find(const std::string& path) const override {
    Place place{.directory = root_.get(), .name = "."};
    for (std::size_t at = 0; at < path.size();) {
      std::size_t end = path.find('/', at);
      if (end == std::string::npos) end = path.size();
      const std::string name = path.substr(at, end - at);
      at = end + 1;
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        return Error{.kind = ErrorKind::permission_denied,
                     .message = "[" + path + "] leaves its root directory"};
      }
      if (place.name != ".") CAIRN_CHECK(enter(place, path));
      place.name = name;
    }
    return place;
  }
  int open_flags() const override { return O_CLOEXEC | O_NOFOLLOW; }

 private:
  static Status enter(Place& place, const std::string& path) {
    Descriptor next(::openat(place.directory, place.name.c_str(),
                             O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (next.get() < 0) {
      const int number = errno;
      struct stat s;
      const bool link =
          ::fstatat(place.directory, place.name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(s.st_mode);
      return file_error(link ? ELOOP : number, "open", path);
    }
    place.held = std::move(next);
    place.directory = place.held.get();
    return ok_status();
  }
  Descriptor root_;
};

class PosixFile final : public File {
 public:
  PosixFile(Descriptor descriptor, std::string path, const Paths* paths)
      : descriptor_(std::move(descriptor)), path_(std::move(path)), paths_(paths) {}
  ~PosixFile() override {
    if (!temporary_.empty()) (void)::unlinkat(temporary_place_.directory, temporary_.c_str(), 0);
  }

  Result<std::size_t> read_at(std::uint64_t offset, char* into, std::size_t count) override {
    std::size_t done = 0;
    while (done < count) {
      const ssize_t n = ::pread(fd(), into + done, count - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failure("read");
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  Status write_at(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::pwrite(fd(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failure("write");
      if (n == 0) return file_error(EIO, "write", path_);
      offset += static_cast<std::uint64_t>(n);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return ok_status();
  }

  Status append(std::string_view bytes) override {
    CAIRN_CHECK(write_at(end_, bytes));
    end_ += bytes.size();
    return ok_status();
  }

  Status allocate(std::uint64_t offset, std::uint64_t length, bool keep_size) override {
    if (length == 0) return ok_status();
    const int mode = keep_size ? FALLOC_FL_KEEP_SIZE : 0;
    while (::fallocate(fd(), mode, static_cast<off_t>(offset), static_cast<off_t>(length)) != 0) {
      if (errno == EINTR) continue;
      if (errno != EOPNOTSUPP) return failure("allocate");
      if (keep_size) return ok_status();  // space is then found while writing
      CAIRN_TRY(const std::uint64_t now, size());
      return offset + length > now ? truncate(offset + length) : ok_status();
    }
    return ok_status();
  }

  Status truncate(std::uint64_t size) override {
    while (::ftruncate(fd(), static_cast<off_t>(size)) != 0)
      if (errno != EINTR) return failure("truncate");
    end_ = size;
    return ok_status();
  }

  Status sync_data() override {
    const Blocking waiting;
    return ::fdatasync(fd()) == 0 ? ok_status() : failure("sync");
  }
  Status sync_all() override {
    const Blocking waiting;
    return ::fsync(fd()) == 0 ? ok_status() : failure("sync");
  }

  Result<std::uint64_t> size() override {
    CAIRN_TRY(const FileInfo found, info());
    return found.size_bytes;
  }
  Result<FileInfo> info() override {
    struct stat s;
    if (::fstat(fd(), &s) != 0) return failure("look at");
    return info_of(s);
  }
  Status set_modified_ns(std::int64_t unix_ns) override {
    const timespec modified{unix_ns / 1'000'000'000, unix_ns % 1'000'000'000};
    const timespec times[2] = {{0, UTIME_OMIT}, modified};
    return ::futimens(fd(), times) == 0 ? ok_status() : failure("set the time of");
  }
  bool set_direct(bool direct) override {
    const int flags = ::fcntl(fd(), F_GETFL);
    if (flags < 0) return false;
    const int wanted = direct ? flags | O_DIRECT : flags & ~O_DIRECT;
    return wanted == flags || ::fcntl(fd(), F_SETFL, wanted) == 0;
  }
  int descriptor() const override { return fd(); }

  Status publish(const std::string& path) override {
    CAIRN_TRY(const Place to, paths_->find(path));
    int outcome;
    if (temporary_.empty()) {
      const std::string self = "/proc/self/fd/" + std::to_string(fd());
      outcome = ::linkat(AT_FDCWD, self.c_str(), to.directory, to.name.c_str(), AT_SYMLINK_FOLLOW);
      if (outcome != 0 && errno == ENOENT)  // no /proc; needs a capability
        outcome = ::linkat(fd(), "", to.directory, to.name.c_str(), AT_EMPTY_PATH);
    } else {
      outcome = ::linkat(temporary_place_.directory, temporary_.c_str(), to.directory,
                         to.name.c_str(), 0);
    }
    if (outcome != 0) return file_error(errno, "publish", path);
    path_ = path;
    return ok_status();
  }

  void set_end(std::uint64_t end) { end_ = end; }
  void set_temporary(Place place) {
    temporary_ = place.name;
    temporary_place_ = std::move(place);
  }

 private:
  int fd() const { return descriptor_.get(); }
  Error failure(std::string_view doing) const { return file_error(errno, doing, path_); }

  Descriptor descriptor_;
  std::string path_;
  const Paths* paths_;
  std::uint64_t end_ = 0;
  std::string temporary_ = {};  // the name to remove, where O_TMPFILE is not to be had
  Place temporary_place_ = {};
};

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::read:
      return O_RDONLY;
    case OpenMode::read_write:
      return O_RDWR;
    case OpenMode::create:
    case OpenMode::append:
      return O_RDWR | O_CREAT;
    case OpenMode::create_exclusive:
      return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::truncate:
      return O_RDWR | O_CREAT | O_TRUNC;
  }
  return O_RDONLY;
}

class PosixFiles final : public Files {
 public:
  explicit PosixFiles(std::unique_ptr<Paths> paths) : paths_(std::move(paths)) {}

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    CAIRN_TRY(const Place place, paths_->find(path));
    CAIRN_TRY(auto file, open_at(place, path, flags_of(mode)));
    if (mode != OpenMode::read && mode != OpenMode::truncate) {
      CAIRN_TRY(const std::uint64_t size, file->size());
      file->set_end(size);
    }
    return std::unique_ptr<File>(std::move(file));
  }

  Result<std::unique_ptr<File>> create_unnamed(const std::string& directory) override {
    CAIRN_TRY(const Place place, paths_->find(directory));
    auto file = open_at(place, directory, O_RDWR | O_TMPFILE);
    if (file.ok()) return std::unique_ptr<File>(std::move(*file));
    if (file.error().kind == ErrorKind::storage_full) return std::move(file).error();
    const std::string path = directory + "/.unnamed-" + to_hex(system_random().bytes(8));
    CAIRN_TRY(Place named, paths_->find(path));
    CAIRN_TRY(auto made, open_at(named, path, O_RDWR | O_CREAT | O_EXCL));
    made->set_temporary(std::move(named));
    return std::unique_ptr<File>(std::move(made));
  }

  Status rename(const std::string& from, const std::string& to) override {
    CAIRN_TRY(const Place a, paths_->find(from));
    CAIRN_TRY(const Place b, paths_->find(to));
    if (::renameat(a.directory, a.name.c_str(), b.directory, b.name.c_str()) == 0)
      return ok_status();
    return file_error(errno, "rename", from);
  }

  Status remove(const std::string& path) override { return unlink(path, 0); }
  Status remove_directory(const std::string& path) override { return unlink(path, AT_REMOVEDIR); }

  Status make_directories(const std::string& path, unsigned mode) override {
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      CAIRN_TRY(const Place place, paths_->find(part));
      if (::mkdirat(place.directory, place.name.c_str(), mode) != 0) {
        const int number = errno;
        const auto found = info(part);
        if (number == EEXIST && !found.ok()) return found.error();
        if (!found.ok() || !found->is_directory)
          return file_error(number == EEXIST ? ENOTDIR : number, "make directory", part);
      }
      if (end == std::string::npos) return ok_status();
    }
  }

  Status sync_directory(const std::string& path) override {
    CAIRN_TRY(const Place place, paths_->find(path));
    CAIRN_TRY(const auto directory, open_at(place, path, O_RDONLY | O_DIRECTORY));
    return directory->sync_all();
  }

  Result<std::vector<std::string>> list(const std::string& directory) override {
    CAIRN_TRY(const Place place, paths_->find(directory));
    const int fd = ::openat(place.directory, place.name.c_str(),
                            O_RDONLY | O_DIRECTORY | paths_->open_flags());
    DIR* handle = fd < 0 ? nullptr : ::fdopendir(fd);
    if (handle == nullptr) {
      const int number = errno;
      if (fd >= 0) ::close(fd);
      return file_error(number, "list", directory);
    }
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(handle)) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    const int number = errno;
    ::closedir(handle);
    if (number != 0) return file_error(number, "list", directory);
    return names;
  }

  Result<FileInfo> info(const std::string& path) override {
    CAIRN_TRY(const Place place, paths_->find(path));
    struct stat s;
    const int follow = paths_->open_flags() & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0;
    if (::fstatat(place.directory, place.name.c_str(), &s, follow) != 0)
      return file_error(errno, "look at", path);
    if (S_ISLNK(s.st_mode)) return file_error(ELOOP, "look at", path);
    return info_of(s);
  }

  Result<std::unique_ptr<File>> lock(const std::string& path) override {
    CAIRN_TRY(const Place place, paths_->find(path));
    CAIRN_TRY(auto file, open_at(place, path, O_RDWR | O_CREAT));
    if (::flock(file->descriptor(), LOCK_EX | LOCK_NB) != 0) return file_error(errno, "lock", path);
    return std::unique_ptr<File>(std::move(file));
  }

  Result<std::uint64_t> free_bytes(const std::string& path) override {
    CAIRN_TRY(const Place place, paths_->find(path));
    CAIRN_TRY(const auto directory, open_at(place, path, O_RDONLY));
    struct statvfs s;
    if (::fstatvfs(directory->descriptor(), &s) != 0)
      return file_error(errno, "look at the space of", path);
    return std::uint64_t{s.f_bavail} * s.f_frsize;
  }

 private:
  Result<std::unique_ptr<PosixFile>> open_at(const Place& place, const std::string& path,
                                             int flags) const {
    int fd;
    do {
      fd = ::openat(place.directory, place.name.c_str(), flags | paths_->open_flags(), file_mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) return file_error(errno, "open", path);
    return std::make_unique<PosixFile>(Descriptor(fd), path, paths_.get());
  }

  Status unlink(const std::string& path, int flags) const {
    CAIRN_TRY(const Place place, paths_->find(path));
    if (::unlinkat(place.directory, place.name.c_str(), flags) == 0) return ok_status();
    return file_error(errno, "remove", path);
  }

  std::unique_ptr<Paths> paths_;
};

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status replace(Files& files, const std::string& path, std::string_view bytes,
               std::optional<unsigned> mode) {
  const std::string beside = path + ".new-" + to_hex(system_random().bytes(8));
  const auto write = [&]() -> Status {
    CAIRN_TRY(const auto file, files.open(beside, OpenMode::create_exclusive));
    if (mode && ::fchmod(file->descriptor(), *mode) != 0)
      return file_error(errno, "set the mode of", beside);
    CAIRN_CHECK(file->append(bytes));
    CAIRN_CHECK(file->sync_all());
    return files.rename(beside, path);
  };
  if (Status written = write(); !written.ok()) {
    (void)files.remove(beside);
    return written;
  }
  return files.sync_directory(directory_of(path));
}

}  // namespace

Files& system_files() {
  static PosixFiles files(std::make_unique<AllPaths>());
  return files;
}

Result<std::unique_ptr<Files>> rooted_files(const std::string& root) {
  Descriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) return file_error(errno, "open", root);
  return std::unique_ptr<Files>(
      std::make_unique<PosixFiles>(std::make_unique<RootedPaths>(std::move(directory))));
}

Status make_directories_durably(Files& files, const std::string& path, unsigned mode) {
  std::vector<std::string> missing;
  for (std::string at = path; at != "." && at != "/" && !files.info(at).ok(); at = directory_of(at))
    missing.push_back(at);
  if (missing.empty()) return ok_status();
  CAIRN_CHECK(files.make_directories(path, mode));
  for (const std::string& made : missing) CAIRN_CHECK(files.sync_directory(directory_of(made)));
  return ok_status();
}

Result<std::string> read_file(Files& files, const std::string& path, std::size_t limit_bytes) {
  CAIRN_TRY(const auto file, files.open(path, OpenMode::read));
  CAIRN_TRY(const std::uint64_t size, file->size());
  // Files of /proc say 0 and have content: always ask for more than the size that was named.
  std::string bytes;
  std::size_t done = 0;
  for (std::size_t want = size + 1;; want = bytes.size() * 2 + 4096) {
    if (want > limit_bytes + 1) want = limit_bytes + 1;
    bytes.resize(want);
    CAIRN_TRY(const std::size_t n, file->read_at(done, bytes.data() + done, want - done));
    done += n;
    if (done > limit_bytes) {
      return Error{
          .kind = ErrorKind::too_large,
          .message = "[" + path + "] is larger than " + std::to_string(limit_bytes) + " bytes"};
    }
    if (done < want) break;
  }
  bytes.resize(done);
  return bytes;
}

Status replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  return replace(system_files(), path, bytes, mode);
}

Status replace_file(Files& files, const std::string& path, std::string_view bytes) {
  return replace(files, path, bytes, std::nullopt);
}

}  // namespace cairn::os
