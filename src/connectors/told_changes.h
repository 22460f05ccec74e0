// SPDX-License-Identifier: Apache-2.0
// Connectors of whose sources somebody said that they changed, and what of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::connectors {

/// What a job has to look at.
struct ToldItems {
  bool everything = false;              // or more than is kept by name
  std::vector<std::string> paths = {};  // else these, ascending
};

/// Paths of items as text that is kept, and back. Errors: corrupt.
std::string encode_paths(const std::vector<std::string>& paths);
Result<std::vector<std::string>> decode_paths(const std::string& text);

/// Durable until a job is made for them: told/<connector> in the store where everything is to be
/// looked at, told_paths/<connector>/<number> for some items each. From any thread; waits for one
/// write to the store at a time. Of one connector at most 10,000 paths in 1,000 objects of the
/// store are kept; more make it everything.
///
/// Crash points: (1) the word is durable and nobody was answered; (2) the job is made and the word
/// is still there, so that another, needless job follows.
class ToldChanges {
 public:
  static constexpr std::size_t paths_max = 10'000;
  static constexpr std::size_t objects_max = 1'000;

  /// The store outlives it.
  explicit ToldChanges(store::Store& store) : store_(store) {}

  /// Durable when it returns; costs nothing where it was told before. No paths: everything.
  Status add(const std::string& connector, const std::vector<std::string>& paths,
             const os::Deadline& deadline);
  /// All that were told, also to an earlier process.
  Result<std::set<std::string>> all(const os::Deadline& deadline);

  /// Before a job is made: what is told from here on needs another one. Nothing where nothing was
  /// told; else end() follows.
  std::optional<ToldItems> begin(const std::string& connector);
  Status end(const std::string& connector, bool made, const os::Deadline& deadline);

 private:
  struct Word {
    bool everything = false;
    std::set<std::string> paths = {};
    std::vector<std::string> objects = {};  // of the store, that hold the paths
  };
  Status load(const os::Deadline& deadline);
  Status load_paths(const std::string& key, const os::Deadline& deadline);

  store::Store& store_;
  std::mutex mutex_;
  std::map<std::string, Word> told_;   // guarded by mutex_
  std::map<std::string, Word> taken_;  // between begin() and end(); guarded by mutex_
  std::uint64_t last_object_ = 0;      // guarded by mutex_
  bool is_loaded_ = false;             // what is in the store; guarded by mutex_
};

}  // namespace cairn::connectors
