// SPDX-License-Identifier: Apache-2.0
// A server on this machine that answers as a test says, for tests.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "inference/remote/key_seal.h"
#include "net/testing.h"

namespace cairn::inference {

struct ScriptedReply {
  int status = 200;
  std::string body = {};
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct SeenRequest {
  std::string target = {};
  std::string authorization = {};
  std::string organization = {};
  Json body = {};
};

class ScriptedServer {
 public:
  using Answer = std::function<ScriptedReply(const SeenRequest&)>;
  explicit ScriptedServer(Answer answer) : answer_(std::move(answer)) {
    server_ = net::serve([this](net::Exchange& exchange) { handle(exchange); });
  }

  std::string url(std::string_view path) const {
    return "http://127.0.0.1:" + std::to_string(server_->port()) + std::string(path);
  }
  std::vector<SeenRequest> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  void handle(net::Exchange& exchange) {
    const auto text = net::read_all(exchange.body, 64 << 20);
    const auto& headers = exchange.head.headers;
    auto body = parse_json(text.ok() ? *text : std::string());
    SeenRequest request{
        .target = exchange.head.target,
        .authorization = std::string(headers.find("Authorization").value_or("")),
        .organization = std::string(headers.find("OpenAI-Organization").value_or("")),
        .body = body.ok() ? *std::move(body) : Json()};
    const ScriptedReply reply = answer_(request);
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(std::move(request));
    }
    net::Headers out;
    out.set("Content-Type", reply.type);
    for (const auto& [name, value] : reply.headers) out.set(name, value);
    static_cast<void>(exchange.reply.reply(reply.status, out, reply.body).ok());
  }

  Answer answer_;
  std::mutex mutex_;
  std::vector<SeenRequest> seen_;
  std::unique_ptr<net::Server> server_;  // ends before what its handlers use
};

/// Backwards under the context: enough to see that keys are sealed, and for what.
inline KeySeal backwards_seal() {
  return {.seal =
              [](std::string_view secret, std::string_view context) {
                return std::string(context) + "|" + std::string(secret.rbegin(), secret.rend());
              },
          .open = [](std::string_view sealed, std::string_view context) -> Result<std::string> {
            const std::string head = std::string(context) + "|";
            if (!sealed.starts_with(head))
              return Error{.kind = ErrorKind::corrupt, .message = "another context"};
            sealed.remove_prefix(head.size());
            return std::string(sealed.rbegin(), sealed.rend());
          }};
}

}  // namespace cairn::inference
