// SPDX-License-Identifier: Apache-2.0
// What all indices of the process do by themselves, as metrics.
#pragma once

#include "os/metrics.h"

namespace cairn::index {

/// Safe from any thread.
struct WorkCounts {
  WorkCounts();
  os::Counter& refreshes;
  os::Counter& flushes;
  os::Counter& merges;        // of segments in the store
  os::Counter& merge_ns;      // from their begin to their end, rests of the pace included
  os::Counter& merged_bytes;  // that they wrote
  os::Gauge& merging;
  os::Counter& indexed;  // documents
  os::Counter& deleted;
};

/// The ones of this process, made and shown from the first call on.
WorkCounts& work_counts();

}  // namespace cairn::index
