// SPDX-License-Identifier: Apache-2.0
// Connectors of whose sources somebody said that they changed.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

/// Durable until a job is made for them: told/<connector> in the store. From any thread; waits for
/// one write to the store at a time.
///
/// Crash points: (1) the word is durable and nobody was answered; (2) the job is made and the word
/// is still there, so that another, needless job follows.
class ToldChanges {
 public:
  /// The store outlives it.
  explicit ToldChanges(store::Store& store) : store_(store) {}

  /// Durable when it returns; costs nothing where it was told before.
  Status add(const std::string& connector, const os::Deadline& deadline);
  /// All that were told, also to an earlier process.
  Result<std::set<std::string>> all(const os::Deadline& deadline);

  /// Before a job is made: what is told from here on needs another one. True where it was told;
  /// then end() follows.
  bool begin(const std::string& connector);
  Status end(const std::string& connector, bool made, const os::Deadline& deadline);

 private:
  store::Store& store_;
  std::mutex mutex_;
  std::set<std::string> told_;  // guarded by mutex_
  bool is_loaded_ = false;      // what is in the store; guarded by mutex_
};

}  // namespace cairn::connectors
