// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: servers that echo, requests to them, a certificate.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/client/client.h"
#include "net/server/server.h"

namespace cairn::net {

inline std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {},
                                     ErrorRenderer render = {}) {
  auto server = Server::open(std::move(options), std::move(handler), std::move(render));
  REQUIRE_MESSAGE(server.ok(), (server.ok() ? std::string() : server.error().message));
  return std::move(server).value();
}

inline Headers text_plain() {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  return headers;
}

/// A reply whose failure is not what the test is about.
inline void answer(Exchange& exchange, int status, std::string_view body) {
  static_cast<void>(exchange.reply.reply(status, text_plain(), body).ok());
}

/// Answers with method, target and body; 413 or 400 when the body cannot be read.
inline void echo(Exchange& exchange) {
  const auto body = read_all(exchange.body, 64 << 20);
  if (body.ok()) {
    return answer(exchange, 200, exchange.head.method + " " + exchange.head.target + "\n" + *body);
  }
  const ErrorKind kind = body.error().kind;
  answer(exchange,
         kind == ErrorKind::too_large ? 413
         : kind == ErrorKind::timeout ? 408
                                      : 400,
         body.error().message);
}

inline ClientRequest request_to(const Server& server, std::string method, std::string target,
                                std::string scheme = "http") {
  ClientRequest request;
  request.method = std::move(method);
  request.url = {.scheme = std::move(scheme),
                 .host = "127.0.0.1",
                 .port = server.port(),
                 .target = std::move(target)};
  return request;
}

/// Long enough for any machine, so that no test fails on time.
inline os::Deadline patiently() { return os::Deadline::in_ms(60'000); }

/// Closes a descriptor at the end; declare it before the server whose handlers use it.
struct Closing {
  const int descriptor;
  explicit Closing(int number) : descriptor(number) {}
  ~Closing() { ::close(descriptor); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
};

/// Something that happens once, and can be waited for.
class Signal {
 public:
  void give() {
    const std::lock_guard lock(mutex_);
    given_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return given_; });
  }
  bool given() {
    const std::lock_guard lock(mutex_);
    return given_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

}  // namespace cairn::net
