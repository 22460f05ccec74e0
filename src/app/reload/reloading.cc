// SPDX-License-Identifier: Apache-2.0
#include "app/reload/reloading.h"

namespace cairn::app {

ReloadOutcome Reloading::now() {
  const MutexLock lock(mutex_);
  notices_.reloading();
  ReloadOutcome out = settings_->now();
  for (Watched& each : watched_)
    if (const Status read = each.files.now(); !read.ok())
      out.faults.push_back({each.what, read.error().message});
  notices_.ready(out.reloaded ? "has read its settings again"
                              : "goes on with its old settings; the log says why");
  return out;
}

void Reloading::look() {
  const MutexLock lock(mutex_);
  settings_->look();
  for (Watched& each : watched_) each.files.look();
}

LoadedSettings Reloading::in_use() const {
  const MutexLock lock(mutex_);
  return settings_->in_use();
}

}  // namespace cairn::app
