// SPDX-License-Identifier: Apache-2.0
// Sockets from addresses.
#include "net/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "net/transport.h"
#include "os/threads/blocking.h"
#include "os/threads/thread.h"

namespace cairn::net {
namespace {

std::string errno_text(int number) {
  char text[128];
  return strerror_r(number, text, sizeof text);
}

Result<std::vector<Address>> look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const std::string service = std::to_string(port);
  const int failed =
      getaddrinfo(host.empty() ? nullptr : host.c_str(), service.c_str(), &hints, &list);
  if (failed != 0) {
    return Error{.kind = ErrorKind::unavailable,
                 .message = "the host " + host + " has no address: " + gai_strerror(failed)};
  }
  std::vector<Address> addresses;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    Address address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
    addresses.push_back(address);
  }
  freeaddrinfo(list);
  return addresses;
}

Error listen_error(const HostPort& where, int number) {
  const std::string at = where.host + ":" + std::to_string(where.port);
  ErrorKind kind = ErrorKind::unavailable;
  if (number == EADDRINUSE) kind = ErrorKind::conflict;
  if (number == EACCES || number == EPERM) kind = ErrorKind::permission_denied;
  if (number == EADDRNOTAVAIL) kind = ErrorKind::invalid_argument;
  return Error{.kind = kind, .message = "cannot listen on " + at + ": " + errno_text(number)};
}

// Where no network lies between, there is no congestion. A system whose default paces what it sends
// (BBR) would arm a timer for each piece: 1 GiB to a server on the same machine took a sixth
// longer. Errors are of no consequence: then the default stays.
void expect_no_congestion(int fd, const Address& address) {
  constexpr std::string_view unpaced = "reno";  // the only one that every kernel has and allows
  if (address.is_loopback())
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, unpaced.data(), unpaced.size());
}

Result<int> connect_one(const Address& address, std::int64_t timeout_ms,
                        const os::Deadline& deadline) {
  const int fd = ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{.kind = ErrorKind::unavailable, .message = errno_text(errno)};
  Transport owner(fd);
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
  expect_no_congestion(fd, address);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0) {
    if (errno != EINPROGRESS) {
      return Error{.kind = ErrorKind::unavailable, .message = errno_text(errno)};
    }
    Patience patience({.stall_ms = timeout_ms}, deadline);
    CAIRN_CHECK(patience.wait(fd, IoState::want_write, "connecting"));
    int failed = 0;
    socklen_t size = sizeof failed;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size);
    if (failed != 0) return Error{.kind = ErrorKind::unavailable, .message = errno_text(failed)};
  }
  return owner.release();
}

}  // namespace

std::string Address::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(storage).sin_addr, text, sizeof text);
  } else if (storage.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&six)) {
      inet_ntop(AF_INET, six.s6_addr + 12, text, sizeof text);
    } else {
      inet_ntop(AF_INET6, &six, text, sizeof text);
    }
  }
  return text;
}

bool Address::is_loopback() const {
  if (storage.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(storage).sin_addr;
    return ntohl(four.s_addr) >> 24 == 127;
  }
  if (storage.ss_family != AF_INET6) return false;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

std::uint16_t Address::port() const {
  if (storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(storage).sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6&>(storage).sin6_port);
}

Result<HostPort> parse_host_port(std::string_view text) {
  const auto bad = [text] {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "[" + std::string(text) +
                            "] is not an address; write host:port or [v6 address]:port"};
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad();
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  if (!port) return bad();
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return bad();
  }
  if (host == "*") host = {};
  return HostPort{std::string(host), *port};
}

Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port,
                                     const os::Deadline& deadline) {
  if (auto numeric = look_up(host, port, AI_NUMERICHOST); numeric.ok()) return numeric;
  struct LookUp {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::optional<Result<std::vector<Address>>> answer;
  };
  // The system's resolver knows no deadline, so it runs on a thread that may be left behind.
  const auto shared = std::make_shared<LookUp>();
  const Status begun = os::Thread::start_alone({.name = "cairn-look-up"}, [shared, host, port] {
    auto answer = look_up(host, port, AI_ADDRCONFIG);
    if (!answer.ok()) answer = look_up(host, port, 0);  // loopback without any other address
    const std::lock_guard lock(shared->mutex);
    shared->answer = std::move(answer);
    shared->changed.notify_all();
  });
  if (!begun.ok()) return with_context(begun.error(), "cannot look up " + host);
  const os::Blocking blocking;
  std::unique_lock lock(shared->mutex);
  if (!os::wait(shared->changed, lock, deadline, [&] { return shared->answer.has_value(); })) {
    CAIRN_CHECK(deadline.check("looking up " + host));
    return Error{.kind = ErrorKind::timeout, .message = "looking up " + host + " took too long"};
  }
  return std::move(*shared->answer);
}

Result<int> listen_on(const HostPort& where) {
  const bool everywhere = where.host.empty();
  auto addresses = look_up(everywhere ? "::" : where.host, where.port, AI_PASSIVE);
  if (!addresses.ok() || addresses->empty()) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "cannot listen on " + where.host + ": no such address"};
  }
  int number = 0;
  for (const Address& address : *addresses) {
    const int fd =
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      number = errno;
      continue;
    }
    const int one = 1;
    const int zero = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address.storage.ss_family == AF_INET6) {
      setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, everywhere ? &zero : &one, sizeof one);
    }
    // Inherited by what is accepted.
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    expect_no_congestion(fd, address);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0 &&
        ::listen(fd, 4096) == 0) {
      return fd;
    }
    number = errno;
    ::close(fd);
  }
  if (everywhere && number == EAFNOSUPPORT) return listen_on({"0.0.0.0", where.port});
  return listen_error(where, number);
}

Result<Address> local_address(int descriptor) {
  Address address;
  address.size = sizeof address.storage;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address.storage), &address.size) !=
      0) {
    return Error{.kind = ErrorKind::internal, .message = errno_text(errno)};
  }
  return address;
}

Result<int> connect_to(const std::vector<Address>& addresses, const std::string& host,
                       std::int64_t timeout_ms, const os::Deadline& deadline) {
  const os::Deadline overall = timeout_ms > 0 ? deadline.sooner_ms(timeout_ms) : deadline;
  Error last{.kind = ErrorKind::unavailable, .message = "no address"};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // A silent address must not use up the time of the ones behind it.
    const auto share = static_cast<std::int64_t>(addresses.size() - i);
    const std::int64_t left = overall.remaining_ms();
    const std::int64_t stall = left == INT64_MAX ? 0 : std::max<std::int64_t>(left / share, 1);
    auto connected = connect_one(addresses[i], stall, overall);
    if (connected.ok()) return connected;
    last = std::move(connected).error();
    if (last.kind == ErrorKind::cancelled || deadline.passed()) break;
  }
  last.message = "cannot connect to " + host + ": " + last.message;
  return last;
}

void ignore_broken_pipes() {
  static const bool done = [] {
    struct sigaction now {};
    if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      now.sa_handler = SIG_IGN;
      sigaction(SIGPIPE, &now, nullptr);
    }
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace cairn::net
