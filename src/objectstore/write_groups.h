// SPDX-License-Identifier: Apache-2.0
// Writers that wait for the disk meanwhile gather, so that one sync makes all of them durable.
//
// The first of a group writes for all of it, as soon as the group before is through; until then
// others join. RocksDB forms groups too, but wakes each writer twice and lets it spin and yield in
// between: with sixteen writers on two cores that was a third of the time of a small put.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <functional>
#include <memory>

#include "base/threads.h"

namespace cairn::objectstore {

class WriteGroups {
 public:
  using Fill = std::function<rocksdb::Status(rocksdb::WriteBatch&)>;
  using Write = std::function<rocksdb::Status(rocksdb::WriteBatch&)>;
  /// A group that has this much takes nobody in any more.
  static constexpr std::size_t bytes_max = 1 << 20;

  /// `write` makes a batch durable; it is called by one thread at a time.
  explicit WriteGroups(Write write) : write_(std::move(write)) {}

  /// Adds what `fill` puts into the batch, all or nothing, and returns when that is durable, or
  /// with what the write of its group said. `fill` is called once, at once, and should be short:
  /// others wait. Safe from any thread; blocks for the group before and its own write.
  rocksdb::Status commit(const Fill& fill);

 private:
  struct Group {
    rocksdb::WriteBatch batch;
    rocksdb::Status status;         // set before `written`
    std::atomic<bool> turn{false};  // the group before is through
    std::atomic<bool> written{false};
    std::shared_ptr<Group> next;  // waits for this one
    bool takes = true;
    bool through = false;
  };
  std::shared_ptr<Group> join(bool& leads) CAIRN_REQUIRES(mutex_);
  void lead(Group& group);

  const Write write_;
  Mutex mutex_;
  std::shared_ptr<Group> last_ CAIRN_GUARDED_BY(mutex_);  // the one that gathers, or gathered last
};

}  // namespace cairn::objectstore
