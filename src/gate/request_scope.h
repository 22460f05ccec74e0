// SPDX-License-Identifier: Apache-2.0
// One request inside the gate, from the decision to the end of its reply.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "gate/cpu_meter.h"
#include "gate/limit_metrics.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "ratelimit/limiter.h"

namespace cairn::gate {

/// Made by ListenerGate::enter(). Counts as one of the caller's concurrent requests until finish() or
/// its end, so it lives as long as the reply is being written, whatever becomes of it. For one
/// thread: that of the request.
class RequestScope {
 public:
  RequestScope() = default;
  RequestScope(RequestScope&& other) noexcept { take(other); }
  RequestScope& operator=(RequestScope&& other) noexcept {
    if (this == &other) return *this;
    finish();
    take(other);
    return *this;
  }
  ~RequestScope() { finish(); }

  const Caller& caller() const { return caller_; }
  /// Why it goes no further: credentials that are missing or do not verify (unauthenticated), two
  /// of them (invalid_argument), or a limit (rate_limited, see gate/refusal.h).
  const Status& status() const { return status_; }
  bool refused() const { return !admission_.decision().admitted(); }
  int refused_status() const { return refused_status_; }  // 0 where it is not
  /// Seconds to wait, of a refusal; at least 1.
  std::uint32_t retry_after_s() const { return admission_.decision().retry_after_s; }

  /// Adds x-ratelimit-limit, -remaining, -used, -reset and -resource where the caller has a limit
  /// here, and retry-after where the refusal tells it. Once for every reply.
  void put_headers(net::HeadLines& lines) const;
  /// For a 304, before its head is written: gives an authenticated caller back what the request
  /// cost, and replaces `lines` by the headers as they are now.
  void not_modified(net::HeadLines& lines);
  /// The reply is written, or never will be. `now_ns` of os::system_clock().steady_ns(); 0 asks it.
  void finish(std::int64_t now_ns = 0);

 private:
  friend class ListenerGate;
  void take(RequestScope& other) noexcept;

  Caller caller_ = {};
  Status status_ = ok_status();
  ratelimit::Admission admission_ = {};
  CpuMeter cpu_ = {};
  const LimitMetrics::Decisions* decisions_ = nullptr;
  LimitMetrics* metrics_ = nullptr;  // set while it is counted as live
  ratelimit::Surface surface_ = ratelimit::Surface::platform;
  int refused_status_ = 0;
  bool tells_wait_ = false;
  bool refunds_ = false;
};

}  // namespace cairn::gate
