// SPDX-License-Identifier: Apache-2.0
// Places, parking, and threads on demand.
#include "net/server/worker_pool.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "base/assert.h"
#include "os/free_memory.h"
#include "os/log.h"

namespace cairn::net {

namespace {
constexpr std::size_t workers_of_a_tide = 32;
}  // namespace

void Worker::leave() {
  if (before_leaving) before_leaving();
  if (slot_.exchange(Slot::lent) == Slot::held) pool_.slot_is_free();
}

// The thread goes on at once, even if that makes one more than there are slots for: what it holds
// (a lock, a connection, a client's patience) is dearer than a moment of sharing. It parks after
// its turn.
void Worker::resume() {
  pool_.active_.fetch_add(1, std::memory_order_relaxed);
  slot_ = Slot::held;
}

WorkerPool::WorkerPool(WorkerPoolOptions options, std::function<void(Worker&)> begin,
           std::function<void(Worker&)> turn, std::function<void(Worker&)> end,
           std::function<bool()> has_work)
    : options_(options),
      begin_(std::move(begin)),
      turn_(std::move(turn)),
      end_(std::move(end)),
      has_work_(std::move(has_work)) {
  options_.slots = std::max<std::size_t>(options_.slots, 1);
  options_.workers_max = std::max(options_.workers_max, options_.slots + 1);
}

WorkerPool::~WorkerPool() {
  stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return threads_ == 0; });
  join_finished(lock);
}

Status WorkerPool::start() {
  std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < options_.slots; ++i) wake_one(lock);
  if (threads_ > 0) return ok_status();
  return Error{.kind = ErrorKind::unavailable,
               .message = "no worker thread could be started; raise the limits of threads "
                          "(ulimit -u, pids.max) or of address space (ulimit -v)"};
}

void WorkerPool::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (Worker* worker : parked_) worker->granted_.notify_one();
}

void WorkerPool::slot_is_free() {
  const std::int64_t before = active_.fetch_sub(1, std::memory_order_relaxed);
  if (before > static_cast<std::int64_t>(options_.slots)) return;
  std::unique_lock lock(mutex_);
  if (active_.load(std::memory_order_relaxed) < static_cast<std::int64_t>(options_.slots)) {
    wake_one(lock);
  }
}

// Gives a slot to a parked worker, or to a new one. False when there is none to have.
bool WorkerPool::wake_one(std::unique_lock<std::mutex>& lock) {
  CAIRN_ASSERT(lock.owns_lock());
  if (stopping()) return false;
  if (!parked_.empty()) {
    Worker* const worker = parked_.back();
    parked_.pop_back();
    worker->has_slot_ = true;
    active_.fetch_add(1, std::memory_order_relaxed);
    worker->granted_.notify_one();
    return true;
  }
  if (threads_ >= options_.workers_max) return false;
  workers_.push_back(std::unique_ptr<Worker>(new Worker(*this)));
  Worker* const worker = workers_.back().get();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, options_.stack_bytes);
  ++threads_;
  active_.fetch_add(1, std::memory_order_relaxed);
  const int failed = pthread_create(&worker->thread_, &attributes, run_thread, worker);
  pthread_attr_destroy(&attributes);
  if (failed == 0) return true;
  --threads_;
  active_.fetch_sub(1, std::memory_order_relaxed);
  workers_.pop_back();
  os::log(os::LogLevel::warn, "net", "worker_not_started",
          {{"errno", failed}, {"workers", std::uint64_t{threads_}}});
  return false;
}

void* WorkerPool::run_thread(void* worker) {
  auto& self = *static_cast<Worker*>(worker);
  self.pool_.run(self);
  return nullptr;
}

// Without memory for what a worker needs it ends, and another one is started once there is work.
bool WorkerPool::begins(Worker& worker) {
  try {
    begin_(worker);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void WorkerPool::run(Worker& worker) {
  pthread_setname_np(pthread_self(), "cairn-http");
  const bool can_work = begins(worker);
  os::set_blocking_place(&worker);
  while (can_work) {
    if (stopping()) break;
    if (active_.load(std::memory_order_relaxed) > static_cast<std::int64_t>(options_.slots) &&
        !has_work_() && !park(worker)) {
      break;
    }
    turn_(worker);
    keep_slot(worker);
  }
  os::set_blocking_place(nullptr);
  end_(worker);
  const std::lock_guard lock(mutex_);
  finished_.push_back(pthread_self());
  active_.fetch_sub(worker.has_slot_ ? 1 : 0, std::memory_order_relaxed);
  std::erase_if(workers_, [&](const auto& each) { return each.get() == &worker; });
  --threads_;
  changed_.notify_all();
}

// A slot that was taken away meanwhile counts again; that may be one more than there are, and then
// this worker parks.
void WorkerPool::keep_slot(Worker& worker) {
  if (worker.slot_.load(std::memory_order_relaxed) == Worker::Slot::held) return;
  worker.slot_ = Worker::Slot::held;
  active_.fetch_add(1, std::memory_order_relaxed);
}

// Waits for a slot. False when the worker shall end.
bool WorkerPool::park(Worker& worker) {
  std::unique_lock lock(mutex_);
  // In one step with the look, or another that leaves meanwhile believes that this one stays.
  std::int64_t active = active_.load(std::memory_order_relaxed);
  do {
    if (active <= static_cast<std::int64_t>(options_.slots)) return true;
  } while (!active_.compare_exchange_weak(active, active - 1, std::memory_order_relaxed));
  worker.has_slot_ = false;
  parked_.push_back(&worker);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.idle_ms);
  worker.granted_.wait_until(lock, until, [&] { return worker.has_slot_ || stopping(); });
  if (worker.has_slot_) return true;
  std::erase(parked_, &worker);
  return false;
}

void WorkerPool::join_finished(std::unique_lock<std::mutex>& lock) {
  CAIRN_ASSERT(lock.owns_lock());
  std::vector<pthread_t> threads;
  threads.swap(finished_);
  ended_ += threads.size();
  // Many workers had much memory together, which malloc keeps in the arena of each.
  const bool tide_is_out = ended_ >= workers_of_a_tide && parked_.size() <= options_.slots;
  if (tide_is_out) ended_ = 0;
  lock.unlock();
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  if (tide_is_out) os::return_free_memory();
  lock.lock();
}

void WorkerPool::look_after() {
  std::unique_lock lock(mutex_);
  join_finished(lock);
  for (const auto& worker : workers_) {
    const std::uint64_t round = worker->rounds_.load(std::memory_order_relaxed);
    const bool same = std::exchange(worker->round_seen_, round) == round;
    if (!same || !worker->has_slot_ || worker->polling_.load(std::memory_order_relaxed)) continue;
    auto held = Worker::Slot::held;
    if (!worker->slot_.compare_exchange_strong(held, Worker::Slot::taken)) continue;
    active_.fetch_sub(1, std::memory_order_relaxed);
  }
  const auto slots = static_cast<std::int64_t>(options_.slots);
  while (active_.load(std::memory_order_relaxed) < slots && wake_one(lock)) continue;
}

}  // namespace cairn::net
