// SPDX-License-Identifier: Apache-2.0
#include "objectstore/extents/directory_sync.h"

#include <condition_variable>
#include <map>

#include "os/threads/blocking.h"

namespace cairn::objectstore {

struct DirectorySync::Round {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t begun = 0;  // syncs, counted from 1
  std::uint64_t ended = 0;
  bool running = false;
  std::map<std::uint64_t, Error> failures;  // the latest few, by sync
};

DirectorySync::DirectorySync(os::Files& files) : files_(files) {}
DirectorySync::~DirectorySync() = default;

DirectorySync::Round& DirectorySync::round_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  auto& round = rounds_[path];
  if (!round) round = std::make_unique<Round>();
  return *round;
}

Status DirectorySync::sync(const std::string& path) {
  Round& round = round_of(path);
  const os::Blocking waiting;
  std::unique_lock lock(round.mutex);
  const std::uint64_t mine = round.begun + 1;  // one that is running may have begun too early
  while (round.ended < mine) {
    if (round.running) {
      round.changed.wait(lock);
      continue;
    }
    round.running = true;
    const std::uint64_t number = ++round.begun;
    lock.unlock();
    Status done = files_.sync_directory(path);
    lock.lock();
    if (!done.ok()) round.failures.emplace(number, std::move(done).error());
    if (round.failures.size() > 16) round.failures.erase(round.failures.begin());
    round.ended = number;
    round.running = false;
    round.changed.notify_all();
  }
  const auto failure = round.failures.find(mine);
  return failure == round.failures.end() ? ok_status() : Status(failure->second);
}

}  // namespace cairn::objectstore
