// SPDX-License-Identifier: Apache-2.0
// A blob that says who is at work in a repository: a snapshot that is being made, or a sweep. A
// snapshot takes its lease and then looks for sweeps; a sweep takes its own and then looks for
// snapshots: so one of two always sees the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "snapshots/options.h"
#include "store/store.h"

namespace cairn::snapshots {

/// For one thread. The references outlive it.
class Lease {
 public:
  Lease(store::Store& store, std::string key, const Options& options, const os::Clock& clock)
      : store_(store), key_(std::move(key)), options_(options), clock_(clock) {}

  const std::string& key() const { return key_; }
  /// Whether it was put, whatever became of it since.
  bool is_taken() const { return !etag_.empty(); }
  /// Puts it, or puts it again. Blocks. Errors: those of the store.
  Status take(const os::Deadline& deadline);
  /// What time it is by the clock that dates what lies in the store, which need not be this
  /// machine's: never ahead of it. Asked for once while the lease is held; without a word to the
  /// store after that. Errors: those of the store; conflict, as of beat().
  Result<std::int64_t> store_time_ms(const os::Deadline& deadline);
  /// Renews it when that is due. Errors: those of the store; conflict where somebody took it for
  /// dead and removed it, or so much time went by that somebody may.
  Status beat(const os::Deadline& deadline);
  /// Removes it. Where that fails, it is dead some time later.
  void give_back(const os::Deadline& deadline);

 private:
  Status put(const store::Condition& condition, const os::Deadline& deadline);
  std::int64_t age_ms() const { return (clock_.steady_ns() - taken_ns_) / 1'000'000; }
  Error lost() const;

  store::Store& store_;
  const std::string key_;
  const Options& options_;
  const os::Clock& clock_;
  // By the steady clock: before it was put, and when that was answered.
  std::int64_t taken_ns_ = 0, answered_ns_ = 0;
  std::optional<std::int64_t> dated_ms_ = {};  // by the store; nothing: not asked since
  std::string etag_ = {};
};

}  // namespace cairn::snapshots
