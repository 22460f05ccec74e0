// SPDX-License-Identifier: Apache-2.0
// The level of the log, which the configuration says and a setting of the cluster goes before.
#pragma once

#include <optional>

#include "base/threads.h"
#include "os/log.h"

namespace cairn::app {

/// Safe from any thread.
class LogLevels {
 public:
  explicit LogLevels(os::LogLevel configured) : configured_(configured) {}

  /// As the configuration says.
  void set_configured(os::LogLevel level) {
    const MutexLock lock(mutex_);
    configured_ = level;
    use();
  }
  /// As the cluster says; nothing: as the configuration does.
  void set_kept(std::optional<os::LogLevel> level) {
    const MutexLock lock(mutex_);
    kept_ = level;
    use();
  }
  os::LogLevel in_force() const {
    const MutexLock lock(mutex_);
    return kept_.value_or(configured_);
  }
  os::LogLevel configured() const {
    const MutexLock lock(mutex_);
    return configured_;
  }

 private:
  void use() const CAIRN_REQUIRES(mutex_) { os::set_log_level(kept_.value_or(configured_)); }

  mutable Mutex mutex_;
  os::LogLevel configured_ CAIRN_GUARDED_BY(mutex_);
  std::optional<os::LogLevel> kept_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::app
