// SPDX-License-Identifier: Apache-2.0
// What tracing costs a request: nobody records, somebody records and this trace is not sampled, it
// is sampled. Beside it, in the same run: reading the head of the same request, which every request
// pays. The last line is the first figure over that.
//   trace_bench
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "net/http/head_parser.h"
#include "net/server/request_trace.h"
#include "os/spans.h"

namespace {

using namespace cairn;

const std::string usual_head =
    "POST /books/_search?size=10 HTTP/1.1\r\nHost: 127.0.0.1:9200\r\n"
    "Authorization: ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==\r\n"
    "Accept: application/vnd.elasticsearch+json; compatible-with=9\r\n"
    "Content-Type: application/vnd.elasticsearch+json; compatible-with=9\r\n"
    "User-Agent: elastic-transport-js/9.0.0 (linux 6.1; node v18)\r\nAccept-Encoding: gzip,br\r\n"
    "Content-Length: 64\r\nConnection: keep-alive\r\n\r\n";

void keep(const void* pointer) { asm volatile("" : : "g"(pointer) : "memory"); }

/// Nanoseconds a turn: the median of some runs.
template <class Turn>
double measured(const Turn& turn) {
  constexpr int runs = 15, turns = 200'000;
  std::vector<double> all;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < turns; ++i) turn();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    all.push_back(took.count() / turns);
  }
  std::nth_element(all.begin(), all.begin() + runs / 2, all.end());
  return all[runs / 2];
}

}  // namespace

int main() {
  net::RequestHead head;
  net::Framing framing;
  const net::HeadLimits limits{};
  const double parsing = measured([&] {
    head = {};
    keep(&head);
    if (net::parse_request_head(usual_head, limits, head, framing)) std::abort();
  });
  const auto request = [&] {
    os::TraceContext trace = net::trace_of(head);
    const os::TraceScope scope(&trace);
    keep(&trace);
    if (trace.sampled) net::record_span(trace, head, 200, 1'000);
  };
  const double off = measured(request);
  os::SpanQueue none(4096, 0);
  os::set_span_queue(&none);
  const double not_sampled = measured(request);
  os::SpanQueue all(4096, 1);
  os::set_span_queue(&all);
  const double full = measured(request);  // the collector is away
  const double sampled = measured([&] {
    request();
    static int count = 0;
    if (++count % 2048 == 0) (void)all.take(4096, 0, os::Deadline::in_ms(0));
  });
  os::set_span_queue(nullptr);
  std::printf("reading the head            %8.1f ns\n", parsing);
  std::printf("trace, nobody records       %8.1f ns\n", off);
  std::printf("trace, not sampled          %8.1f ns\n", not_sampled);
  std::printf("trace, the queue is full    %8.1f ns\n", full);
  std::printf("trace, recorded             %8.1f ns\n", sampled);
  std::printf("nobody records / the head   %8.3f\n", off / parsing);
}
