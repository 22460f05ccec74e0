// SPDX-License-Identifier: Apache-2.0
// What the library asks of the machine: variables, files, programs, time. Tests replace each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/client/client.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"

namespace cairn::objectclient {

struct Environment {
  /// The value of an environment variable; nothing where it is not set.
  std::function<std::optional<std::string>(std::string_view name)> variable = {};
  /// The whole file; nothing where there is none. Errors: permission_denied, unavailable.
  std::function<Result<std::optional<std::string>>(const std::string& path)> read_file = {};
  /// Runs a command by the shell and gives what it wrote to its standard output.
  /// Errors: unavailable (not started, or an exit status other than 0), timeout.
  std::function<Result<std::string>(const std::string& command, const os::Deadline& deadline)> run =
      {};
  /// One HTTP exchange, without retries. Errors: those of net::Client.
  std::function<Result<net::ClientReply>(const net::ClientRequest& request,
                                         const os::Deadline& deadline)>
      send = {};
  /// Asked before every connection of a call, redirects too; empty: all may be made. For clients
  /// whose endpoint somebody else chose. What `send` asks for credentials is not among them.
  net::AddressCheck check_address = {};
  /// The addresses of a host name; empty: the system is asked. Where names of buckets as sub-domains
  /// lead is a matter of the network, and of tests.
  net::Resolver resolve = {};
  const os::Clock* clock = nullptr;
  /// Waits; false where the deadline ended it. Empty: this thread sleeps.
  std::function<bool(std::int64_t nanoseconds, const os::Deadline& deadline)> sleep = {};
  /// Of jitter and names of attempts; null: the machine's.
  os::Random* random = nullptr;

  std::string variable_or(std::string_view name, std::string_view otherwise) const;
  /// The first of the variables that is set and not empty.
  std::optional<std::string> first_variable(const std::vector<std::string_view>& names) const;
};

/// The machine's own. Commands and files are read by blocking calls of the calling thread.
Environment system_environment();

}  // namespace cairn::objectclient
