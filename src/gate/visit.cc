// SPDX-License-Identifier: Apache-2.0
#include "gate/visit.h"

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

constexpr std::string_view remaining_name = "x-ratelimit-remaining";
constexpr std::string_view used_name = "x-ratelimit-used";

}  // namespace

void Visit::put_headers(net::Headers& headers) const {
  const ratelimit::Decision& decision = admission_.decision();
  if (decision.window && decisions_ != nullptr) {
    headers.reserve(headers.fields().size() + 8);  // and what the reply adds
    headers.add("x-ratelimit-limit", Number(decision.window->limit));
    headers.add(remaining_name, Number(decision.window->remaining));
    headers.add(used_name, Number(decision.window->used));
    headers.add("x-ratelimit-reset", Number(decision.window->reset_s));
    headers.add("x-ratelimit-resource", decisions_->resource);
  }
  if (tells_wait_) headers.add("retry-after", Number(std::max(decision.retry_after_s, 1U)));
}

void Visit::not_modified(net::Headers& headers) {
  if (!refunds_) return;
  refunds_ = false;
  admission_.refund();
  const ratelimit::Decision& decision = admission_.decision();
  if (!decision.window || decisions_ == nullptr) return;
  headers.set(remaining_name, Number(decision.window->remaining));
  headers.set(used_name, Number(decision.window->used));
}

void Visit::finish(std::int64_t now_ns) {
  LimitMetrics* const metrics = std::exchange(metrics_, nullptr);
  if (metrics == nullptr) return;
  const std::int64_t cpu_ns = cpu_.end(now_ns);
  admission_.finish(cpu_ns);
  metrics->ended(surface_, cpu_ns);
}

// What `other` held is counted here from now on.
void Visit::take(Visit& other) noexcept {
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
