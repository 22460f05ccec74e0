// SPDX-License-Identifier: Apache-2.0
// Numbers of rows that sort in the order in which they became durable.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/result.h"

namespace cairn::objectstore {

class RocksKv;

/// Numbers that are taken in the moment in which a batch joins those that are written next: rows
/// numbered so are durable in the order of their numbers, so that who read up to one of them meets
/// no lower one later. None is given twice, over restarts too. Safe from any thread.
class RowNumbers {
 public:
  explicit RowNumbers(RocksKv& kv) : kv_(kv) {}
  /// Goes on behind the numbers of earlier runs.
  Status open();
  /// Before a batch that takes up to rows_of_a_batch_max of them: reserves more where few are left.
  /// Errors: those of a write.
  Status make_room();
  /// Never waits.
  std::uint64_t take() { return next_.fetch_add(1, std::memory_order_relaxed); }

  /// All that were taken are lower.
  std::uint64_t next() const { return next_.load(); }

  static constexpr std::uint64_t rows_of_a_batch_max = 4096;

 private:
  static constexpr std::uint64_t reserved_at_once = 1 << 22;

  RocksKv& kv_;
  std::mutex mutex_;
  std::atomic<std::uint64_t> next_{1};
  std::atomic<std::uint64_t> limit_{1};
};

}  // namespace cairn::objectstore
