// SPDX-License-Identifier: Apache-2.0
// Writers that wait for the disk meanwhile gather, so that one sync makes all of them durable.
//
// Who finds the disk idle writes at once, itself. Those who come meanwhile form a group, and a
// thread writes that, and the next one, until nobody waits any more: between two writes of a busy
// disk nobody has to be woken first. RocksDB forms groups too, but each is written by one of its
// writers, who has to wake up for that, and all wake twice. Where the system has no thread to give,
// whoever wrote at once writes for those who came meanwhile too.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>

#include "base/threads.h"
#include "os/threads/once_event.h"
#include "os/threads/thread.h"

namespace cairn::objectstore {

class WriteGroups {
 public:
  using Fill = std::function<rocksdb::Status(rocksdb::WriteBatch&)>;
  using Write = std::function<rocksdb::Status(rocksdb::WriteBatch&)>;
  /// A group that has this much takes nobody in any more.
  static constexpr std::size_t bytes_max = 1 << 20;

  /// `write` makes a batch durable; it is called by one thread at a time.
  explicit WriteGroups(Write write);
  /// Nobody may be in commit().
  ~WriteGroups();

  /// Adds what `fill` puts into the batch, all or nothing, and returns when that is durable, or
  /// with what the write of its group said. `fill` is called once, at once, and should be short:
  /// others wait. Safe from any thread; blocks for the groups before and its own write.
  rocksdb::Status commit(const Fill& fill);

 private:
  static constexpr std::size_t usual_bytes = 32 << 10;
  struct Group {
    rocksdb::WriteBatch batch{usual_bytes};
    rocksdb::Status status;  // set before `written`
    os::OnceEvent written;
  };
  Group& gathering() CAIRN_REQUIRES(mutex_);
  void write(Group& group);
  void run();
  void write_all() CAIRN_REQUIRES(mutex_);

  const Write write_;
  Mutex mutex_;
  std::condition_variable_any behind_;  // for the thread
  std::deque<std::shared_ptr<Group>> waiting_ CAIRN_GUARDED_BY(mutex_);
  bool writing_ CAIRN_GUARDED_BY(mutex_) = false;  // somebody writes, or the thread is about to
  bool handed_ CAIRN_GUARDED_BY(mutex_) = false;   // it is the thread who does
  bool ends_ CAIRN_GUARDED_BY(mutex_) = false;
  os::Thread thread_;
};

}  // namespace cairn::objectstore
