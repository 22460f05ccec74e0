// SPDX-License-Identifier: Apache-2.0
// Ctrl-C: the first one ends what is going on in good order, the second one at once.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>

#include "os/threads/thread.h"

namespace cairn::cli {

/// While it lives, SIGINT and SIGTERM ask for a stop instead of ending the program. Made before
/// other threads, so that they leave the signals to it.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }
  bool stopped() const { return stop_.stop_requested(); }
  /// 130 or 143, as a shell says it; io_error where output was lost.
  int exit_status() const;
  /// Nobody takes what is printed: stops as a signal does. Safe from any thread.
  void lose_output();

 private:
  void watch();
  std::stop_source stop_;
  sigset_t before_{};
  int signals_ = -1;
  int done_ = -1;
  std::atomic<int> signal_ = 0;  // 0: output was lost
  os::Thread watcher_;
};

}  // namespace cairn::cli
