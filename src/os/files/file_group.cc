// SPDX-License-Identifier: Apache-2.0
#include "os/files/file_group.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cairn::os {
namespace {

Error not_given(const std::string& path, int number) {
  const ErrorKind kind = number == EPERM || number == EACCES ? ErrorKind::permission_denied
                         : number == ENOENT                  ? ErrorKind::not_found
                                                             : ErrorKind::unavailable;
  return {.kind = kind,
          .message = "the group of [" + path + "] cannot be set: " + std::strerror(number)};
}

}  // namespace

Status take_group_of(const std::string& path, const std::string& like) {
  struct stat model {};
  if (::stat(like.c_str(), &model) != 0) return not_given(like, errno);
  if (::chown(path.c_str(), static_cast<uid_t>(-1), model.st_gid) != 0)
    return not_given(path, errno);
  return ok_status();
}

}  // namespace cairn::os
