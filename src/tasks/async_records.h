// SPDX-License-Identifier: Apache-2.0
// The answers of async searches in the store: of each a small head, and the answer apart.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::tasks {

/// Two objects a search, under its id. The head makes a search exist: it is written after the
/// answer and removed before it. Safe from any thread; calls block up to their deadline. What was
/// put is durable. Errors: those of the store.
class AsyncRecords {
 public:
  explicit AsyncRecords(store::Store& store) : store_(store) {}

  Status put_answer(const std::string& id, std::string_view answer, const os::Deadline& deadline);
  /// Nothing where there is none.
  Result<std::optional<std::string>> answer(const std::string& id,
                                            const os::Deadline& deadline) const;
  Status remove_answer(const std::string& id, const os::Deadline& deadline);

  Status put_head(const std::string& id, const Json& head, const os::Deadline& deadline);
  Status remove_head(const std::string& id, const os::Deadline& deadline);

  /// Every head. One that cannot be read is told in the log and left out; its answer stays.
  Status each_head(
      const os::Deadline& deadline,
      const std::function<Status(const std::string& id, const Json& head)>& each) const;
  /// Removes answers without a head: what a crash left. While nothing else writes.
  Status remove_leftovers(const os::Deadline& deadline);

 private:
  store::Store& store_;
};

}  // namespace cairn::tasks
