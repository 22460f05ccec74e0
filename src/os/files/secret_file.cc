// SPDX-License-Identifier: Apache-2.0
// Written beside the target, synced, renamed over it, and the folder synced.
#include "os/files/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "os/files/descriptor.h"

namespace cairn::os {
namespace {

constexpr std::size_t secret_bytes_max = 64 << 10;

Error failed(std::string_view doing, const std::string& path, int fault) {
  const ErrorKind kind = fault == ENOSPC || fault == EDQUOT ? ErrorKind::storage_full
                         : fault == EACCES || fault == EPERM || fault == EROFS
                             ? ErrorKind::permission_denied
                             : ErrorKind::internal;
  return {kind, {}, std::string(doing) + " " + path + ": " + std::strerror(fault)};
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

Status make_folders(const std::string& folder) {
  struct stat there {};
  if (::stat(folder.c_str(), &there) == 0) return ok_status();
  if (const std::string above = folder_of(folder); above != folder)
    CAIRN_CHECK(make_folders(above));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return failed("cannot make the folder", folder, errno);
  return ok_status();
}

Status write_whole(const std::string& path, std::string_view text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed("cannot write", path, errno);
  if (::fchmod(file.get(), 0600) != 0) return failed("cannot protect", path, errno);
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("cannot write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) return failed("cannot sync", path, errno);
  return ok_status();
}

/// Those that live now.
struct AllPlaces {
  std::shared_mutex mutex;
  std::vector<const SecretPlaces*> all;
};
AllPlaces& all_places() {
  static AllPlaces places;
  return places;
}

/// With the lock held as long as they are used.
const SecretPlaces* places_of(const AllPlaces& places, const std::string& path) {
  for (const SecretPlaces* each : places.all)
    if (path.starts_with(each->folder + "/")) return each;
  return nullptr;
}

}  // namespace

SecretPlaces::SecretPlaces(std::string below, Write how, Find where)
    : folder(std::move(below)), write(std::move(how)), find(std::move(where)) {
  AllPlaces& places = all_places();
  const std::unique_lock lock(places.mutex);
  places.all.push_back(this);
}

SecretPlaces::~SecretPlaces() {
  AllPlaces& places = all_places();
  const std::unique_lock lock(places.mutex);
  std::erase(places.all, this);
}

Status write_secret_file(const std::string& path, std::string_view text) {
  AllPlaces& places = all_places();
  const std::shared_lock lock(places.mutex);
  if (const SecretPlaces* const found = places_of(places, path)) return found->write(path, text);
  return write_one_secret_file(path, text);
}

Status write_one_secret_file(const std::string& path, std::string_view text) {
  const std::string folder = folder_of(path);
  CAIRN_CHECK(make_folders(folder));
  const std::string next = path + ".next";
  CAIRN_CHECK(write_whole(next, text));
  if (::rename(next.c_str(), path.c_str()) != 0) return failed("cannot rename to", path, errno);
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || ::fsync(directory.get()) != 0)
    return failed("cannot sync", folder, errno);
  return ok_status();
}

Result<std::optional<std::string>> read_secret_file(const std::string& given) {
  const std::string path = [&] {
    AllPlaces& places = all_places();
    const std::shared_lock lock(places.mutex);
    const SecretPlaces* const found = places_of(places, given);
    return found != nullptr ? found->find(given) : given;
  }();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) return std::optional<std::string>();
  if (file.get() < 0) return failed("cannot read", path, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failed("cannot read", path, errno);
  if ((info.st_mode & 0077) != 0)
    return Error{ErrorKind::permission_denied,
                 {},
                 path + " may be read by others than its owner; run: chmod 600 " + path};
  if (info.st_uid != ::geteuid())
    return Error{ErrorKind::permission_denied,
                 {},
                 path + " belongs to user " + std::to_string(info.st_uid) +
                     ", and this process is " + std::to_string(::geteuid()) + "; run: chown " +
                     std::to_string(::geteuid()) + " " + path};
  std::string text(secret_bytes_max + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("cannot read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > secret_bytes_max)
    return Error{ErrorKind::too_large, {}, path + " is no file of a key: it is over 64 KiB"};
  text.resize(size);
  return std::optional<std::string>(std::move(text));
}

}  // namespace cairn::os
