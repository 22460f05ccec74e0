// SPDX-License-Identifier: Apache-2.0
// How far a transfer is: a line that is drawn again and again on a terminal, or one now and then.
#pragma once

#include <cstdint>
#include <string>

#include "os/clock.h"

namespace cairn::cli {

enum class ProgressStyle { none, bar, lines };

/// For one thread at a time.
class Progress {
 public:
  Progress(ProgressStyle style, int columns, const os::Clock& clock);

  void add_expected(std::uint64_t bytes);  // one more file, of so many bytes
  void all_expected() { all_known_ = true; }
  void add_bytes(std::int64_t bytes);  // may be negative: a part is sent again
  void file_done() { ++files_done_; }
  /// All at once, of work that tells its own figures.
  void expect(std::uint64_t files, std::uint64_t bytes) {
    files_expected_ = files;
    bytes_expected_ = bytes;
    all_known_ = true;
  }
  void reach(std::uint64_t files, std::uint64_t bytes) {
    files_done_ = files;
    bytes_done_ = static_cast<std::int64_t>(bytes);
  }

  /// What is to be written now; empty most of the time.
  std::string next();
  /// What takes the bar away, before something else is written.
  std::string clear();
  /// The line without its frame.
  std::string line() const;

 private:
  const ProgressStyle style_;
  const std::size_t columns_;
  const os::Clock& clock_;
  const std::int64_t begun_ns_;
  std::int64_t drawn_ns_;
  bool drawn_ = false;
  bool all_known_ = false;
  std::uint64_t bytes_expected_ = 0;
  std::uint64_t files_expected_ = 0;
  std::int64_t bytes_done_ = 0;
  std::uint64_t files_done_ = 0;
};

}  // namespace cairn::cli
