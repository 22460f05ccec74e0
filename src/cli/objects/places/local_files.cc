// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/places/local_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cli/objects/places/key_path.h"
#include "os/files/files.h"

namespace cairn::cli {
namespace {

std::int64_t modified_ms_of(const struct stat& there) {
  return static_cast<std::int64_t>(there.st_mtim.tv_sec) * 1000 + there.st_mtim.tv_nsec / 1'000'000;
}

Error local_error(const std::string& path) {
  const ErrorKind kind = errno == ENOENT || errno == ENOTDIR ? ErrorKind::not_found
                         : errno == EACCES || errno == EPERM ? ErrorKind::permission_denied
                                                             : ErrorKind::unavailable;
  return {kind, {}, path + ": " + std::strerror(errno)};
}

/// Walks folder by folder. A folder sorts as its name with '/', so that all names come in order.
class LocalWalk {
 public:
  LocalWalk(std::string root, bool follow_links, TellOdd odd)
      : follow_links_(follow_links), odd_(std::move(odd)) {
    enter(std::move(root), "");
  }

  std::optional<Entry> next() {
    while (!open_.empty()) {
      Folder& folder = open_.back();
      if (folder.left.empty()) {
        open_.pop_back();
        continue;
      }
      Child child = std::move(folder.left.back());
      folder.left.pop_back();
      if (!child.is_folder) return child.entry;
      enter(child.entry.place, child.entry.name);
    }
    return std::nullopt;
  }

 private:
  struct Child {
    Entry entry;
    bool is_folder;
  };
  struct Folder {
    dev_t device;
    ino_t inode;
    std::vector<Child> left;  // the next one last
  };

  void enter(const std::string& path, const std::string& name) {
    struct stat here {};
    DIR* const stream = ::stat(path.c_str(), &here) == 0 ? ::opendir(path.c_str()) : nullptr;
    if (stream == nullptr) return odd_(path, std::strerror(errno));
    const std::unique_ptr<DIR, int (*)(DIR*)> closed(stream, ::closedir);
    const bool loops = std::any_of(open_.begin(), open_.end(), [&](const Folder& folder) {
      return folder.device == here.st_dev && folder.inode == here.st_ino;
    });
    if (loops) return odd_(path, "a symbolic link that leads to a folder around it");
    Folder folder{here.st_dev, here.st_ino, {}};
    while (const dirent* const one = ::readdir(stream)) {
      const std::string_view file = one->d_name;
      if (file != "." && file != "..") add(folder, path, name, file);
    }
    std::sort(folder.left.begin(), folder.left.end(),
              [](const Child& a, const Child& b) { return b.entry.name < a.entry.name; });
    open_.push_back(std::move(folder));
  }

  void add(Folder& folder, const std::string& path, const std::string& name,
           std::string_view file) {
    Child child{.entry = {.name = name + std::string(file),
                          .place = (path.ends_with('/') ? path : path + "/") + std::string(file)},
                .is_folder = false};
    struct stat there {};
    if (::lstat(child.entry.place.c_str(), &there) != 0)
      return odd_(child.entry.place, std::strerror(errno));
    if (S_ISLNK(there.st_mode)) {
      if (!follow_links_) return;
      if (::stat(child.entry.place.c_str(), &there) != 0)
        return odd_(child.entry.place, "a symbolic link to nothing");
    }
    child.is_folder = S_ISDIR(there.st_mode);
    if (!child.is_folder && !S_ISREG(there.st_mode))
      return odd_(child.entry.place, "neither a file nor a folder");
    if (const std::string why = why_no_key(child.entry.name); !why.empty())
      return odd_(child.entry.place, why);
    if (child.is_folder) child.entry.name += '/';
    child.entry.size = static_cast<std::uint64_t>(there.st_size);
    child.entry.modified_ms = modified_ms_of(there);
    folder.left.push_back(std::move(child));
  }

  const bool follow_links_;
  const TellOdd odd_;
  std::vector<Folder> open_;
};

}  // namespace

NextEntry local_entries(const std::string& folder, bool follow_links, TellOdd odd) {
  auto walk = std::make_shared<LocalWalk>(folder, follow_links, std::move(odd));
  return [walk]() -> Result<std::optional<Entry>> { return walk->next(); };
}

Result<Entry> local_entry(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return local_error(path);
  if (S_ISDIR(there.st_mode))
    return Error{ErrorKind::invalid_argument, {}, path + " is a folder: add --recursive"};
  return Entry{.name = path,
               .place = path,
               .size = static_cast<std::uint64_t>(there.st_size),
               .modified_ms = modified_ms_of(there)};
}

Error no_local_folder(const std::string& path) {
  if (!exists_locally(path)) return {ErrorKind::not_found, {}, path + ": there is no such folder"};
  return {ErrorKind::invalid_argument, {}, path + " is no folder"};
}

bool is_local_folder(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
}

bool exists_locally(const std::string& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0;
}

Result<std::string> make_way(const std::string& root, const std::string& relative) {
  const std::string folder = root.empty() ? "." : root;
  os::Files& files = os::system_files();
  if (!is_local_folder(folder)) CAIRN_CHECK(files.make_directories(folder, 0777));
  const std::string path = (folder.ends_with('/') ? folder : folder + "/") + relative;
  const auto slash = relative.rfind('/');
  if (slash == std::string::npos) return path;
  CAIRN_TRY(const auto below, os::rooted_files(folder));
  const Status made = below->make_directories(relative.substr(0, slash), 0777);
  if (!made.ok()) return with_context(made.error(), path);
  return path;
}

Status set_modified_ms(const std::string& path, std::int64_t unix_ms) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return local_error(path);
  if (!S_ISREG(there.st_mode)) return ok_status();
  timespec times[2];
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = static_cast<time_t>(unix_ms / 1000);
  times[1].tv_nsec = static_cast<long>(unix_ms % 1000 * 1'000'000);
  return ::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0 ? ok_status()
                                                            : Status(local_error(path));
}

}  // namespace cairn::cli
