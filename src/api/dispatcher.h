// SPDX-License-Identifier: Apache-2.0
// One request from the server to its handler and back.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "api/cors.h"
#include "api/options.h"
#include "api/router.h"
#include "api/work_place.h"
#include "gate/gate.h"
#include "gate/listener_gate.h"
#include "gate/request_metrics.h"
#include "gate/route_table.h"
#include "gate/slow_log.h"
#include "net/http/message.h"
#include "os/memory_breaker.h"
#include "os/metrics.h"
#include "os/threads/compute_pool.h"

namespace cairn::api {

/// The order: path, credentials, limits, unknown path or method, media types, parameters,
/// privileges, handler. Whatever fails is answered in the platform's form, or in the row's own.
/// Every reply says what is left of the caller's limits. Rows that may compute for long do so in
/// the pool; where its queue is full they are answered 429. Safe from any thread; the gate, the
/// registry and the pool outlive it.
class Dispatcher {
 public:
  /// `compute` is where requests compute that may take long; null: where they came in. `memory`
  /// says whether those, and large bodies, may begin; null: all may.
  Dispatcher(Router router, const gate::Gate& gate, os::Metrics& metrics, Options options,
             os::ComputePool* compute = nullptr, os::MemoryBreaker* memory = nullptr);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Answers one request. A net::Handler.
  void answer(net::Exchange& exchange) const;
  const std::vector<gate::Route>& routes() const { return table_.routes(); }

 private:
  struct RequestState;
  void put_common_headers(const net::RequestHead& head, net::HeadLines& lines) const;
  Result<Reply> run(RequestState& request) const;
  Result<Reply> answer_preflight(RequestState& request) const;
  Result<Reply> inner(const RequestState& outer, const InnerRequest& asked) const;
  void find_row(RequestState& request, std::optional<std::string_view> path) const;
  Result<Reply> after_limits(RequestState& request) const;
  Result<Reply> call(RequestState& request) const;
  Result<Reply> call_with(RequestState& request, net::Exchange& exchange) const;
  Result<Reply> handle(RequestState& request, Call& one) const;
  Result<Reply> handle_long(RequestState& request, Call& one, bool large) const;
  Status check_memory(RequestState& request) const;
  Result<Reply> handle_in_pool(RequestState& request, Call& one, std::uint64_t kind) const;
  Status understand(RequestState& request) const;
  static Status make_names_plain(gate::Match& match);
  gate::Weight weigh(RequestState& request) const;
  bool is_of_index(const gate::Match& match, std::string_view path) const;
  std::size_t limit_of(const RequestState& request) const;
  Status check_parameters(const RequestState& request) const;
  void send(RequestState& request, Result<Reply> result) const;
  void give_back(RequestState& request) const;
  void put_headers_again(RequestState& request) const;
  void send_error(RequestState& request, Error& error) const;
  void record(const RequestState& request, int status, const Error* error) const;
  void finish(RequestState& request, int status, const Error* error) const;
  void note_slow(const RequestState& request, int status, std::int64_t took_ns) const;

  const gate::RouteTable table_;
  const std::vector<Handler> handlers_;
  const std::vector<Weigher> weighers_;
  const gate::Gate& gate_;
  const gate::ListenerGate listener_gate_;
  const Options options_;
  const Cors cors_;
  std::unique_ptr<gate::RequestMetrics> metrics_;
  const gate::SlowLog slow_log_;
  os::ComputePool* const compute_;
  os::MemoryBreaker* const memory_;
  mutable WorkPlaces places_;
};

}  // namespace cairn::api
