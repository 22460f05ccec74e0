// SPDX-License-Identifier: Apache-2.0
// A request and its reply in memory: for tests of routes without a server, and for requests inside
// another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  std::optional<std::uint64_t> length = {};  // as the handler announced it, of a HEAD too
  Json json() const;                         // null where the body is none
};

/// One request as a handler sees it, whose reply is kept. `request` and `reply` outlive it.
class MemoryExchange {
 public:
  MemoryExchange(const MemoryRequest& request, MemoryReply& reply,
                 std::string peer_address = "127.0.0.1", std::string request_id = "test-request");
  ~MemoryExchange();
  MemoryExchange(const MemoryExchange&) = delete;
  MemoryExchange& operator=(const MemoryExchange&) = delete;
  net::Exchange& exchange() { return *exchange_; }

 private:
  net::RequestHead head_ = {};
  const std::string request_id_;
  std::unique_ptr<net::BodyReader> body_;
  std::unique_ptr<net::ReplyWriter> writer_;
  std::unique_ptr<net::Exchange> exchange_;
};

/// Runs one request through a handler.
MemoryReply exchange_in_memory(const net::Handler& handler, const MemoryRequest& request);

}  // namespace cairn::api
