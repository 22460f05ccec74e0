// SPDX-License-Identifier: Apache-2.0
// What the rooms hold, as metrics that are read when somebody looks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "index/indices.h"
#include "inference/service.h"
#include "net/server/server.h"
#include "objectstore/engine.h"
#include "os/mirror/mirror.h"
#include "os/clock.h"
#include "os/memory_breaker.h"
#include "os/metrics.h"
#include "os/threads/compute_pool.h"

namespace cairn::app {

/// What is shown. All of it outlives the metrics; the two servers may be null until they listen.
struct StateSources {
  const os::Clock& clock;
  std::string data_dir;
  const os::Mirror* mirror = nullptr;  // of the data folder, where it has one
  objectstore::Engine& engine;
  index::Indices& indices;
  os::MemoryBreaker& memory;
  os::ComputePool& compute;
  std::function<bool()> ready;
  std::function<const net::Server*()> api_server;
  std::function<const net::Server*()> objects_server;
};

/// Bytes and documents of indices, bytes and versions of buckets, memory, disk, the pool in which
/// requests compute, certificates, build and process. How many indices and buckets are named is
/// os::shown_names_max(). Nothing is shown once this is gone.
class StateMetrics {
 public:
  StateMetrics(os::Metrics& metrics, StateSources sources);
  ~StateMetrics();
  StateMetrics(const StateMetrics&) = delete;
  StateMetrics& operator=(const StateMetrics&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace cairn::app
