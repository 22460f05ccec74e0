// SPDX-License-Identifier: Apache-2.0
// Queries that are sent once and named by their hash from then on.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/threads.h"

namespace cairn::api {

/// Kept in memory, the least recently used are forgotten first; a client then sends the text again.
/// Safe from any thread.
class PersistedQueries {
 public:
  explicit PersistedQueries(std::size_t bytes_max = 16 << 20) : bytes_max_(bytes_max) {}

  /// The query of that hash, in lower-case hexadecimal digits.
  std::optional<std::string> find(std::string_view sha256);
  /// Keeps a query; false where the hash is not its own.
  bool keep(std::string_view sha256, std::string_view query);

 private:
  struct Entry {
    std::string hash, query;
  };
  const std::size_t bytes_max_;
  Mutex mutex_;
  std::list<Entry> newest_first_ CAIRN_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::list<Entry>::iterator> by_hash_ CAIRN_GUARDED_BY(mutex_);
  std::size_t bytes_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::api
