// SPDX-License-Identifier: Apache-2.0
#include "gate/visit.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace cairn::gate {
namespace {

void set_number(net::Headers& headers, std::string_view name, std::int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  headers.set(name, std::string_view(text, static_cast<std::size_t>(end - text)));
}

}  // namespace

void Visit::put_headers(net::Headers& headers) const {
  const ratelimit::Decision& decision = admission_.decision();
  if (decision.window && decisions_ != nullptr) {
    set_number(headers, "x-ratelimit-limit", decision.window->limit);
    set_number(headers, "x-ratelimit-remaining", decision.window->remaining);
    set_number(headers, "x-ratelimit-used", decision.window->used);
    set_number(headers, "x-ratelimit-reset", decision.window->reset_s);
    headers.set("x-ratelimit-resource", decisions_->resource);
  }
  if (tells_wait_) set_number(headers, "retry-after", std::max(decision.retry_after_s, 1U));
}

void Visit::not_modified(net::Headers& headers) {
  if (!refunds_) return;
  refunds_ = false;
  admission_.refund();
  put_headers(headers);
}

void Visit::finish(std::int64_t now_ns) {
  LimitMetrics* const metrics = std::exchange(metrics_, nullptr);
  if (metrics == nullptr) return;
  const std::int64_t cpu_ns = cpu_.end(now_ns);
  admission_.finish(cpu_ns);
  metrics->ended(surface_, cpu_ns);
}

void Visit::swap(Visit& other) noexcept {
  std::swap(caller_, other.caller_);
  std::swap(status_, other.status_);
  std::swap(admission_, other.admission_);
  std::swap(cpu_, other.cpu_);
  std::swap(decisions_, other.decisions_);
  std::swap(metrics_, other.metrics_);
  std::swap(surface_, other.surface_);
  std::swap(refused_status_, other.refused_status_);
  std::swap(tells_wait_, other.tells_wait_);
  std::swap(refunds_, other.refunds_);
}

}  // namespace cairn::gate
