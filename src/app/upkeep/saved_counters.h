// SPDX-License-Identifier: Apache-2.0
// What a limiter has counted, kept over restarts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "os/threads/thread.h"
#include "ratelimit/limiter.h"
#include "store/store.h"

namespace cairn::app {

/// Writes the counters to the object "counters" every few seconds where they changed, so that a
/// crash loses no more than five seconds of counting.
class SavedCounters {
 public:
  /// Restores what was saved; counters that cannot be read are told in the log and begin anew. Then
  /// saves in the background. Both outlive it. Errors: those of the store.
  static Result<std::unique_ptr<SavedCounters>> open(ratelimit::Limiter& limiter,
                                                     store::Store& store,
                                                     const os::Deadline& deadline);
  ~SavedCounters();
  SavedCounters(const SavedCounters&) = delete;
  SavedCounters& operator=(const SavedCounters&) = delete;

  /// Ends the background work and saves a last time. Later calls do nothing.
  void stop();

 private:
  SavedCounters(ratelimit::Limiter& limiter, store::Store& store)
      : limiter_(limiter), store_(store) {}
  void work(const std::stop_token& stop);
  void save(const os::Deadline& deadline);

  ratelimit::Limiter& limiter_;
  store::Store& store_;
  std::string saved_;  // what the object holds; of the thread, then of stop()
  bool failing_ = false;
  os::Thread thread_;
};

}  // namespace cairn::app
