// SPDX-License-Identifier: Apache-2.0
// What uploads and downloads share. Not part of the installed headers.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/threads.h"
#include "s3/operations/shape.h"

namespace cairn::objectclient {

/// Copies the members that both structures have, by name and type.
void copy_members(const s3::Shape& from_shape, const void* from, const s3::Shape& to_shape,
                  void* to);

template <class To, class From>
To with_members_of(const From& from) {
  To to{};
  copy_members(s3::shape_of<From>(), &from, s3::shape_of<To>(), &to);
  return to;
}

/// Runs `step` on several threads until it says that there is no more, or one of them fails; the
/// first failure. `step` gives true while there is more to do.
Status run_on_threads(int threads, const std::function<Result<bool>()>& step);

/// Adds up what several threads have done, for one who wants to know.
class SharedProgress {
 public:
  SharedProgress(const std::function<void(std::uint64_t, std::optional<std::uint64_t>)>& tell,
                 std::optional<std::uint64_t> total)
      : tell_(tell), total_(total) {}
  void add(std::uint64_t bytes) {
    if (!tell_) return;
    MutexLock lock(mutex_);
    tell_(done_ += bytes, total_);
  }

 private:
  const std::function<void(std::uint64_t, std::optional<std::uint64_t>)>& tell_;
  const std::optional<std::uint64_t> total_;
  Mutex mutex_;
  std::uint64_t done_ CAIRN_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::objectclient
