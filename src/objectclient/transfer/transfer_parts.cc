// SPDX-License-Identifier: Apache-2.0
#include "objectclient/transfer/transfer_parts.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "os/threads/thread.h"

namespace cairn::objectclient {

void copy_members(const s3::Shape& from_shape, const void* from, const s3::Shape& to_shape,
                  void* to) {
  for (const s3::Member& member : from_shape.members) {
    const s3::Member* const other = to_shape.find(member.name);
    if (other == nullptr || other->type != member.type) continue;
    void* const source = member.field(const_cast<void*>(from));  // NOLINT: only read
    if (!member.access->has(source) || member.access->size != nullptr) continue;
    void* const value = member.access->value(source);
    void* const into = other->access->value(other->field(to));
    switch (member.type) {
      case s3::Type::text:
        *static_cast<std::string*>(into) = *static_cast<const std::string*>(value);
        break;
      case s3::Type::integer:
        *static_cast<std::int64_t*>(into) = *static_cast<const std::int64_t*>(value);
        break;
      case s3::Type::boolean:
        *static_cast<bool*>(into) = *static_cast<const bool*>(value);
        break;
      case s3::Type::time:
        *static_cast<s3::Time*>(into) = *static_cast<const s3::Time*>(value);
        break;
      case s3::Type::text_map:
        *static_cast<s3::Metadata*>(into) = *static_cast<const s3::Metadata*>(value);
        break;
      default:
        break;  // none of these operations shares structures or lists
    }
  }
}

Status run_on_threads(int threads, const std::function<Result<bool>()>& step) {
  std::atomic<bool> stop = false;
  Mutex mutex;
  std::optional<Error> failure;
  const auto work = [&] {
    while (!stop) {
      auto more = step();
      if (more.ok() && *more) continue;
      if (!more.ok()) {
        stop = true;
        MutexLock lock(mutex);
        if (!failure) failure = std::move(more).error();
      }
      return;
    }
  };
  {
    std::vector<os::Thread> workers;
    // As many as the system gives: each takes what is next.
    for (int i = 1; i < threads && (i == 1 || workers.back().joinable()); ++i)
      workers.push_back(os::Thread::start_or_tell({.name = "transfer"}, work));
    work();
  }
  if (failure) return *failure;
  return ok_status();
}

}  // namespace cairn::objectclient
