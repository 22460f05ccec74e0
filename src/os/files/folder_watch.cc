// SPDX-License-Identifier: Apache-2.0
#include "os/files/folder_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cairn::os {
namespace {

constexpr std::uint32_t of_files =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB;
constexpr std::uint32_t of_the_folder = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
constexpr std::size_t news_bytes = 64 << 10;

Error watch_error(int number, const std::string& folder) {
  ErrorKind kind = ErrorKind::internal;
  if (number == ENOSPC || number == ENOMEM) kind = ErrorKind::storage_full;
  if (number == ENOENT || number == ENOTDIR || number == ELOOP) kind = ErrorKind::not_found;
  if (number == EACCES) kind = ErrorKind::permission_denied;
  return {.kind = kind,
          .message = number == ENOSPC ? "the kernel lets this user watch no more folders "
                                        "(fs.inotify.max_user_watches)"
                                      : "watching [" + folder + "]: " + std::strerror(number)};
}

}  // namespace

Result<std::unique_ptr<FolderWatch>> FolderWatch::open(std::size_t most) {
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0)
    return Error{
        .kind = ErrorKind::unavailable,
        .message = std::string("no folder can be watched (fs.inotify.max_user_instances): ") +
                   std::strerror(errno)};
  return std::unique_ptr<FolderWatch>(new FolderWatch(descriptor, most));
}

FolderWatch::~FolderWatch() { ::close(descriptor_); }

void FolderWatch::begin_round() { round_.clear(); }

Status FolderWatch::add(const std::string& folder) {
  if (round_.size() >= most_)
    return Error{.kind = ErrorKind::storage_full,
                 .message = "more than " + std::to_string(most_) + " folders are not watched"};
  const int watch = ::inotify_add_watch(descriptor_, folder.c_str(),
                                        of_files | of_the_folder | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (watch < 0) return watch_error(errno, folder);
  watches_.insert(watch);
  round_.insert(watch);
  return ok_status();
}

void FolderWatch::end_round() {
  for (auto at = watches_.begin(); at != watches_.end();) {
    if (round_.count(*at) > 0) {
      ++at;
      continue;
    }
    ::inotify_rm_watch(descriptor_, *at);
    at = watches_.erase(at);
  }
  round_.clear();
}

FolderWatch::News FolderWatch::take() {
  News out;
  alignas(inotify_event) char bytes[news_bytes];
  while (true) {
    const ssize_t count = ::read(descriptor_, bytes, sizeof bytes);
    if (count <= 0) return out;
    for (ssize_t at = 0; at < count;) {
      inotify_event event;
      std::memcpy(&event, bytes + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      if ((event.mask & IN_Q_OVERFLOW) != 0) out.lost = true;
      if ((event.mask & IN_IGNORED) != 0) {
        // Of a watch that end_round() took away, it is no news.
        if (watches_.erase(event.wd) > 0) out.folders = true;
      } else if ((event.mask & IN_ISDIR) != 0 || (event.mask & of_the_folder) != 0) {
        out.folders = true;
      } else if ((event.mask & of_files) != 0) {
        out.files = true;
      }
    }
  }
}

}  // namespace cairn::os
