// SPDX-License-Identifier: Apache-2.0
// What `_tasks` shows of all that goes on, and what those who watch it can do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::tasks {

/// Who began a task.
struct Owner {
  std::string key;             // the id of the API key
  std::string opaque_id = {};  // X-Opaque-Id of the request; empty: none
};

/// How a task ended: with an answer, or, where `error` is set, without.
struct Ending {
  Json response = {};  // as the API answers it
  int status = 200;    // of that answer
  std::optional<Error> error = {};
};

/// What the API shows of a task, or of a part of one.
struct TaskInfo {
  std::uint64_t number = 0;
  std::optional<std::uint64_t> parent = {};
  std::string action;
  Json info;
};

/// Safe from any thread.
class Listed {
 public:
  virtual ~Listed() = default;

  virtual const Owner& owner() const = 0;
  /// What `_tasks` shows; `node` is the node's id. The whole first, then its parts where there are
  /// several.
  virtual std::vector<TaskInfo> infos(const std::string& node, bool detailed) const = 0;
  /// The first reason stays. The work ends soon after.
  virtual void cancel(const std::string& reason) = 0;
  /// Waits for the end; false where the deadline came first.
  virtual bool wait(const os::Deadline& deadline) const = 0;
  /// Nothing before the end, and of what answers elsewhere.
  virtual std::optional<Ending> ending() const { return std::nullopt; }
};

}  // namespace cairn::tasks
