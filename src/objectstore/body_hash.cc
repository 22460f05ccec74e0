// SPDX-License-Identifier: Apache-2.0
#include "objectstore/body_hash.h"

#include <condition_variable>
#include <mutex>

#include "base/encode.h"
#include "base/hash.h"
#include "os/blocking.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint64_t large_from = 1 << 20;
constexpr std::size_t piece_min = 32 << 10;  // less is hashed sooner than handed over

}  // namespace

/// The bytes of one update(), and who hashes them.
struct BodyHash::Job {
  Digest digest{DigestKind::md5};  // of whoever took the bytes; else the owner's
  std::mutex mutex;
  std::condition_variable ended;
  std::string_view bytes;    // good until update() returns
  std::uint64_t number = 0;  // of the update
  bool offered = false;      // nobody has taken the bytes yet
  bool working = false;      // the task has

  /// What the pool calls, perhaps long after the owner did it.
  void work(std::uint64_t of_update) {
    {
      const std::lock_guard lock(mutex);
      if (!offered || number != of_update) return;
      offered = false;
      working = true;
    }
    digest.update(bytes);
    const std::lock_guard lock(mutex);
    working = false;
    ended.notify_one();
  }
  bool take_back() {
    const std::lock_guard lock(mutex);
    return std::exchange(offered, false);
  }
  void wait() {
    std::unique_lock lock(mutex);
    if (!working) return;
    const os::Blocking waiting;
    ended.wait(lock, [&] { return !working; });
  }
};

BodyHash::BodyHash(std::function<os::Pool&()> pool)
    : pool_(std::move(pool)), job_(std::make_shared<Job>()) {}
BodyHash::~BodyHash() = default;

Status BodyHash::update(std::string_view bytes, const std::function<Status()>& work) {
  size_ += bytes.size();
  if (size_ <= large_from || bytes.size() < piece_min) {
    job_->digest.update(bytes);
    return work();
  }
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(job_->mutex);
    job_->bytes = bytes;
    job_->offered = true;
    number = ++job_->number;
  }
  // A pool that is full, or closing, leaves the work to this thread.
  (void)pool_().submit([job = job_, number] { job->work(number); });
  Status done = work();
  if (job_->take_back())
    job_->digest.update(bytes);
  else
    job_->wait();
  return done;
}

const std::string& BodyHash::finish() {
  if (md5_.empty()) md5_ = to_hex(job_->digest.finish());
  return md5_;
}

}  // namespace cairn::objectstore
