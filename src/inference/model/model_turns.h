// SPDX-License-Identifier: Apache-2.0
// One change of a model at a time, whoever makes it: imports, downloads, deletions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/threads.h"

namespace cairn::inference {

/// A mutex for each model that somebody changes. Safe from any thread.
class ModelTurns {
 public:
  /// The mutex of a model, the same for all who hold it. To be locked by whoever puts the files of a
  /// model in place or takes them away.
  std::shared_ptr<Mutex> of(const std::string& model_id);

 private:
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<Mutex>> turns_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::inference
