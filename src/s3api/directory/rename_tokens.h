// SPDX-License-Identifier: Apache-2.0
// What clients' tokens stand for: a rename that is asked for again, because its answer was lost, is
// done once.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/threads.h"

namespace cairn::s3api {

/// Remembers the last renames of this process. Safe from any thread.
class RenameTokens {
 public:
  struct Rename {
    std::string bucket;
    std::string from;
    std::string to;
    friend bool operator==(const Rename&, const Rename&) = default;
  };
  explicit RenameTokens(std::size_t most = 10'000) : most_(most) {}

  /// Whether this very rename was done under the token. Errors: InvalidArgument (no token);
  /// IdempotencyParameterMismatch (another rename was).
  Result<bool> is_done(const std::string& token, const Rename& rename) const;
  void done(const std::string& token, const Rename& rename);

 private:
  const std::size_t most_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Rename> known_ CAIRN_GUARDED_BY(mutex_);  // by bucket and token
  std::deque<std::string> order_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace cairn::s3api
