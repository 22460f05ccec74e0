// SPDX-License-Identifier: Apache-2.0
// How far a folder is: a bar on a terminal, else a line now and then that differs from the last.
#pragma once

#include <cstdint>
#include <string>

#include "cli/objects/console.h"
#include "cli/objects/progress.h"

namespace cairn::cli {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Of files and bytes so many of so many are done. What has not moved is not said again in a
  /// pipe.
  void show(std::uint64_t files, std::uint64_t of_files, std::uint64_t bytes,
            std::uint64_t of_bytes);
  /// A line of its own.
  void say(const std::string& line);

 private:
  Console console_;
  Progress progress_;
  std::uint64_t shown_files_ = 0, shown_bytes_ = 0;
};

}  // namespace cairn::cli
