// SPDX-License-Identifier: Apache-2.0
// Sends steps of traces to a collector, by OTLP over HTTP.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/monitoring/otlp.h"
#include "app/settings/trace_options.h"
#include "base/result.h"
#include "net/client/client.h"
#include "os/metrics.h"
#include "os/spans.h"
#include "os/threads/thread.h"

namespace cairn::app {

/// Records requests, calls to other servers and jobs whose trace is sampled, in a queue that takes
/// no more than it says, and sends them in batches from a thread of its own. A collector that is
/// away, or says that it has too much, is asked again for a while; then the batch is lost, and
/// counted. Requests never wait for any of that.
class TraceExport final : public os::CallRecorder {
 public:
  /// Null where there is no URL. Errors: invalid_argument; those of reading the file.
  static Result<std::unique_ptr<TraceExport>> start(const TraceOptions& options,
                                                    TraceResource resource, os::Metrics& metrics);
  /// Records nothing more, and sends what is there within `linger_ms` and a request's time.
  ~TraceExport() override;
  TraceExport(const TraceExport&) = delete;
  TraceExport& operator=(const TraceExport&) = delete;

  void called(const os::TracedCall& call) override;

 private:
  TraceExport(const TraceOptions& options, TraceResource resource, os::Metrics& metrics);
  Status open();
  void run(std::stop_token stop);
  void send(const std::vector<os::Span>& spans, const os::Deadline& until_stopped);
  void lost(std::size_t spans, const std::string& why);

  const TraceOptions options_;
  const TraceResource resource_;
  const std::shared_ptr<os::SpanQueue> queue_;
  os::Counter& exported_;
  os::Counter& failed_;
  net::Url url_;
  std::string authorization_;
  std::unique_ptr<net::Client> client_;
  bool failing_ = false;  // of the thread
  os::Thread thread_;
};

}  // namespace cairn::app
