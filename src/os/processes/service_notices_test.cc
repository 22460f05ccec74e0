// SPDX-License-Identifier: Apache-2.0
#include "os/processes/service_notices.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "os/files/descriptor.h"
#include "os/files/test_folder.h"

namespace cairn::os::service_notices_test {
namespace {

/// A service manager that listens; a name that begins with @ is none of a file.
struct Listener {
  explicit Listener(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  }
  /// The next message; empty: there is none.
  std::string next() {
    char text[1000];
    const ssize_t size = ::recv(socket.get(), text, sizeof text, MSG_DONTWAIT);
    return size < 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
  }
  Descriptor socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

}  // namespace

TEST_CASE("service notices: what the process says arrives, a message a call") {
  const TestFolder folder;
  const std::string abstract = "@cairn-test-" + std::to_string(::getpid());
  for (const std::string& name : {folder / "notify", abstract}) {
    CAPTURE(name);
    Listener listener(name);
    const ServiceNotices notices({"HOME=/root", "NOTIFY_SOCKET=" + name});
    notices.status("opens\nthe data folder");
    CHECK(listener.next() == "STATUS=opens the data folder");
    notices.ready("answers");
    CHECK(listener.next() == "READY=1\nSTATUS=answers");
    notices.reloading();
    CHECK(listener.next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    notices.stopping();
    CHECK(listener.next().starts_with("STOPPING=1\n"));
    notices.alive();  // nobody waits for it
    CHECK(listener.next().empty());
  }
}

TEST_CASE("service notices: signs of life are given where this process is asked for them") {
  const TestFolder folder;
  Listener listener(folder / "notify");
  const std::string socket = "NOTIFY_SOCKET=" + (folder / "notify");
  const std::string own = "WATCHDOG_PID=" + std::to_string(::getpid());
  CHECK(ServiceNotices({socket, "WATCHDOG_USEC=30000000", own}).watchdog_ms() == 30'000);
  CHECK(ServiceNotices({socket, "WATCHDOG_USEC=30000000"}).watchdog_ms() == 30'000);
  for (const std::string wrong : {"WATCHDOG_USEC=x", "WATCHDOG_USEC=-1", "WATCHDOG_USEC=0"})
    CHECK(ServiceNotices({socket, wrong}).watchdog_ms() == 0);
  CHECK(ServiceNotices({socket, "WATCHDOG_USEC=30000000", "WATCHDOG_PID=1"}).watchdog_ms() == 0);
  CHECK(ServiceNotices({"WATCHDOG_USEC=30000000", own}).watchdog_ms() == 0);
  ServiceNotices({socket, "WATCHDOG_USEC=30000000"}).alive();
  CHECK(listener.next() == "WATCHDOG=1");
}

TEST_CASE("service notices: without a service manager nothing happens") {
  const std::string long_name = "/" + std::string(300, 'x');
  for (const std::string& socket :
       {std::string(), std::string("relative"), std::string("/none/there"), long_name})
    ServiceNotices({"NOTIFY_SOCKET=" + socket}).ready("answers");
  ServiceNotices({}).stopping();
}

}  // namespace cairn::os::service_notices_test
