// SPDX-License-Identifier: Apache-2.0
// The last lines of the log that tell of something wrong, for who watches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::os {

struct LogTail {
  std::uint64_t until = 0;              // the number of the newest line; lines count from 1
  std::uint64_t lost = 0;               // lines after `after` that are kept no more
  std::vector<std::string> lines = {};  // JSON objects, oldest first
};

/// Lines of warn and above that were written after the line with number `after`: the last
/// `log_tail_lines` are kept, in the JSON form whatever the log's own is. Safe from any thread.
inline constexpr std::size_t log_tail_lines = 200;
LogTail log_tail(std::uint64_t after);

}  // namespace cairn::os
