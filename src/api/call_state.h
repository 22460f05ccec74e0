// SPDX-License-Identifier: Apache-2.0
// What the dispatcher knows about one call; the inside of api::Call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/call.h"
#include "gate/listener_gate.h"
#include "gate/request_scope.h"
#include "gate/route_table.h"
#include "net/http/message.h"

namespace cairn::api {

struct Call::State {
  net::Exchange& exchange;
  const gate::Route& route;
  const gate::Caller& caller;
  const gate::PathParameters& parameters;
  const net::QueryParameters& query;
  bool has_body = false;
  std::size_t body_bytes_max = 0;
  std::optional<std::string> body = {};       // once read
  std::optional<Error> unreadable_body = {};  // why it cannot be
  const net::Headers& headers;                // of every reply
  // What follows is null in tests of handlers.
  gate::RequestScope* scope = nullptr;
  std::shared_ptr<const void> understood = {};
  std::function<Result<Reply>(const InnerRequest&)> inner = {};
  const gate::RouteTable* table = nullptr;
  const gate::ListenerGate* listener_gate = nullptr;
};

/// True where a body comes, or may come: its length need not be known.
bool announces_body(const net::Exchange& exchange);

}  // namespace cairn::api
