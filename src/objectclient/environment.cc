// SPDX-License-Identifier: Apache-2.0
// Variables, files and programs of this process.
#include "objectclient/environment.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "os/files/descriptor.h"
#include "os/threads/blocking.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t output_bytes_max = 1 << 20;

Error system_error(ErrorKind kind, const std::string& what, int number) {
  return {kind, {}, what + ": " + std::strerror(number)};
}

Result<std::optional<std::string>> read_whole(const std::string& path) {
  const os::Blocking blocking;
  const os::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return system_error(errno == EACCES ? ErrorKind::permission_denied : ErrorKind::unavailable,
                        path, errno);
  }
  std::string text;
  char bytes[4096];
  for (;;) {
    const ssize_t count = ::read(file.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(ErrorKind::unavailable, path, errno);
    if (count == 0) return std::optional<std::string>(std::move(text));
    text.append(bytes, static_cast<std::size_t>(count));
    if (text.size() > output_bytes_max)
      return Error{ErrorKind::too_large, {}, path + " is larger than a configuration file may be"};
  }
}

/// Reads until the other side closes. Errors: timeout, too_large, unavailable.
Result<std::string> read_pipe(int fd, const os::Deadline& deadline) {
  std::string text;
  char bytes[4096];
  for (;;) {
    pollfd ready{fd, POLLIN, 0};
    const std::int64_t left_ms = std::clamp<std::int64_t>(deadline.remaining_ms(), 0, 1'000);
    const int events = ::poll(&ready, 1, static_cast<int>(left_ms));
    if (events < 0 && errno != EINTR) return system_error(ErrorKind::unavailable, "poll", errno);
    CAIRN_CHECK(deadline.check("waiting for a command"));
    if (events <= 0) continue;
    const ssize_t count = ::read(fd, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(ErrorKind::unavailable, "read", errno);
    if (count == 0) return text;
    text.append(bytes, static_cast<std::size_t>(count));
    if (text.size() > output_bytes_max)
      return Error{ErrorKind::too_large, {}, "the command printed more than 1 MiB"};
  }
}

Result<std::string> run_command(const std::string& command, const os::Deadline& deadline) {
  const os::Blocking blocking;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return system_error(ErrorKind::unavailable, "pipe", errno);
  const os::Descriptor reading(ends[0]);
  os::Descriptor writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  // A group of its own, so that what the shell has begun ends with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const char* const words[] = {"/bin/sh", "-c", command.c_str(), nullptr};
  pid_t child = 0;
  const int fault = ::posix_spawn(&child, words[0], &actions, &attributes,
                                  const_cast<char* const*>(words), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  writing.close();
  if (fault != 0) return system_error(ErrorKind::unavailable, "/bin/sh", fault);
  auto text = read_pipe(reading.get(), deadline);
  if (!text.ok()) ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!text.ok()) return text;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{ErrorKind::unavailable, {}, "the command `" + command + "` failed"};
  return text;
}

}  // namespace

std::string Environment::variable_or(std::string_view name, std::string_view otherwise) const {
  return variable(name).value_or(std::string(otherwise));
}

std::optional<std::string> Environment::first_variable(
    const std::vector<std::string_view>& names) const {
  for (const auto name : names)
    if (auto value = variable(name); value && !value->empty()) return value;
  return std::nullopt;
}

Environment system_environment() {
  // Metadata services answer without a delay worth a pool, but a client keeps its resolver warm.
  const auto client = std::make_shared<net::Client>();
  return {.variable = [](std::string_view name) -> std::optional<std::string> {
            const char* const value = std::getenv(std::string(name).c_str());
            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
          },
          .read_file = read_whole,
          .run = run_command,
          .send =
              [client](const net::ClientRequest& request, const os::Deadline& deadline) {
                return client->send(request, deadline, output_bytes_max);
              },
          .clock = &os::system_clock(),
          .sleep =
              [](std::int64_t nanoseconds, const os::Deadline& deadline) {
                const os::Blocking blocking;
                return os::sleep_ms((nanoseconds + 999'999) / 1'000'000, deadline);
              },
          .random = &os::system_random()};
}

}  // namespace cairn::objectclient
