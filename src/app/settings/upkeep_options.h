// SPDX-License-Identifier: Apache-2.0
// How often the object storage looks after itself.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace cairn::app {

struct UpkeepOptions {
  /// From the end of one walk over all buckets with rules to the beginning of the next. 0: never.
  std::int64_t lifecycle_interval_ms = 3'600'000;
  /// The same of rounds of the scrubber over all bodies. 0: never.
  std::int64_t scrub_interval_ms = 7 * 86'400'000ll;
  std::uint64_t scrub_bytes_per_second = 8u << 20;

  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

}  // namespace cairn::app
