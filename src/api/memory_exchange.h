// SPDX-License-Identifier: Apache-2.0
// A request and its reply in memory, for tests of routes without a server.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "format/json.h"
#include "net/http/message.h"

namespace cairn::api {

struct MemoryRequest {
  std::string method = "GET";
  std::string target = "/";
  net::Headers headers = {};
  std::string body = {};  // not empty: Content-Length is set, and Content-Type where it is missing
  os::Deadline deadline = os::Deadline::never();
  std::function<void()> before_reply = {};  // called when nothing of the reply is out yet
};

struct MemoryReply {
  int status = 0;
  net::Headers headers;
  std::string body;
  Json json() const;  // null where the body is none
};

/// Runs one request through a handler.
MemoryReply exchange_in_memory(const net::Handler& handler, const MemoryRequest& request);

}  // namespace cairn::api
