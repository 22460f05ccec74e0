// SPDX-License-Identifier: Apache-2.0
// The records of tasks in the background: of those that run, and what those that ended answered.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::tasks {

/// One JSON object a task, under its number. Safe from any thread; calls block up to their
/// deadline. What was put is durable.
class TaskRecords {
 public:
  explicit TaskRecords(store::Store& store) : store_(store) {}

  Status put(std::uint64_t number, const Json& record, const os::Deadline& deadline);
  Result<std::optional<Json>> get(std::uint64_t number, const os::Deadline& deadline) const;
  Status remove(std::uint64_t number, const os::Deadline& deadline);
  /// Every record, ascending by number. One that cannot be read is told in the log and left out.
  Status each(const os::Deadline& deadline,
              const std::function<Status(std::uint64_t number, const Json& record)>& each) const;

 private:
  store::Store& store_;
};

}  // namespace cairn::tasks
