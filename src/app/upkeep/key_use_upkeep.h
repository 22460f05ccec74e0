// SPDX-License-Identifier: Apache-2.0
// Writes down now and then when keys were used last.
#pragma once

#include <memory>

#include "auth/key_uses.h"
#include "base/result.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Writes every three minutes where a key was used since: that much a crash can lose.
class KeyUseUpkeep {
 public:
  /// `uses` outlives it, and nobody else writes them. Errors: unavailable (no thread can be had).
  static Result<std::unique_ptr<KeyUseUpkeep>> start(auth::KeyUses& uses);
  explicit KeyUseUpkeep(auth::KeyUses& uses) : uses_(uses) {}
  /// Ends the work, and writes once more; so does the destructor. Later calls do nothing.
  void stop();
  ~KeyUseUpkeep() { stop(); }

 private:
  auth::KeyUses& uses_;
  os::Thread thread_;
  bool stopped_ = false;
};

}  // namespace cairn::app
