// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 client: pooled connections, TLS, streaming bodies both ways.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "net/http/message.h"
#include "net/options.h"

namespace cairn::net {

struct Url {
  std::string scheme;  // http or https
  std::string host;    // without brackets
  std::uint16_t port = 0;
  std::string target;             // path and query, raw, at least "/"
  std::string authority() const;  // host[:port] as the Host field has it
};
Result<Url> parse_url(std::string_view text);

struct ClientRequest {
  std::string method = "GET";
  Url url = {};
  Headers headers = {};               // Host, Content-Length and Connection are added
  std::string_view body = {};         // a body in memory, or
  BodyReader* body_stream = nullptr;  // one that is pulled (chunked unless it knows its length)
  bool expect_continue = false;
  bool* began = nullptr;  // set to true before the first byte goes out, where it is given
};

struct ClientReply {
  int status = 0;
  Headers headers;
  std::string body;  // of collect()
};

/// A reply whose body is still on its way. Returns its connection to the pool when read to the end.
class ClientStream {
 public:
  virtual ~ClientStream() = default;
  virtual int status() const = 0;
  virtual const Headers& headers() const = 0;
  virtual BodyReader& body() = 0;
  virtual bool reused_connection() const = 0;
};

/// Safe from any thread. Never follows redirects and never retries, but for one thing: a pooled
/// connection that turns out closed before any byte of the reply, on a request without a stream
/// that can be repeated without harm (any method but POST and PATCH, or not all of it was sent).
class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  /// Errors: unavailable (resolve, connect, TLS, reset), timeout, cancelled, corrupt (not HTTP),
  /// invalid_argument (line breaks in a field; a stream of another length than it said), and what
  /// the stream itself gives. Of the reply's body: unavailable when it ends early. A server that
  /// answers before it has the whole body ends the sending. A stream is for one thread at a time,
  /// and may outlive the client.
  Result<std::unique_ptr<ClientStream>> open(const ClientRequest& request,
                                             const os::Deadline& deadline);
  /// The whole reply; too_large past `body_limit`.
  Result<ClientReply> send(const ClientRequest& request, const os::Deadline& deadline,
                           std::size_t body_limit = 64 << 20);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::net
