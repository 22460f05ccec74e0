// SPDX-License-Identifier: Apache-2.0
#include "objectstore/body_hash.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "os/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t large_from = 1 << 20;
constexpr std::size_t slot_bytes = 128 << 10;
constexpr std::size_t slots_max = 3;  // and the one being filled

}  // namespace

/// What waits to be hashed. One task at a time works through it, so that the bytes stay in order.
struct BodyHash::Lane {
  Digest digest{DigestKind::md5};  // of who works: the task, or the owner while none runs
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> full;
  std::vector<std::string> free;
  bool running = false;

  void work() {
    std::unique_lock lock(mutex);
    while (!full.empty()) {
      std::string slot = std::move(full.front());
      full.pop_front();
      lock.unlock();
      digest.update(slot);
      slot.clear();
      lock.lock();
      free.push_back(std::move(slot));
      changed.notify_all();
    }
    running = false;
    changed.notify_all();
  }
};

BodyHash::BodyHash(std::function<os::Pool&()> pool)
    : pool_(std::move(pool)), lane_(std::make_shared<Lane>()) {}
BodyHash::~BodyHash() = default;

void BodyHash::update(std::string_view bytes) {
  size_ += bytes.size();
  if (size_ <= large_from) {
    lane_->digest.update(bytes);
    return;
  }
  while (!bytes.empty()) {
    if (slot_.capacity() < slot_bytes) slot_.reserve(slot_bytes);
    const std::size_t take = std::min(slot_bytes - slot_.size(), bytes.size());
    slot_ += bytes.substr(0, take);
    bytes.remove_prefix(take);
    if (slot_.size() == slot_bytes) hand_over();
  }
}

void BodyHash::hand_over() {
  std::unique_lock lock(lane_->mutex);
  if (lane_->full.size() >= slots_max) {
    const os::Blocking waiting;
    lane_->changed.wait(lock, [&] { return lane_->full.size() < slots_max; });
  }
  lane_->full.push_back(std::move(slot_));
  slot_.clear();
  if (!lane_->free.empty()) {
    slot_ = std::move(lane_->free.back());
    lane_->free.pop_back();
  }
  if (std::exchange(lane_->running, true)) return;
  lock.unlock();
  // A pool that is full, or closing, leaves the work to this thread.
  const auto lane = lane_;
  if (!pool_().submit([lane] { lane->work(); }).ok()) lane_->work();
}

const std::string& BodyHash::finish() {
  if (!md5_.empty()) return md5_;
  {
    std::unique_lock lock(lane_->mutex);
    const os::Blocking waiting;
    lane_->changed.wait(lock, [&] { return !lane_->running; });
  }
  lane_->digest.update(slot_);
  md5_ = to_hex(lane_->digest.finish());
  lane_ = std::make_shared<Lane>();  // the slots are free again
  return md5_;
}

}  // namespace cairn::objectstore
