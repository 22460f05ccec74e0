// SPDX-License-Identifier: Apache-2.0
// Who works on a place of a cluster: one process at a time, kept by an object that it renews.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/threads.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"
#include "os/threads/thread.h"
#include "remotestore/cluster.h"

namespace cairn::remotestore {

struct LeaseOptions {
  /// How long after its last renewal an owner may still change things; renewed three times in it.
  std::int64_t lease_ms = 15'000;
  /// Called once, from a thread of the lease, when another process has taken the place over.
  std::function<void()> on_lost = {};
};

/// Held from acquire() to the destructor. Safe from any thread.
class Lease final : public Guard {
 public:
  /// Takes the place. An owner that gave it back, or that ran on this machine and is gone, is
  /// followed at once; one that is silent, after its lease and half of it again.
  /// Errors: conflict, with the owner's machine and process, where it renews its lease; those of a
  /// store.
  static Result<std::unique_ptr<Lease>> acquire(Cluster& cluster, LeaseOptions options,
                                                const os::Deadline& deadline);
  /// Gives the place back, unless it was lost.
  ~Lease() override;

  Result<os::Deadline> check(const os::Deadline& deadline) const override;
  bool lost() const { return lost_.load(); }

 private:
  Lease(Cluster& cluster, LeaseOptions options);
  Status take(const os::Deadline& deadline);
  Status follow(const std::string& etag, const os::Deadline& deadline);
  Status wait_for_owner(const os::Deadline& deadline);
  Status give_back(const os::Deadline& deadline);
  Status write(const std::optional<std::string>& over, bool released, const os::Deadline& deadline);
  void keep(const std::stop_token& stop);
  void set_until(std::int64_t steady_ms, std::int64_t unix_ms);

  const LeaseOptions options_;
  const os::Clock& clock_;
  os::Random& random_;
  const std::string shown_;
  const std::unique_ptr<store::Store> records_;
  const std::string id_;
  std::string etag_;  // of the record; of the acquiring thread, then of the renewing one
  std::int64_t renewals_ = 0;
  std::atomic<std::int64_t> until_steady_ms_{0};
  std::atomic<std::int64_t> until_unix_ms_{0};
  std::atomic<bool> lost_{false};
  os::Thread collector_;
};

}  // namespace cairn::remotestore
