// SPDX-License-Identifier: Apache-2.0
// What GET /_cairn/events tells of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/events/topic.h"
#include "app/monitoring/figures.h"
#include "connectors/service.h"
#include "inference/service.h"
#include "os/clock.h"
#include "os/machine.h"
#include "os/memory_breaker.h"
#include "ratelimit/limiter.h"
#include "snapshots/service.h"
#include "tasks/tasks.h"

namespace cairn::app {

/// All of it outlives the topics.
struct TopicSources {
  const os::Clock& clock;
  const FigureReader& figures;
  os::MemoryBreaker& memory;
  std::function<os::DiskSpace()> disk;
  std::int64_t disk_percent = 0;         // of use, beyond which people are told; 0: never
  std::uint64_t disk_reserve_bytes = 0;  // with less available, writes are refused
  connectors::Service& connectors;
  tasks::Tasks& tasks;
  snapshots::Service& snapshots;
  inference::Service& inference;
  ratelimit::Limiter& limiter;
  std::function<bool()> ready;
  std::int64_t started_ms = 0;
};

/// overview, jobs, limits, log: see docs/reference/events.md.
std::vector<api::Topic> live_topics(TopicSources sources);

}  // namespace cairn::app
