// SPDX-License-Identifier: Apache-2.0
// A program of the system that runs beside this one and is spoken to through pipes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "os/files/descriptor.h"
#include "os/processes/child_process.h"

namespace cairn::connectors {

struct ProgramParams {
  std::vector<std::string> command;      // the first is an absolute path
  std::vector<std::string> environment;  // "NAME=value", all that it sees
};

/// One thread. The program ends with the thread that started it, and with this object.
class PipedProgram {
 public:
  /// Errors: unavailable, where it cannot be started.
  static Result<std::unique_ptr<PipedProgram>> start(const ProgramParams& params);
  PipedProgram(const PipedProgram&) = delete;
  PipedProgram& operator=(const PipedProgram&) = delete;

  /// Errors: unavailable, where it does not read any more; those of the deadline.
  Status write(std::string_view bytes, const os::Deadline& deadline);
  /// It reads the end of its input.
  void close_input() { input_.close(); }
  /// What it has written, at least a byte; empty at the end.
  Result<std::string> read(const os::Deadline& deadline);
  /// Waits for its end. Errors: unavailable, with the end of what it said, where it failed.
  Status finish(const os::Deadline& deadline);
  /// All that it writes, and its end. Errors: as above; too_large.
  Result<std::string> read_all(std::size_t bytes_max, const os::Deadline& deadline);

 private:
  PipedProgram(std::string name, os::ChildProcess process)
      : name_(std::move(name)), process_(std::move(process)) {}
  void take_complaints();

  std::string name_;
  os::ChildProcess process_;
  os::Descriptor input_, output_, complaints_;
  std::string said_;  // the end of it
};

}  // namespace cairn::connectors
