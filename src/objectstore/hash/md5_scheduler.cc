// SPDX-License-Identifier: Apache-2.0
// Work joins and leaves between steps of all that are hashed side by side.
#include "objectstore/hash/md5_scheduler.h"

#include <algorithm>
#include <array>

#include "os/threads/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t step_blocks = (16 << 10) / md5_block_bytes;
constexpr std::size_t company_max = 5;

}  // namespace

Md5Scheduler::Md5Scheduler(std::size_t threads, const Md5Blocks& version)
    : version_(version), pool_({.name = "hash", .threads = threads}) {}

void Md5Scheduler::offer(Work& work, std::uint64_t& last) {
  const std::lock_guard lock(mutex_);
  if (work.blocks_ == 0) return;
  ++offers_;
  const std::uint64_t bodies = last == 0 ? 1 : offers_ - last;
  last = offers_;
  waiting_.push_back(&work);
  // Half of them: the others are receiving or writing.
  const std::size_t most = std::min(company_max, version_.lanes_max);
  if (waiting_.size() >= std::clamp<std::uint64_t>(bodies / 2, 1, most)) call_another();
}

/// Under the mutex.
void Md5Scheduler::call_another() {
  if (waiting_.size() <= free_lanes() + called_ * version_.lanes_max) return;
  if (running_ + called_ >= pool_.threads()) return;
  const Status called = pool_.submit([this] {
    std::unique_lock lock(mutex_);
    --called_;
    run(lock);
  });
  if (called.ok()) ++called_;
}

bool Md5Scheduler::ended(const Work& work) {
  const std::lock_guard lock(mutex_);
  return work.blocks_ == 0;
}

void Md5Scheduler::finish(Work& work) {
  {
    std::unique_lock lock(mutex_);
    if (work.blocks_ == 0) return;
    // Those who bring bytes rather wait: the more of them do, the more is hashed side by side.
    call_another();
    if (running_ + called_ == 0) run(lock);
    if (work.blocks_ == 0) return;
  }
  const os::Blocking waiting;
  std::unique_lock lock(mutex_);
  work.ended_.wait(lock, [&] { return work.blocks_ == 0; });
}

/// Until nothing is left to do.
void Md5Scheduler::run(std::unique_lock<std::mutex>& lock) {
  ++running_;
  std::array<Work*, md5_lanes_max> works;
  std::array<Md5Lane, md5_lanes_max> lanes;
  std::size_t count = 0;
  for (;;) {
    for (; count < version_.lanes_max && !waiting_.empty(); ++count, ++taken_) {
      works[count] = waiting_.front();
      waiting_.pop_front();
    }
    if (count == 0) break;
    std::size_t blocks = step_blocks;
    for (std::size_t i = 0; i < count; ++i) {
      lanes[i] = works[i]->lane_;
      blocks = std::min(blocks, works[i]->blocks_);
    }
    lock.unlock();
    version_.take(std::span(lanes).first(count), blocks);
    lock.lock();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      works[i]->lane_ = lanes[i];
      works[i]->blocks_ -= blocks;
      if (works[i]->blocks_ > 0)
        works[kept++] = works[i];
      else
        works[i]->ended_.notify_one();  // under the mutex: it is gone once its owner knows
    }
    taken_ -= count - kept;
    count = kept;
  }
  --running_;
}

}  // namespace cairn::objectstore
