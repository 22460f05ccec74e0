// SPDX-License-Identifier: Apache-2.0
// Deletes sessions of browsers that are over, and writes when the others were used last.
#pragma once

#include <memory>

#include "auth/sessions/sessions.h"
#include "base/result.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Looks once a minute. Shows how many sessions there are as the gauge cairn_sessions.
class SessionUpkeep {
 public:
  /// The sessions outlive it. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<SessionUpkeep>> start(auth::Sessions& sessions);
  explicit SessionUpkeep(auth::Sessions& sessions) : sessions_(sessions) {}
  /// Ends the work, writes all times of use, and shows no session any more; so does the destructor.
  /// Later calls do nothing.
  void stop();
  ~SessionUpkeep() { stop(); }

 private:
  auth::Sessions& sessions_;
  os::Thread thread_;
  bool stopped_ = false;
};

}  // namespace cairn::app
