// SPDX-License-Identifier: Apache-2.0
// What tasks work with.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "ingest/ingest.h"
#include "os/clock.h"
#include "os/random.h"
#include "os/threads/compute_pool.h"
#include "search/service.h"
#include "store/store.h"

namespace cairn::tasks {

/// Keeps a secret for one context, which opens it again.
struct Seal {
  std::function<std::string(std::string_view secret, std::string_view context)> close = {};
  std::function<Result<std::string>(std::string_view sealed, std::string_view context)> open = {};
};

/// The references outlive the tasks.
struct Ground {
  store::Store& store;
  index::Indices& indices;
  search::Service& search;
  ingest::Ingest& ingest;
  const os::Clock& clock;
  os::ComputePool* compute = nullptr;  // where batches compute; null: on the threads of tasks
  std::string node_id = {};
  /// An error as the API shows it, and its status.
  std::function<Json(const Error& error)> error_object = {};
  std::function<int(const Error& error)> error_status = {};
  /// CPU time that a task in the background took, charged to whoever began it. Gives how many
  /// milliseconds the task has to wait before that is taken, and it goes on; 0: it is taken.
  /// Empty: nobody is charged.
  std::function<std::int64_t(const std::string& key, std::int64_t cpu_ns)> charge = {};
  os::Random& random = os::system_random();  // for ids
  /// For credentials of other servers in records. Empty: a task with some cannot be kept.
  Seal seal = {};
};

}  // namespace cairn::tasks
