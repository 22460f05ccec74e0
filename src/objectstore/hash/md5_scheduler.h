// SPDX-License-Identifier: Apache-2.0
// Threads that hash the blocks of several bodies side by side.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "objectstore/hash/md5.h"
#include "os/threads/pool.h"

namespace cairn::objectstore {

class Md5Scheduler {
 public:
  /// Blocks of one digest, on the stack of whoever waits for them.
  class Work {
   public:
    Work(Md5State& state, std::string_view blocks)
        : lane_{&state, blocks.data()}, blocks_(blocks.size() / md5_block_bytes) {}
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

   private:
    friend class Md5Scheduler;
    Md5Lane lane_;
    std::size_t blocks_;  // still to be taken in
    std::condition_variable ended_;
  };

  /// `threads` 0: as many as cores; of them as few work as can. The versions of the arithmetic
  /// differ in how many bodies one thread hashes at a time.
  explicit Md5Scheduler(std::size_t threads = 0, const Md5Blocks& version = md5_blocks());

  /// Somebody begins when there is company for it: eight bodies take little longer than one. The
  /// more others brought work since this body did, the more company comes; one alone never waits
  /// for it. `last` is the scheduler's note of when that was, 0 before the first offer of a body.
  /// `work` stays where it is until finish() has returned.
  void offer(Work& work, std::uint64_t& last);
  /// Whether all its blocks are taken in. Does not hurry them.
  bool ended(const Work& work);
  /// Returns when all its blocks are taken in. What waited for company waits no longer.
  void finish(Work& work);

 private:
  /// Lanes of those at work that are free, so that offered work is taken within some 50 µs.
  std::size_t free_lanes() const { return running_ * version_.lanes_max - taken_; }
  void call_another();
  void run(std::unique_lock<std::mutex>& lock);

  const Md5Blocks version_;
  std::mutex mutex_;
  std::deque<Work*> waiting_;
  std::uint64_t offers_ = 0;
  std::size_t taken_ = 0;
  std::size_t running_ = 0;  // threads at work
  std::size_t called_ = 0;   // threads that will look whether there is work
  os::Pool pool_;            // last: its threads use all of the above
};

}  // namespace cairn::objectstore
