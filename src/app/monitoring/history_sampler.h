// SPDX-License-Identifier: Apache-2.0
// Samples for the history, taken every ten seconds and kept over restarts.
#pragma once

#include <memory>
#include <stop_token>

#include "api/events/history.h"
#include "app/monitoring/figures.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/threads/thread.h"
#include "store/store.h"

namespace cairn::app {

/// One thread, which sleeps nearly always. What was sampled is saved to the object "history" every
/// ten minutes and at a clean end: a crash loses ten minutes at most.
class HistorySampler {
 public:
  /// Restores what was saved; what cannot be read is told in the log, and the history begins anew.
  /// All outlive it. Errors: unavailable, where there is no thread to be had.
  static Result<std::unique_ptr<HistorySampler>> start(api::History& history,
                                                       const FigureReader& figures,
                                                       store::Store& store, const os::Clock& clock,
                                                       const os::Deadline& deadline);
  ~HistorySampler();
  HistorySampler(const HistorySampler&) = delete;
  HistorySampler& operator=(const HistorySampler&) = delete;

  /// Ends the sampling and saves a last time. Later calls do nothing.
  void stop();

 private:
  HistorySampler(api::History& history, const FigureReader& figures, store::Store& store,
                 const os::Clock& clock)
      : history_(history), figures_(figures), store_(store), clock_(clock) {}
  void work(const std::stop_token& stop);
  void save();

  api::History& history_;
  const FigureReader& figures_;
  store::Store& store_;
  const os::Clock& clock_;
  bool failing_ = false;
  os::Thread thread_;
};

}  // namespace cairn::app
