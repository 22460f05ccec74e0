// SPDX-License-Identifier: Apache-2.0
#include "app/monitoring/trace_export.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "os/files/secret_file.h"
#include "os/log.h"
#include "os/trace.h"

namespace cairn::app {
namespace {

constexpr std::string_view export_name = "cairn_trace_spans_total";
constexpr std::string_view export_help = "Steps of traces that the collector took, or did not";
constexpr std::size_t answer_bytes_max = 64 << 10;
constexpr int tries_max = 5;
constexpr std::int64_t first_pause_ms = 500;
constexpr std::int64_t longest_pause_ms = 10'000;
constexpr std::int64_t last_batches_ms = 2'000;  // at the end

/// What a collector says that may do it a moment later, by the protocol.
bool is_worth_a_retry(int status) {
  constexpr std::array worth = {429, 502, 503, 504};
  return std::find(worth.begin(), worth.end(), status) != worth.end();
}

std::int64_t pause_of(const net::Headers& headers, std::int64_t usual_ms) {
  const auto field = headers.find("retry-after");
  const auto seconds = field ? parse_number<std::int64_t>(*field) : std::nullopt;
  if (!seconds || *seconds < 0) return usual_ms;
  return std::min(std::min(*seconds, longest_pause_ms / 1000) * 1000, longest_pause_ms);
}

}  // namespace

TraceExport::TraceExport(const TraceOptions& options, TraceResource resource, os::Metrics& metrics)
    : options_(options),
      resource_(std::move(resource)),
      queue_(std::make_shared<os::SpanQueue>(options.queue_spans, options.sample)),
      exported_(metrics.counter(export_name, export_help, {{"result", "exported"}})),
      failed_(metrics.counter(export_name, export_help, {{"result", "failed"}})) {
  const std::weak_ptr<os::SpanQueue> weak = queue_;
  metrics.counters_from("cairn_trace_spans_dropped_total",
                        "Steps of traces that found the queue full", [weak] {
                          const auto queue = weak.lock();
                          std::vector<os::Metrics::Sample> out;
                          if (queue) out.push_back({{}, static_cast<double>(queue->dropped())});
                          return out;
                        });
  metrics.gauges_from("cairn_trace_queue_spans", "Steps of traces that wait to be exported",
                      [weak] {
                        const auto queue = weak.lock();
                        std::vector<os::Metrics::Sample> out;
                        if (queue) out.push_back({{}, static_cast<double>(queue->size())});
                        return out;
                      });
}

Status TraceExport::open() {
  auto url = net::parse_url(options_.url);
  if (!url.ok()) return options_.validate();
  url_ = std::move(*url);
  if (!options_.authorization_file.empty()) {
    CAIRN_TRY(const auto text, os::read_secret_file(options_.authorization_file));
    if (!text)
      return Error{
          .kind = ErrorKind::invalid_argument,
          .message = "tracing.authorization_file " + options_.authorization_file + " is not there"};
    authorization_ = trim(*text);
  }
  client_ = std::make_unique<net::Client>(net::ClientOptions{
      .connect_timeout_ms = 5'000, .connections_per_endpoint = 1, .tls_ca_file = options_.ca_file});
  CAIRN_TRY(thread_,
            os::Thread::start_stoppable({.name = "cairn-traces", .nice = 5},
                                        [this](std::stop_token stop) { run(std::move(stop)); }));
  os::set_call_recorder(this);
  os::set_span_queue(queue_.get());
  return ok_status();
}

Result<std::unique_ptr<TraceExport>> TraceExport::start(const TraceOptions& options,
                                                        TraceResource resource,
                                                        os::Metrics& metrics) {
  std::unique_ptr<TraceExport> out;
  if (options.url.empty()) return out;
  out.reset(new TraceExport(options, std::move(resource), metrics));
  CAIRN_CHECK(out->open());
  return out;
}

TraceExport::~TraceExport() {
  os::set_span_queue(nullptr);
  os::set_call_recorder(nullptr);
  thread_.request_stop();
  thread_.join();
}

void TraceExport::called(const os::TracedCall& call) {
  os::Span span{.context = call.step,
                .kind = os::Span::Kind::client,
                .name = std::string(call.method),
                .begin_ns = call.begin_ns,
                .end_ns = os::unix_ns(),
                .failed = call.status >= 400 || call.status == 0,
                .reason = std::string(call.failure)};
  auto& attributes = span.attributes;
  attributes.emplace_back("http.request.method", std::string(call.method));
  attributes.emplace_back("url.scheme", std::string(call.scheme));
  attributes.emplace_back("server.address", std::string(call.host));
  attributes.emplace_back("server.port", std::int64_t{call.port});
  if (call.status != 0)
    attributes.emplace_back("http.response.status_code", std::int64_t{call.status});
  if (span.failed)
    attributes.emplace_back(
        "error.type", call.status == 0 ? std::string(call.failure) : std::to_string(call.status));
  queue_->offer(std::move(span));
}

void TraceExport::run(std::stop_token stop) {
  const auto until_stopped = os::Deadline::never(stop);
  while (!stop.stop_requested()) {
    const auto spans = queue_->take(options_.batch_spans, options_.linger_ms, until_stopped);
    if (!spans.empty()) send(spans, until_stopped);
  }
  const auto last = os::Deadline::in_ms(last_batches_ms);
  while (queue_->size() > 0 && !last.passed())
    send(queue_->take(options_.batch_spans, 0, last), last);
}

void TraceExport::lost(std::size_t spans, const std::string& why) {
  failed_.add(spans);
  if (!std::exchange(failing_, true))
    os::log(os::LogLevel::warn, "app", "traces are not taken by their collector",
            {{"url", url_.scheme + "://" + url_.authority()}, {"reason", why}});
}

void TraceExport::send(const std::vector<os::Span>& spans, const os::Deadline& until_stopped) {
  const std::string body = otlp_request(resource_, spans);
  net::ClientRequest request{.method = "POST", .url = url_, .body = body};
  request.headers.add("Content-Type", "application/json");
  request.headers.add("User-Agent", "cairn");
  if (!authorization_.empty()) request.headers.add("Authorization", authorization_);
  std::string why;
  for (int tries = 1;; ++tries) {
    std::int64_t pause_ms = std::min(first_pause_ms << (tries - 1), longest_pause_ms);
    const auto reply =
        client_->send(request, until_stopped.sooner_ms(options_.timeout_ms), answer_bytes_max);
    if (reply.ok() && reply->status >= 200 && reply->status < 300) {
      const std::uint64_t rejected =
          std::min<std::uint64_t>(otlp_rejected(reply->body), spans.size());
      exported_.add(spans.size() - rejected);
      failed_.add(rejected);
      if (std::exchange(failing_, false))
        os::log(os::LogLevel::info, "app", "traces are taken by their collector again");
      return;
    }
    if (reply.ok()) {
      why = "it answered " + std::to_string(reply->status);
      if (!is_worth_a_retry(reply->status)) break;
      pause_ms = pause_of(reply->headers, pause_ms);
    } else {
      why = reply.error().message;
    }
    if (tries == tries_max || !os::sleep_ms(pause_ms, until_stopped)) break;
  }
  lost(spans.size(), why);
}

}  // namespace cairn::app
