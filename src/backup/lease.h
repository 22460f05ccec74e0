// SPDX-License-Identifier: Apache-2.0
// Who is at work in a repository: those who add to it, or one who takes away. Each puts its lease
// and then looks for those of the other kind, so that of two one always sees the other.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "backup/options.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "store/store.h"

namespace cairn::backup {

/// Adds may go on side by side; a sweep is alone. Safe from any thread. What is given outlives it.
class Lease {
 public:
  enum class Kind { create, sweep };
  /// Errors: conflict, where somebody of the other kind, or another sweep, is at work; those of the
  /// store.
  static Result<std::unique_ptr<Lease>> take(store::Store& store, Kind kind, const Options& options,
                                             const os::Clock& clock, os::Random& random,
                                             const os::Deadline& deadline);
  /// Gives it back; where that fails it is dead some time later.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  /// Renews it when that is due. Errors: conflict, where somebody may have taken it for dead.
  Status beat(const os::Deadline& deadline);

 private:
  Lease(store::Store& store, std::string key, const Options& options, const os::Clock& clock)
      : store_(store), key_(std::move(key)), options_(options), clock_(clock) {}
  Status put(bool is_first, const os::Deadline& deadline);
  Error lost() const;

  store::Store& store_;
  const std::string key_;
  const Options& options_;
  const os::Clock& clock_;
  std::mutex mutex_;
  std::int64_t age_ms() const { return (clock_.steady_ns() - taken_ns_) / 1'000'000; }
  std::int64_t taken_ns_ = 0;  // by the steady clock
  std::string etag_ = {};
};

}  // namespace cairn::backup
