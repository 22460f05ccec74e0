// SPDX-License-Identifier: Apache-2.0
// Names and numbers of hosts, listening sockets, connecting sockets.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"

namespace cairn::net {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  std::string host() const;  // numeric
  std::uint16_t port() const;
  /// Of this machine, so that what is sent never leaves it: 127.0.0.0/8, ::1.
  bool is_loopback() const;
};

struct HostPort {
  std::string host;  // without brackets; empty: every address
  std::uint16_t port = 0;
};
/// "host:port", "[v6]:port", ":port". Errors: invalid_argument.
Result<HostPort> parse_host_port(std::string_view text);

/// The addresses of a name. A look-up that outlives the deadline goes on without its caller.
/// Errors: unavailable (no such host), timeout, cancelled.
Result<std::vector<Address>> resolve(const std::string& host, std::uint16_t port,
                                     const os::Deadline& deadline);

/// A listening, non-blocking socket. Errors: invalid_argument, conflict (in use),
/// permission_denied, unavailable.
Result<int> listen_on(const HostPort& where);
Result<Address> local_address(int descriptor);

/// Connects to the first of `addresses` that answers. Errors: unavailable, timeout, cancelled.
Result<int> connect_to(const std::vector<Address>& addresses, const std::string& host,
                       std::int64_t timeout_ms, const os::Deadline& deadline);

/// Writing to a peer that has gone gives an error, not the end of the process.
void ignore_broken_pipes();

}  // namespace cairn::net
