// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/input_body.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "os/threads/blocking.h"

namespace cairn::cli {
namespace {

constexpr int poll_ms = 200;

Error descriptor_error(std::string_view doing) {
  return {ErrorKind::unavailable, {}, std::string(doing) + ": " + std::strerror(errno)};
}

std::string temporary_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

}  // namespace

Result<std::size_t> DescriptorReader::read(std::span<char> into) {
  const os::Blocking blocking;
  for (;;) {
    CAIRN_CHECK(deadline_.check("reading standard input"));
    pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const int count = ::poll(&ready, 1, poll_ms);
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t bytes = ::read(descriptor_, into.data(), into.size());
    if (bytes >= 0) return static_cast<std::size_t>(bytes);
    if (errno != EINTR && errno != EAGAIN) return descriptor_error("standard input");
  }
}

Result<InputBody> input_body(const std::string& path, int descriptor,
                             const os::Deadline& deadline) {
  if (path != "-") {
    CAIRN_TRY(const os::FileInfo info, os::system_files().info(path));
    if (info.is_directory)
      return Error{ErrorKind::invalid_argument, {}, path + " is a folder, not a file"};
    return InputBody{.body = objectclient::Body::file(path)};
  }
  // A body is sent again where an attempt fails, so what comes once is kept.
  CAIRN_TRY(auto kept, os::system_files().create_unnamed(temporary_folder()));
  DescriptorReader reader(descriptor, deadline);
  std::array<char, 64 << 10> buffer;
  for (;;) {
    CAIRN_TRY(const std::size_t count, reader.read(buffer));
    if (count == 0) break;
    CAIRN_CHECK(kept->append({buffer.data(), count}));
  }
  auto body = objectclient::Body::file("/proc/self/fd/" + std::to_string(kept->descriptor()));
  return InputBody{.body = std::move(body), .kept = std::move(kept)};
}

Status write_to_descriptor(int descriptor, std::string_view bytes) {
  const os::Blocking blocking;
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return descriptor_error("standard output");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return ok_status();
}

}  // namespace cairn::cli
