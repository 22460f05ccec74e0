// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/write_groups.h"

#include <utility>

namespace cairn::objectstore {

WriteGroups::WriteGroups(Write write) 
    : write_(std::move(write)),
      thread_(os::Thread::start_or_tell({.name = "cairn-commit"}, [this] { run(); })) {}

WriteGroups::~WriteGroups() {
  {
    const MutexLock lock(mutex_);
    ends_ = true;
  }
  behind_.notify_one();
  thread_.join();
}

WriteGroups::Group& WriteGroups::gathering() {
  if (waiting_.empty() || waiting_.back()->batch.GetDataSize() >= bytes_max)
    waiting_.push_back(std::make_shared<Group>());
  return *waiting_.back();
}

rocksdb::Status WriteGroups::commit(const Fill& fill) {
  std::shared_ptr<Group> group;
  bool mine = false;
  {
    const MutexLock lock(mutex_);
    rocksdb::WriteBatch& batch = gathering().batch;
    batch.SetSavePoint();
    if (const rocksdb::Status filled = fill(batch); !filled.ok()) {
      batch.RollbackToSavePoint().PermitUncheckedError();
      return filled;
    }
    batch.PopSavePoint().PermitUncheckedError();
    group = waiting_.back();
    mine = !writing_;
    if (mine) {
      writing_ = true;
      waiting_.pop_back();  // the only one
    }
  }
  if (!mine) {
    group->written.wait();
    return group->status;
  }
  write(*group);
  bool others = false;
  {
    const MutexLock lock(mutex_);
    others = handed_ = writing_ = !waiting_.empty();
    if (others && !thread_.joinable()) write_all();
  }
  if (others) behind_.notify_one();
  return group->status;
}

// What could not be added may have left a group of nobody.
void WriteGroups::write(Group& group) {
  if (group.batch.Count() != 0) group.status = write_(group.batch);
  group.written.set();
}

void WriteGroups::run() {
  MutexLock lock(mutex_);
  for (;;) {
    while (!handed_ && !ends_) behind_.wait(lock);
    if (!handed_) return;
    write_all();
  }
}

// One group after another, until nobody waits.
void WriteGroups::write_all() {
  while (handed_) {
    const auto group = std::move(waiting_.front());
    waiting_.pop_front();
    mutex_.unlock();
    write(*group);
    mutex_.lock();
    handed_ = writing_ = !waiting_.empty();
  }
}

}  // namespace cairn::objectstore
