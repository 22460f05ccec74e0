// SPDX-License-Identifier: Apache-2.0
// How much a long loop has done, and when it must end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "os/deadline.h"

namespace cairn::os {

/// Counts the steps of long loops (one document, byte or position each) and looks at
/// the deadline after every 4,096 of them, so that work ends soon after its caller went away.
/// One thread; the deadline outlives the object.
class Steps {
 public:
  explicit Steps(const Deadline& deadline, std::string_view doing = "searching")
      : deadline_(deadline), doing_(doing) {}
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  ~Steps() { add_to_total(); }

  /// Counts `count` steps. False once the deadline has passed: the loop ends, and whoever started
  /// it asks status(). Stays false.
  bool go_on(std::uint64_t count = 1) {
    taken_ += count;
    return taken_ < next_look_ ? status_.ok() : look();
  }
  /// The same as a status: timeout or cancelled once the deadline has passed.
  Status take(std::uint64_t count = 1) {
    if (go_on(count)) return ok_status();
    return status_;
  }
  const Status& status() const { return status_; }
  const Deadline& deadline() const { return deadline_; }
  /// Ends the loop with this error, where what it does has no other way to say so.
  void fail(Error error) {
    if (status_.ok()) status_ = std::move(error);
  }

  /// Steps of all threads since the process started, of those objects that are gone. Safe from any
  /// thread. Tests compare it before and after.
  static std::uint64_t total();

 private:
  bool look();
  void add_to_total();

  const Deadline& deadline_;
  std::string_view doing_;
  std::uint64_t taken_ = 0;
  std::uint64_t next_look_ = 4096;
  Status status_ = ok_status();
};

}  // namespace cairn::os
