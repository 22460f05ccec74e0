// SPDX-License-Identifier: Apache-2.0
// What the dispatcher knows about one call; the inside of api::Call.
#pragma once

#include <optional>
#include <string>

#include "api/call.h"
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
};

/// True where a body comes, or may come: its length need not be known.
bool announces_body(const net::Exchange& exchange);

}  // namespace cairn::api
