// SPDX-License-Identifier: Apache-2.0
// Files that are replaced while the program runs: certificates, keys of an issuer of tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/clock.h"

namespace cairn::app {

/// Looks whether files changed, and has them read again. A certificate and its key are two files,
/// and whoever replaces them writes one after the other: what does not fit yet is tried again, and
/// told in the log when it still does not fit a while later. For one thread.
class FileWatch {
 public:
  using Read = std::function<Status()>;
  /// `what` the log calls them. Names without a text are left out; without any, nothing is read.
  FileWatch(const os::Clock& clock, std::string what, std::vector<std::string> files, Read read);

  /// Reads where a file changed since the last look, or an earlier reading failed a moment ago.
  void look();
  /// Reads, whether or not a file changed. Errors: those of the reading; the old one stays.
  Status now();

  static constexpr std::int64_t patience_ms = 10'000;

 private:
  /// Also tells the log, of an error at the last try only.
  Status read(bool last_try);

  const os::Clock& clock_;
  const std::string what_;
  std::vector<std::string> files_;
  const Read read_;
  std::string seen_;
  std::int64_t tries_until_ns_ = 0;  // 0: nothing is to be read
};

}  // namespace cairn::app
