// SPDX-License-Identifier: Apache-2.0
// How many versions a bucket holds, and how many bytes they are of.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace cairn::objectstore {

/// Every version and delete marker counts as one; bytes are those that clients sent. Uploads that
/// are not completed are not in it.
struct BucketUsage {
  std::uint64_t versions = 0;
  std::uint64_t bytes = 0;
};

/// What a change adds to it.
struct UsageChange {
  std::int64_t versions = 0;
  std::int64_t bytes = 0;
};

/// The count of one bucket: what a walk over its rows found, and what changed since that walk
/// began. Safe from any thread, without a lock. Every change must be told, or doubt() be called.
class UsageCount {
 public:
  void add(const UsageChange& change) {
    versions_.fetch_add(change.versions, std::memory_order_relaxed);
    bytes_.fetch_add(change.bytes, std::memory_order_relaxed);
  }
  /// Something may have happened, or not: only a new walk can tell.
  void doubt() {
    doubts_.fetch_add(1);
    known_.store(false);
  }

  /// Made while no change is in progress, and before the walk sees its first row.
  struct Begin {
    std::uint64_t doubts = 0;
    UsageChange told = {};
  };
  Begin begin() const { return {doubts_.load(), {versions_.load(), bytes_.load()}}; }
  /// False where something became doubtful meanwhile.
  bool end(const Begin& begin, const BucketUsage& walked) {
    base_versions_.store(static_cast<std::int64_t>(walked.versions) - begin.told.versions);
    base_bytes_.store(static_cast<std::int64_t>(walked.bytes) - begin.told.bytes);
    known_.store(true);
    if (doubts_.load() == begin.doubts) return true;
    known_.store(false);
    return false;
  }
  /// Nothing before the first walk has ended.
  std::optional<BucketUsage> read() const {
    if (!known_.load()) return std::nullopt;
    const auto sum = [](std::int64_t base, std::int64_t told) {
      return static_cast<std::uint64_t>(base + told > 0 ? base + told : 0);
    };
    return BucketUsage{sum(base_versions_.load(), versions_.load()),
                       sum(base_bytes_.load(), bytes_.load())};
  }

 private:
  std::atomic<std::int64_t> versions_{0}, bytes_{0};  // told since the process began
  std::atomic<std::int64_t> base_versions_{0}, base_bytes_{0};
  std::atomic<std::uint64_t> doubts_{0};
  std::atomic<bool> known_{false};
};

}  // namespace cairn::objectstore
