// SPDX-License-Identifier: Apache-2.0
// Where a command's words go, so that a test can read them.
#pragma once

#include <functional>
#include <string_view>

namespace cairn::cli {

/// Both functions may be called from several threads, one at a time.
struct Console {
  std::function<void(std::string_view text)> out = {};  // results
  std::function<void(std::string_view text)> err = {};  // progress, errors, summaries
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int columns = 80;
};

/// Standard output and standard error. `lost` is called where standard output takes no more.
Console system_console(std::function<void()> lost);

}  // namespace cairn::cli
