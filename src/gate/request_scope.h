// SPDX-License-Identifier: Apache-2.0
// One request inside the gate, from the decision to the end of its reply.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "gate/cpu_meter.h"
#include "gate/limit_fields.h"
#include "gate/limit_metrics.h"
#include "gate/route.h"
#include "net/http/message.h"
#include "ratelimit/limiter.h"
#include "ratelimit/rule_counts.h"

namespace cairn::gate {

class Gate;

/// Made by ListenerGate::enter(). Counts as one of the caller's concurrent requests until finish()
/// or its end, so it lives as long as the reply is being written, whatever becomes of it. For one
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
  bool refused() const { return refused_late_ || !admission_.decision().admitted(); }
  int refused_status() const { return refused_status_; }  // 0 where it is not
  /// Seconds to wait, of a refusal; at least 1.
  std::uint32_t retry_after_s() const {
    return refused_late_ ? late_wait_s_ : admission_.decision().retry_after_s;
  }

  /// What is left of the primary limit that the request counts against, its own cost taken; nothing
  /// where it has none.
  const std::optional<ratelimit::WindowState>& window() const {
    return admission_.decision().window;
  }
  /// The request showed a session that has ended: the reply takes its cookie away.
  bool clears_session() const { return clears_session_; }
  /// For a request inside another: the same caller, counted by nobody.
  static RequestScope inside(Caller caller) {
    RequestScope out;
    out.caller_ = std::move(caller);
    return out;
  }

  /// Adds x-ratelimit-limit, -remaining, -used, -reset and -resource where the caller has a limit
  /// here, ratelimit-policy and ratelimit beside them, and retry-after where the refusal tells it;
  /// traceresponse where the caller named a trace.
  /// Once for every reply.
  void put_headers(net::HeadLines& lines) const;
  /// For a 304, before its head is written: gives an authenticated caller back what the request
  /// cost, and replaces `lines` by the headers as they are now.
  void not_modified(net::HeadLines& lines);
  /// The request holds so many searches: rules that weigh them count the others too. The status
  /// is ok, or the refusal of such a rule, which status(), refused() and put_headers() tell from
  /// then on.
  Status weigh_searches(std::uint64_t searches);
  /// True where a rule refused after the headers were put.
  bool refused_late() const { return refused_late_; }
  /// True where a rule weighs the bytes of the body, whose number was not told before: then
  /// took_body() tells it, once.
  bool awaits_body() const { return rules_ != nullptr && rules_->awaits_body(); }
  void took_body(std::uint64_t bytes) {
    if (rules_ != nullptr) rules_->took_body(bytes);
  }
  /// The reply is written, or never will be. `now_ns` of os::system_clock().steady_ns(); 0 asks it.
  void finish(std::int64_t now_ns = 0);

 private:
  friend class ListenerGate;
  void take(RequestScope& other) noexcept;
  /// What weighing asks, set where rules were counted.
  struct Late {
    const Gate* gate = nullptr;
    const ratelimit::Policy* policy = nullptr;  // that rules_ keeps
    std::string operation = {};
  };

  Caller caller_ = {};
  Status status_ = ok_status();
  ratelimit::Admission admission_ = {};
  CpuMeter cpu_ = {};
  const LimitMetrics::Decisions* decisions_ = nullptr;
  LimitMetrics* metrics_ = nullptr;                    // set while it is counted as live
  std::unique_ptr<ratelimit::RuleCounts> rules_ = {};  // of the operator; usually there are none
  std::unique_ptr<Late> late_ = {};
  ratelimit::Surface surface_ = ratelimit::Surface::platform;
  int refused_status_ = 0;
  bool tells_wait_ = false;
  bool refunds_ = false;
  bool refused_late_ = false;
  bool clears_session_ = false;
  std::uint32_t late_wait_s_ = 0;
};

}  // namespace cairn::gate
