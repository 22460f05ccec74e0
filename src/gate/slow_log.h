// SPDX-License-Identifier: Apache-2.0
// Requests that took long, one line of the log each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gate/route.h"
#include "os/metrics.h"

namespace cairn::gate {

/// From which time on a request is slow, from its head to the end of its reply. 0: none of that
/// kind is.
struct SlowLogOptions {
  std::int64_t search_ms = 1'000;
  std::int64_t indexing_ms = 5'000;
  std::int64_t objects_ms = 30'000;     // the time that a body takes to come or go is in it
  std::size_t query_bytes_max = 1'000;  // of a query that is shown
};

enum class SlowKind { none, search, indexing, objects };

/// What a row of the platform does, as far as slowness goes.
SlowKind slow_kind_of(const Route& route);

/// What a line says. Views need to live for the call.
struct SlowRequest {
  SlowKind kind = SlowKind::none;
  std::string_view operation = {};
  std::string_view index = {};       // as the path names it; of objects the bucket
  std::string_view object = {};      // the key
  std::string_view parameters = {};  // of the path's query, of searches alone
  std::string_view query = {};       // the body, of searches alone
  std::string_view api_key = {};     // its id
  std::int64_t took_ns = 0;
  int status = 0;
};

/// Safe from any thread. What is not slow costs a comparison.
class SlowLog {
 public:
  SlowLog(const SlowLogOptions& options, os::Metrics& metrics);
  bool is_slow(SlowKind kind, std::int64_t took_ns) const;
  /// Writes the line, with the ids of request and trace, and counts it. Documents are never in it,
  /// and of the query what is named like a secret is not.
  void write(const SlowRequest& request) const;

 private:
  const SlowLogOptions options_;
  os::Counter &searches_, &indexings_, &objects_;
};

/// A query as a line shows it: JSON, or lines of it, with values masked whose names are those of
/// secrets, and no longer than that. What is no JSON, or too long to be looked at, is not shown.
std::string shown_query(std::string_view body, std::size_t bytes_max);

}  // namespace cairn::gate
