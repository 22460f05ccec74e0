// SPDX-License-Identifier: Apache-2.0
// Which system calls a process may make, told to the kernel as a BPF program.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

struct sock_filter;

namespace cairn::os {

/// A call that may be made; with `argument`, only where the low 32 bits of that one, under `mask`,
/// are none.
struct SystemCallRule {
  int number;
  int argument = -1;       // 0 to 5; -1: whatever the arguments are
  std::uint32_t mask = 0;  // bits that must not be set
};

enum class OtherCalls {
  end_process,  // by SIGSYS
  fail,         // EPERM
};

/// A program of the kernel's seccomp filter. Safe from any thread once made.
/// Source: seccomp(2); calls of 32-bit programs and of the x32 interface are never allowed.
class SystemCallFilter {
 public:
  SystemCallFilter(std::span<const SystemCallRule> allowed, OtherCalls others);
  ~SystemCallFilter();
  SystemCallFilter(const SystemCallFilter&) = delete;
  SystemCallFilter& operator=(const SystemCallFilter&) = delete;

  /// Binds the calling thread, and what it starts from here on, for ever. Gives up the right to get
  /// new privileges. Makes two system calls and nothing else, so it may run between vfork and exec.
  /// Zero, or an errno.
  int bind_this_thread() const;

 private:
  std::vector<sock_filter> program_;
};

/// What computing in memory and talking over open descriptors takes: memory that is not executable,
/// reads, writes, the time, and the end.
std::span<const SystemCallRule> computing_calls();
/// What a program of the system takes to be loaded, to read files and to write to open descriptors:
/// no file is written, no network is reached, no process is started beside.
std::span<const SystemCallRule> reading_program_calls();

}  // namespace cairn::os
