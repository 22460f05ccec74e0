// SPDX-License-Identifier: Apache-2.0
// A process that this one starts, bound by limits from its first instruction on.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "os/processes/readable_folders.h"
#include "os/processes/system_calls.h"

namespace cairn::os {

/// Zero: as this process.
struct ChildLimits {
  std::size_t memory_bytes = 0;  // of address space
  unsigned cpu_seconds = 0;      // of computing; then it ends by SIGKILL
};

/// How a process has ended: with a code, or by a signal.
struct ChildEnd {
  int code = 0;
  int signal = 0;  // zero: it ended by itself
};

struct ChildParams {
  std::string program = {};             // an absolute path
  std::vector<std::string> words = {};  // the first is the name that the program sees
  // Descriptors of this process that become its first ones; it has no others. -1: /dev/null.
  int input = -1;
  int output = -1;
  int errors = -1;
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8"};  // all that it sees
  ChildLimits limits = {};
  bool writes_files = false;
  // What it starts is killed with it, and it with the thread that started it.
  bool ends_with_thread = false;
  const SystemCallFilter* filter = nullptr;  // bound before the program is loaded
  const ReadableFolders* folders = nullptr;  // likewise
};

/// It writes no core dump and gets no new privileges. It is killed and waited for at the end of
/// this object. Moves; used by one thread at a time.
class ChildProcess {
 public:
  /// Errors: unavailable: no process can be started, or the program cannot be run.
  static Result<ChildProcess> start(const ChildParams& params);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  pid_t id() const { return id_; }
  /// Does not wait.
  bool has_ended() const;
  /// Waits until it has ended. At the deadline it is killed, and `signal` is SIGKILL.
  ChildEnd end(const Deadline& deadline);

 private:
  ChildProcess(pid_t id, int handle, bool is_group)
      : id_(id), handle_(handle), is_group_(is_group) {}
  void kill() const;
  pid_t id_ = -1;  // -1: has been waited for
  Descriptor handle_;
  bool is_group_ = false;
  ChildEnd end_;
};

/// The file of the program that runs. Errors: not_found.
Result<std::string> own_program();

}  // namespace cairn::os
