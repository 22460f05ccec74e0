// SPDX-License-Identifier: Apache-2.0
#include "os/files/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/strings.h"
#include "os/files/descriptor.h"

namespace cairn::os {
namespace {

Error error_of(int number, const std::string& path) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return {.kind = ErrorKind::not_found, .message = path + " does not exist"};
    case EXDEV:
    case ELOOP:
      return {.kind = ErrorKind::permission_denied,
              .message = path + " is a link that leads out of its root"};
    case EACCES:
    case EPERM:
      return {.kind = ErrorKind::permission_denied, .message = path + " may not be read"};
    default:
      return {.kind = ErrorKind::internal, .message = path + ": " + std::strerror(number)};
  }
}

FileOwner owner_of(const struct stat& status) {
  return {.mode = status.st_mode, .uid = status.st_uid, .gid = status.st_gid};
}

/// Without openat2: one component at a time, no links.
int open_stepwise(int root, const std::string& relative, int flags) {
  Descriptor at(::dup(root));
  const auto parts = split(relative, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == ".." || parts[i].empty()) return errno = EXDEV, -1;
    const bool last = i + 1 == parts.size();
    const int step = ::openat(at.get(), std::string(parts[i]).c_str(),
                              O_NOFOLLOW | O_CLOEXEC | (last ? flags : O_PATH | O_DIRECTORY));
    if (step < 0) return -1;
    if (last) return step;
    Descriptor next(step);
    ::dup3(next.get(), at.get(), O_CLOEXEC);
  }
  return errno = ENOENT, -1;
}

int open_beneath(int root, const std::string& relative, int flags) {
  if (relative.empty()) return ::openat(root, ".", flags | O_CLOEXEC);
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const long opened = ::syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how);
  if (opened >= 0) return static_cast<int>(opened);
  if (errno == ENOSYS || (errno == EPERM && ::access("/proc", F_OK) == 0))
    return open_stepwise(root, relative, flags);
  return -1;
}

/// What a link leads to, if it stays beneath the root. O_PATH opens without reading or waiting.
int stat_link(int root, const std::string& relative, struct stat& status) {
  const Descriptor opened(open_beneath(root, relative, O_PATH));
  return opened.get() < 0 ? -1 : ::fstat(opened.get(), &status);
}

/// `folder` is open, so that one call tells of what is no link.
BeneathEntry entry_of(int root, int folder, const std::string& relative, const char* name) {
  BeneathEntry entry{.name = name};
  struct stat status {};
  int told = ::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW);
  entry.is_link = told == 0 && S_ISLNK(status.st_mode);
  if (entry.is_link) told = stat_link(root, relative, status);
  if (told != 0) {
    entry.leads_out = entry.is_link && errno == EXDEV;
    entry.fault = error_of(errno, relative).message;
    return entry;
  }
  entry.size_bytes = static_cast<std::uint64_t>(status.st_size);
  entry.modified_ns = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
  entry.owner = owner_of(status);
  entry.device = status.st_dev;
  entry.inode = status.st_ino;
  entry.is_file = S_ISREG(status.st_mode);
  entry.is_folder_link = entry.is_link && S_ISDIR(status.st_mode);
  entry.is_directory = !entry.is_link && S_ISDIR(status.st_mode);
  if (entry.is_folder_link)
    entry.fault = relative + " is a link to a folder, which is not followed";
  else if (!entry.is_file && !entry.is_directory)
    entry.fault = relative + " is no regular file";
  return entry;
}

}  // namespace

Result<std::unique_ptr<Beneath>> Beneath::open(const std::string& root) {
  const int descriptor = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOTDIR)
      return Error{.kind = ErrorKind::invalid_argument, .message = root + " is no folder"};
    return error_of(errno, root);
  }
  return std::unique_ptr<Beneath>(new Beneath(descriptor));
}

Beneath::~Beneath() { ::close(root_); }

Result<std::vector<BeneathEntry>> Beneath::list(const std::string& relative) const {
  Descriptor folder(open_beneath(root_, relative, O_RDONLY | O_DIRECTORY));
  if (folder.get() < 0) return error_of(errno, relative.empty() ? "the folder" : relative);
  DIR* stream = ::fdopendir(folder.get());
  if (stream == nullptr) return error_of(errno, relative);
  folder.release();
  std::vector<BeneathEntry> out;
  while (const dirent* found = ::readdir(stream)) {
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = relative.empty() ? found->d_name : relative + "/" + found->d_name;
    out.push_back(entry_of(root_, ::dirfd(stream), path, found->d_name));
  }
  ::closedir(stream);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

std::optional<AccessList> Beneath::access_list(const std::string& relative) const {
  const Descriptor opened(open_beneath(root_, relative, O_PATH));
  if (opened.get() < 0) return AccessList{};
  // What was opened with O_PATH has a name here, but no other calls.
  return access_list_of("/proc/self/fd/" + std::to_string(opened.get()));
}

Result<std::vector<FolderOnTheWay>> folders_on_the_way(const std::string& path) {
  std::vector<FolderOnTheWay> out;
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string folder = end == std::string::npos ? path : path.substr(0, end);
    struct stat status {};
    if (out.empty()) {
      if (::stat("/", &status) != 0) return error_of(errno, "/");
      out.push_back({.owner = owner_of(status), .list = access_list_of("/")});
    }
    if (::stat(folder.c_str(), &status) != 0) return error_of(errno, folder);
    out.push_back({.owner = owner_of(status), .list = access_list_of(folder)});
  }
  return out;
}

Result<std::string> Beneath::read(const std::string& relative, std::size_t limit_bytes) const {
  const Descriptor file(open_beneath(root_, relative, O_RDONLY | O_NONBLOCK));
  if (file.get() < 0) return error_of(errno, relative);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return error_of(errno, relative);
  if (!S_ISREG(status.st_mode))
    return Error{.kind = ErrorKind::invalid_argument, .message = relative + " is no regular file"};
  std::string bytes;
  std::size_t filled = 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  bytes.resize(std::min(size, limit_bytes) + 1);
  for (;;) {
    const ssize_t count = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0) {
      if (errno == EINTR) continue;
      return error_of(errno, relative);
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > limit_bytes)
      return Error{
          .kind = ErrorKind::too_large,
          .message = relative + " is larger than " + std::to_string(limit_bytes) + " bytes"};
    if (filled == bytes.size()) bytes.resize(std::min(bytes.size() * 2, limit_bytes + 1));
  }
  bytes.resize(filled);
  return bytes;
}

Result<std::string> real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return error_of(errno, path);
  std::string out(resolved);
  std::free(resolved);
  return out;
}

}  // namespace cairn::os
