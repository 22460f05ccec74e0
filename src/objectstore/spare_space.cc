// SPDX-License-Identifier: Apache-2.0
#include "objectstore/spare_space.h"

#include "os/log.h"

namespace cairn::objectstore {

void SpareSpace::keep(std::uint64_t left_bytes) {
  const std::lock_guard lock(mutex_);
  if (kept_ || bytes_ == 0) return;
  const auto free = files_.free_bytes(path_.substr(0, path_.rfind('/')));
  const auto there = files_.info(path_);
  const std::uint64_t taken = there.ok() ? there->size_bytes : 0;
  if (!free.ok() || *free + taken < bytes_ + left_bytes) return;
  const auto file = files_.open(path_, os::OpenMode::create);
  if (!file.ok() || !(*file)->allocate(0, bytes_, false).ok()) return;
  kept_ = true;
  given_ = false;
}

bool SpareSpace::give() {
  const std::lock_guard lock(mutex_);
  kept_ = false;
  const auto there = files_.info(path_);
  if (!there.ok() || there->size_bytes == 0 || !files_.remove(path_).ok()) return false;
  given_ = true;
  os::log(os::LogLevel::warn, "objectstore", "spare_space_given",
          {{"bytes", static_cast<std::int64_t>(there->size_bytes)},
           {"reason", "the disk is full; deletes go on, puts wait for space"}});
  return true;
}

}  // namespace cairn::objectstore
