// SPDX-License-Identifier: Apache-2.0
// The workers of a server: threads that start on demand, of which as many as there are slots run
// or poll at once.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"
#include "os/threads/blocking.h"

namespace cairn::net {

struct WorkerPoolOptions {
  std::size_t slots = 1;
  std::size_t workers_max = 1024;
  std::size_t stack_bytes = 1 << 20;
  std::int64_t idle_ms = 30'000;  // a parked worker beyond the slots ends after so long
};

/// One thread of a pool, and the slot that os::Blocking lends.
class Worker : public os::BlockingPlace {
 public:
  /// Told when the worker is about to wait.
  std::function<void()> before_leaving;

  void leave() override;
  void resume() override;

  /// Around every wait for events: a worker that polls shows that somebody listens.
  void polls(bool yes) { polling_.store(yes, std::memory_order_relaxed); }
  /// The number of this turn.
  std::uint64_t next_round() {
    const std::uint64_t round = rounds_.load(std::memory_order_relaxed) + 1;
    rounds_.store(round, std::memory_order_relaxed);
    return round;
  }

 private:
  friend class WorkerPool;
  explicit Worker(class WorkerPool& pool) : pool_(pool) {}
  class WorkerPool& pool_;
  pthread_t thread_{};
  std::condition_variable granted_;
  bool has_slot_ = true;  // under the pool's mutex while parked
  // A slot that was taken away counts for another worker until this turn ends.
  enum class Slot : std::uint8_t { held, lent, taken };
  std::atomic<Slot> slot_{Slot::held};
  std::uint64_t round_seen_ = UINT64_MAX;  // by look_after(), under the pool's mutex
  std::atomic<bool> polling_{false};
  std::atomic<std::uint64_t> rounds_{0};
};

class WorkerPool {
 public:
  /// `turn` is called over and over on a worker that has a slot; it waits for an event and deals
  /// with it. It must return soon after stop().
  /// A worker does not park while `has_work` says that turns are left to take.
  WorkerPool(WorkerPoolOptions options, std::function<void(Worker&)> begin, std::function<void(Worker&)> turn,
       std::function<void(Worker&)> end, std::function<bool()> has_work);
  ~WorkerPool();  // stop() and join
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Errors: unavailable where not one worker could be started.
  Status start();
  void stop();  // does not wait
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  std::size_t threads() const { return threads_.load(std::memory_order_relaxed); }

  /// Called now and then by somebody else: who has computed since the last call, in one turn and
  /// without os::Blocking, loses the slot to another worker until the turn ends.
  void look_after();

 private:
  friend class Worker;
  static void* run_thread(void* worker);
  bool begins(Worker& worker);
  void run(Worker& worker);
  void slot_is_free();
  bool park(Worker& worker);
  void keep_slot(Worker& worker);
  bool wake_one(std::unique_lock<std::mutex>& lock);
  void join_finished(std::unique_lock<std::mutex>& lock);

  WorkerPoolOptions options_;
  std::function<void(Worker&)> begin_, turn_, end_;
  std::function<bool()> has_work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<std::unique_ptr<Worker>> workers_;  // under mutex_
  std::vector<Worker*> parked_;                 // under mutex_; the last to park wakes first
  std::vector<pthread_t> finished_;             // under mutex_
  std::atomic<std::size_t> threads_{0};         // changed under mutex_
  std::atomic<std::int64_t> active_{0};         // workers that have a slot
  std::atomic<bool> stopping_{false};
  std::size_t ended_ = 0;  // workers, since memory was given back; under mutex_
};

}  // namespace cairn::net
