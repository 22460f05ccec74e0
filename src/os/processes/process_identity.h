// SPDX-License-Identifier: Apache-2.0
// Which process this is, so that another one on the same machine can tell that it is gone.
#pragma once

#include <cstdint>
#include <string>

namespace cairn::os {

struct ProcessIdentity {
  std::string host;     // for people
  std::string machine;  // a boot of a machine and a space of process ids; empty: not known
  std::int64_t pid = 0;
  std::string started;  // tells processes with one id apart

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

ProcessIdentity this_process();

/// True where a process of this machine's space of ids surely runs no more. False for any other
/// machine.
bool is_surely_gone(const ProcessIdentity& process);

}  // namespace cairn::os
