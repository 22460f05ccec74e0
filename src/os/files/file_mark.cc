// SPDX-License-Identifier: Apache-2.0
#include "os/files/file_mark.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace cairn::os {
namespace {

std::string boot_id() {
  std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == nullptr) return {};
  char text[64] = "";
  const int read = std::fscanf(file, "%63s", text);
  std::fclose(file);
  return read == 1 ? std::string(text) : std::string();
}

}  // namespace

Result<std::string> file_mark(const std::string& path) {
  struct ::stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    const int fault = errno;
    return Error{.kind = fault == EACCES || fault == EPERM ? ErrorKind::permission_denied
                                                           : ErrorKind::not_found,
                 .message = "looking at [" + path + "]: " + std::strerror(fault)};
  }
  const std::string boot = boot_id();
  if (boot.empty())
    return Error{.kind = ErrorKind::unavailable, .message = "the kernel tells no boot_id"};
  return boot + ":" + std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
}

}  // namespace cairn::os
