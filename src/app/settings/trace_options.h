// SPDX-License-Identifier: Apache-2.0
// Where steps of traces go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::app {

struct TraceOptions {
  std::string url = {};                 // of the collector; empty: nothing is recorded
  double sample = 1;                    // share of the traces that begin here
  std::size_t queue_spans = 4096;       // that wait; more are dropped
  std::size_t batch_spans = 512;        // in a request
  std::int64_t linger_ms = 1'000;       // the longest that a span waits for others
  std::int64_t timeout_ms = 10'000;     // of a request
  std::string authorization_file = {};  // whose text is the field Authorization
  std::string ca_file = {};             // PEM; empty: the system's authorities

  /// Errors: invalid_argument, naming the setting.
  Status validate() const;
};

/// "10%" as 0.1. Errors: invalid_argument.
Result<double> share_of(std::string_view text);
/// The other way.
std::string share_text(double share);

}  // namespace cairn::app
