// SPDX-License-Identifier: Apache-2.0
// One request from the server to its handler and back.
#pragma once

#include <memory>
#include <vector>

#include "api/options.h"
#include "api/router.h"
#include "gate/listener_gate.h"
#include "gate/gate.h"
#include "gate/request_metrics.h"
#include "gate/route_table.h"
#include "net/message.h"
#include "os/metrics.h"

namespace cairn::api {

/// The order: path, credentials, limits, unknown path or method, media types, parameters,
/// privileges, handler. Whatever fails is answered in the platform's form, or in the row's own.
/// Every reply says what is left of the caller's limits. Safe from any thread; the gate and the
/// registry outlive it.
class Dispatcher {
 public:
  Dispatcher(Router router, const gate::Gate& gate, os::Metrics& metrics, Options options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  /// Answers one request. A net::Handler.
  void answer(net::Exchange& exchange) const;
  const std::vector<gate::Route>& routes() const { return table_.routes(); }

 private:
  struct Work;
  Result<Reply> run(Work& work) const;
  Result<Reply> call(Work& work) const;
  Status understand(Work& work) const;
  bool asks_mutation(Work& work) const;
  bool is_of_index(const gate::Match& match, std::string_view path) const;
  std::size_t limit_of(const Work& work) const;
  Status check_parameters(const Work& work) const;
  void send(Work& work, Result<Reply> result) const;
  void send_error(Work& work, Error& error) const;
  void finish(Work& work, int status, const Error* error) const;

  const gate::RouteTable table_;
  const std::vector<Handler> handlers_;
  const gate::Gate& gate_;
  const gate::ListenerGate listener_gate_;
  const Options options_;
  std::unique_ptr<gate::RequestMetrics> metrics_;
};

}  // namespace cairn::api
