// SPDX-License-Identifier: Apache-2.0
// A terminal that one program has to itself for a while.
#pragma once

#include <termios.h>

#include <string>
#include <vector>

#include "cli/top/top_screen.h"
#include "os/deadline.h"

namespace cairn::cli {

/// While it lives, standard output shows frames on a screen of its own, and keys come as they are
/// pressed. The end gives both back as they were. One at a time.
class Terminal {
 public:
  explicit Terminal(bool colours);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  ScreenSize size() const;
  /// Replaces what is shown. False where nobody takes it any more.
  bool draw(const std::vector<std::string>& lines) const;
  /// The next key, or 0 where none was pressed until the deadline.
  char key(const os::Deadline& deadline) const;

 private:
  bool write(const std::string& text) const;
  const bool colours_;
  bool has_keys_ = false;
  termios before_{};
};

}  // namespace cairn::cli
