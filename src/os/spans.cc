// SPDX-License-Identifier: Apache-2.0
#include "os/spans.h"

#include <algorithm>
#include <cmath>

namespace cairn::os {
namespace {

std::atomic<SpanQueue*> queue_of_process{nullptr};

constexpr std::uint64_t id_space = std::uint64_t{1} << 56;

}  // namespace

SpanQueue::SpanQueue(std::size_t most, double share)
    : most_(most),
      below_(static_cast<std::uint64_t>(
          std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(id_space)))) {}

bool SpanQueue::samples(const TraceContext& begun) const {
  return (begun.trace_low & (id_space - 1)) < below_;
}

void SpanQueue::offer(Span span) {
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    if (spans_.size() >= most_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    spans_.push_back(std::move(span));
    wake = spans_.size() == 1 || spans_.size() == wanted_;
  }
  if (wake) came_.notify_one();
}

std::vector<Span> SpanQueue::take(std::size_t most, std::int64_t linger_ms,
                                  const Deadline& deadline) {
  MutexLock lock(mutex_);
  wanted_ = most;
  wait(came_, lock, deadline, [&]() CAIRN_REQUIRES(mutex_) { return !spans_.empty(); });
  wait(came_, lock, deadline.sooner_ms(linger_ms),
       [&]() CAIRN_REQUIRES(mutex_) { return spans_.size() >= most; });
  std::vector<Span> out;
  const std::size_t count = std::min(most, spans_.size());
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(std::move(spans_.front()));
    spans_.pop_front();
  }
  return out;
}

std::size_t SpanQueue::size() const {
  const MutexLock lock(mutex_);
  return spans_.size();
}

SpanQueue* span_queue() { return queue_of_process.load(std::memory_order_acquire); }
void set_span_queue(SpanQueue* queue) { queue_of_process.store(queue, std::memory_order_release); }

TraceContext new_trace() {
  TraceContext out{
      .trace_high = new_span_number(), .trace_low = new_span_number(), .span = new_span_number()};
  if (const SpanQueue* const queue = span_queue()) out.sampled = queue->samples(out);
  return out;
}

TracedJob::TracedJob(std::string_view name, const TraceContext* caused_by)
    : context_(caused_by != nullptr ? child_of(*caused_by) : new_trace()),
      scope_(&context_),
      name_(name),
      begin_ns_(context_.sampled ? unix_ns() : 0) {}

TracedJob::~TracedJob() {
  SpanQueue* const queue = context_.sampled ? span_queue() : nullptr;
  if (queue == nullptr) return;
  queue->offer({.context = context_,
                .name = std::string(name_),
                .begin_ns = begin_ns_,
                .end_ns = unix_ns(),
                .failed = failed_,
                .reason = std::move(reason_)});
}

void TracedJob::fail(std::string_view reason) {
  failed_ = true;
  reason_ = reason;
}

}  // namespace cairn::os
