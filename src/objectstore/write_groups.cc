// SPDX-License-Identifier: Apache-2.0
#include "objectstore/write_groups.h"

#include <utility>

namespace cairn::objectstore {

std::shared_ptr<WriteGroups::Group> WriteGroups::join(bool& leads) {
  if (last_ && last_->takes && last_->batch.GetDataSize() < bytes_max) return last_;
  leads = true;
  auto fresh = std::make_shared<Group>();
  if (!last_ || last_->through)
    fresh->turn.store(true, std::memory_order_relaxed);
  else
    last_->next = fresh;
  last_ = fresh;
  return fresh;
}

rocksdb::Status WriteGroups::commit(const Fill& fill) {
  bool leads = false;
  std::shared_ptr<Group> group;
  rocksdb::Status filled;
  {
    const MutexLock lock(mutex_);
    group = join(leads);
    group->batch.SetSavePoint();
    filled = fill(group->batch);
    if (!filled.ok())
      group->batch.RollbackToSavePoint().PermitUncheckedError();
    else
      group->batch.PopSavePoint().PermitUncheckedError();
  }
  if (leads)
    lead(*group);  // for those who joined, whatever became of its own
  else if (filled.ok())
    group->written.wait(false, std::memory_order_acquire);
  return filled.ok() ? group->status : filled;
}

void WriteGroups::lead(Group& group) {
  group.turn.wait(false, std::memory_order_acquire);
  {
    const MutexLock lock(mutex_);
    group.takes = false;
  }
  group.status = group.batch.Count() == 0 ? rocksdb::Status::OK() : write_(group.batch);
  std::shared_ptr<Group> next;
  {
    const MutexLock lock(mutex_);
    group.through = true;
    next = std::move(group.next);
  }
  if (next) {  // first, so that the disk is not kept waiting
    next->turn.store(true, std::memory_order_release);
    next->turn.notify_one();
  }
  group.written.store(true, std::memory_order_release);
  group.written.notify_all();
}

}  // namespace cairn::objectstore
