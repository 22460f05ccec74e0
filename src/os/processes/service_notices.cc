// SPDX-License-Identifier: Apache-2.0
#include "os/processes/service_notices.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "base/strings.h"
#include "os/files/descriptor.h"

namespace cairn::os {
namespace {

std::string_view entry_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string_view(entry).substr(name.size() + 1);
  return {};
}

/// A line of its own: what people read may have no end of line.
std::string status_line(std::string_view text) {
  std::string out = "STATUS=" + std::string(text);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

}  // namespace

ServiceNotices::ServiceNotices(const std::vector<std::string>& environment)
    : socket_(entry_of(environment, "NOTIFY_SOCKET")) {
  // A path, or a name that no file has.
  if (!socket_.starts_with('/') && !socket_.starts_with('@')) socket_.clear();
  const std::string_view pid = entry_of(environment, "WATCHDOG_PID");
  const auto usec = parse_number<std::int64_t>(entry_of(environment, "WATCHDOG_USEC"));
  const bool is_meant = pid.empty() || parse_number<pid_t>(pid) == ::getpid();
  if (!socket_.empty() && is_meant && usec && *usec > 0)
    watchdog_ms_ = std::max<std::int64_t>(1, *usec / 1000);
}

void ServiceNotices::status(std::string_view text) const { send(status_line(text)); }

void ServiceNotices::ready(std::string_view text) const { send("READY=1\n" + status_line(text)); }

void ServiceNotices::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t usec = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec));
}

void ServiceNotices::stopping() const {
  send("STOPPING=1\n" + status_line("ends what it has begun"));
}

void ServiceNotices::alive() const {
  if (watchdog_ms_ > 0) send("WATCHDOG=1");
}

void ServiceNotices::send(const std::string& text) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  (void)::sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace cairn::os
