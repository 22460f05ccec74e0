// SPDX-License-Identifier: Apache-2.0
// All that is read again while the program runs, by a signal, by a request, or since a file
// changed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/reload/file_watch.h"
#include "app/reload/reload.h"
#include "base/threads.h"
#include "os/processes/service_notices.h"

namespace cairn::app {

/// Safe from any thread; one reading at a time.
class Reloading {
 public:
  struct Watched {
    std::string what;  // of its faults: "tls"
    FileWatch files;
  };
  /// `notices` outlives it.
  Reloading(std::unique_ptr<Reload> settings, std::vector<Watched> watched,
            const os::ServiceNotices& notices)
      : settings_(std::move(settings)), watched_(std::move(watched)), notices_(notices) {}

  /// Reads all of it, whether or not a file changed, and tells the service manager.
  ReloadOutcome now() CAIRN_EXCLUDES(mutex_);
  /// Reads what has changed.
  void look() CAIRN_EXCLUDES(mutex_);
  LoadedSettings in_use() const CAIRN_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  const std::unique_ptr<Reload> settings_;
  std::vector<Watched> watched_ CAIRN_GUARDED_BY(mutex_);
  const os::ServiceNotices& notices_;
};

}  // namespace cairn::app
