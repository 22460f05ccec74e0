// SPDX-License-Identifier: Apache-2.0
#include "gate/request_scope.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace cairn::gate {
namespace {

class Number {
 public:
  explicit Number(std::int64_t value)
      : size_(static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof text_, value).ptr -
                                       text_)) {}
  operator std::string_view() const { return {text_, size_}; }  // NOLINT: it is one

 private:
  char text_[24];
  std::size_t size_;
};

}  // namespace

void RequestScope::put_headers(net::HeadLines& lines) const {
  const ratelimit::Decision& decision = admission_.decision();
  if (decision.window && decisions_ != nullptr) {
    lines.add("x-ratelimit-limit", Number(decision.window->limit));
    lines.add("x-ratelimit-remaining", Number(decision.window->remaining));
    lines.add("x-ratelimit-used", Number(decision.window->used));
    lines.add("x-ratelimit-reset", Number(decision.window->reset_s));
    lines.add("x-ratelimit-resource", decisions_->resource);
  }
  if (tells_wait_) lines.add("retry-after", Number(std::max(decision.retry_after_s, 1U)));
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
}

}  // namespace cairn::gate
