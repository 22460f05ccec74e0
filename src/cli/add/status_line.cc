// SPDX-License-Identifier: Apache-2.0
#include "cli/add/status_line.h"

namespace cairn::cli {

StatusLine::StatusLine()
    : console_(system_console([] {})),
      progress_(console_.err_is_terminal ? ProgressStyle::bar : ProgressStyle::lines,
                console_.columns, os::system_clock()) {}

StatusLine::~StatusLine() { console_.err(progress_.clear()); }

void StatusLine::show(std::uint64_t files, std::uint64_t of_files, std::uint64_t bytes,
                      std::uint64_t of_bytes) {
  progress_.expect(of_files, of_bytes);
  progress_.reach(files, bytes);
  const bool moved = files != shown_files_ || bytes != shown_bytes_;
  if (!moved && !console_.err_is_terminal) return;
  const std::string text = progress_.next();
  if (text.empty()) return;
  shown_files_ = files;
  shown_bytes_ = bytes;
  console_.err(text);
}

void StatusLine::say(const std::string& line) {
  console_.err(progress_.clear());
  console_.err(line + "\n");
}

}  // namespace cairn::cli
