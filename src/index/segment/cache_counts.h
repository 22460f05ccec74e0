// SPDX-License-Identifier: Apache-2.0
// How often caches had what was asked for.
#pragma once

#include "os/striped_counter.h"

namespace cairn::index {

/// Of all caches of one kind in the process. Safe from any thread.
struct CacheCounts {
  os::StripedCounter hits, misses;
};

inline CacheCounts& page_cache_counts() {
  static CacheCounts counts;
  return counts;
}

inline CacheCounts& filter_cache_counts() {
  static CacheCounts counts;
  return counts;
}

}  // namespace cairn::index
