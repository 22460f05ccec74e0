// SPDX-License-Identifier: Apache-2.0
// Steps of traces that are over, on their way to whoever collects them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/threads.h"
#include "os/deadline.h"
#include "os/trace.h"

namespace cairn::os {

struct Span {
  enum class Kind { internal, server, client };
  using Value = std::variant<std::string, std::int64_t>;

  TraceContext context = {};
  Kind kind = Kind::internal;
  std::string name = {};
  std::int64_t begin_ns = 0, end_ns = 0;                            // Unix time
  std::vector<std::pair<std::string_view, Value>> attributes = {};  // names are constant
  bool failed = false;
  std::string reason = {};  // of a failure
};

/// Holds at most `most` spans; what comes when it is full is dropped and counted. Safe from any
/// thread; offer() never waits for the collector.
class SpanQueue {
 public:
  /// `share` of the traces that begin here are sampled, 0 to 1, by their ids, so that others who go
  /// by the same share take the same ones.
  SpanQueue(std::size_t most, double share);

  bool samples(const TraceContext& begun) const;
  void offer(Span span);
  /// Waits until `most` spans are there, or the oldest has waited for `linger_ms`; at the deadline
  /// gives what there is.
  std::vector<Span> take(std::size_t most, std::int64_t linger_ms, const Deadline& deadline);

  std::size_t size() const;
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  const std::size_t most_;
  const std::uint64_t below_;  // of 2^56
  mutable Mutex mutex_;
  std::condition_variable_any came_;
  std::deque<Span> spans_ CAIRN_GUARDED_BY(mutex_);
  std::size_t wanted_ CAIRN_GUARDED_BY(mutex_) = 1;
  std::atomic<std::uint64_t> dropped_{0};
};

/// The queue of this process; null while no traces are recorded.
SpanQueue* span_queue();
/// Set once before there are threads that record, and to null after them. The queue outlives that.
void set_span_queue(SpanQueue* queue);

/// The step of a thread without a request: a job of the server. Begins a trace, or is a part of
/// `caused_by`; the thread works on it until its end, when it becomes a span.
class TracedJob {
 public:
  explicit TracedJob(std::string_view name, const TraceContext* caused_by = nullptr);
  ~TracedJob();
  TracedJob(const TracedJob&) = delete;
  TracedJob& operator=(const TracedJob&) = delete;
  void fail(std::string_view reason);

 private:
  TraceContext context_;
  TraceScope scope_;
  const std::string_view name_;
  const std::int64_t begin_ns_;
  bool failed_ = false;
  std::string reason_;
};

/// The first step of a new trace.
TraceContext new_trace();

}  // namespace cairn::os
