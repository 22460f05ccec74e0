// SPDX-License-Identifier: Apache-2.0
#include "gate/request_scope.h"

#include <algorithm>
#include <utility>

#include "gate/gate.h"
#include "gate/refusal.h"
#include "os/trace.h"

namespace cairn::gate {
void RequestScope::put_headers(net::HeadLines& lines) const {
  const ratelimit::Decision& decision = admission_.decision();
  const bool shows = decision.window && decisions_ != nullptr;
  ratelimit::WindowState window = shows ? *decision.window : ratelimit::WindowState{};
  // What is left may be less than a request costs; a primary refusal says 0 all the same.
  if (decision.refusal == ratelimit::Refusal::primary) window.remaining = 0;
  if (rules_ != nullptr && !rules_->counts().empty()) [[unlikely]] {
    const RuleItems items = items_of(rules_->counts());
    if (shows) {
      add_fields(lines, window, decisions_->resource, &items);
    } else {  // the first of a list has nothing before it
      lines.add("ratelimit-policy", std::string_view(items.policies).substr(2));
      lines.add("ratelimit", std::string_view(items.limits).substr(2));
    }
  } else if (shows) {
    add_fields(lines, window, decisions_->resource);
  }
  if (const os::TraceContext* const trace = os::current_trace();
      trace != nullptr && trace->parent != 0)
    lines.add("traceresponse", os::traceparent_of(*trace));
  if (tells_wait_) lines.add("retry-after", std::to_string(std::max(retry_after_s(), 1U)));
}

Status RequestScope::weigh_searches(std::uint64_t searches) {
  if (rules_ == nullptr || refused() || rules_->weigh_searches(searches)) return ok_status();
  const ratelimit::RuleCount& by = *rules_->refused();
  ratelimit::Decision decision = admission_.decision();
  decision.refusal = ratelimit::Refusal::rule;
  decision.retry_after_s = late_wait_s_ = by.retry_after_s;
  decision.nth_refusal = by.nth_refusal;
  refused_late_ = true;
  tells_wait_ = true;
  refused_status_ = status_of(decision, surface_, *late_->policy);
  const ratelimit::Identity& identity = caller_.counted_as();
  status_ = refusal_error(decision, identity, refused_status_, by.rule->name);
  late_->gate->limit_metrics().rule_decided(by.rule->name, RuleResult::refused);
  late_->gate->note_refusal(decision, identity, surface_, late_->operation, by.rule->name);
  return status_;
}

void RequestScope::not_modified(net::HeadLines& lines) {
  if (!refunds_) return;
  refunds_ = false;
  admission_.refund();
  lines.clear();
  put_headers(lines);
}

void RequestScope::finish(std::int64_t now_ns) {
  LimitMetrics* const metrics = std::exchange(metrics_, nullptr);
  if (metrics == nullptr) return;
  const std::int64_t cpu_ns = cpu_.end(now_ns);
  admission_.finish(cpu_ns);
  metrics->ended(surface_, cpu_ns);
}

// What `other` held is counted here from now on.
void RequestScope::take(RequestScope& other) noexcept {
  caller_ = std::move(other.caller_);
  status_ = std::move(other.status_);
  admission_ = std::move(other.admission_);
  cpu_ = other.cpu_;
  decisions_ = other.decisions_;
  metrics_ = std::exchange(other.metrics_, nullptr);
  surface_ = other.surface_;
  refused_status_ = other.refused_status_;
  tells_wait_ = other.tells_wait_;
  refunds_ = other.refunds_;
  rules_ = std::move(other.rules_);
  late_ = std::move(other.late_);
  refused_late_ = other.refused_late_;
  late_wait_s_ = other.late_wait_s_;
  clears_session_ = other.clears_session_;
}

}  // namespace cairn::gate
