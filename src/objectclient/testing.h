// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: environment that are made up, and services that say what a
// test wants to hear.
#pragma once

#include <doctest/doctest.h>

#include <concepts>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/testing.h"
#include "objectclient/call/client_state.h"
#include "objectclient/client.h"
#include "objectclient/environment.h"
#include "os/clock.h"
#include "os/random.h"

namespace cairn::objectclient {

/// Variables, files and a clock that stands; sleeping moves it and is written down.
struct MadeUp {
  std::map<std::string, std::string> variables = {{"HOME", "/home/u"},
                                                  {"AWS_EC2_METADATA_DISABLED", "true"}};
  std::map<std::string, std::string> files = {};
  std::mutex sleeping = {};
  std::vector<double> slept_s = {};
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);

  Environment environment() {
    Environment out = system_environment();
    out.variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(std::string(name));
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    out.read_file = [this](const std::string& path) -> Result<std::optional<std::string>> {
      const auto found = files.find(path);
      if (found == files.end()) return std::optional<std::string>();
      return std::optional<std::string>(found->second);
    };
    out.clock = &clock;
    out.sleep = [this](std::int64_t ns, const os::Deadline& deadline) {
      {
        const std::lock_guard lock(sleeping);  // the threads of a transfer sleep too
        slept_s.push_back(static_cast<double>(ns) / 1e9);
      }
      clock.advance_ms((ns + 999'999) / 1'000'000);
      return !deadline.passed();
    };
    out.random = random.get();
    return out;
  }

  Client client(ClientOptions options) {
    auto opened = Client::open(std::move(options), environment());
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().message));
    return std::move(*opened);
  }
  std::shared_ptr<ClientState> state(ClientOptions options) {
    auto opened = ClientState::open(std::move(options), environment());
    REQUIRE_MESSAGE(opened.ok(), (opened.ok() ? std::string() : opened.error().message));
    return std::move(*opened);
  }
};

/// A request as a service saw it.
struct Seen {
  std::string method;
  std::string target;
  net::Headers headers;
  std::string body;
  std::string header(std::string_view name) const {
    return std::string(headers.find(name).value_or(std::string_view()));
  }
};

struct Answer {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  bool cut_off = false;         // the connection ends where more was promised
  std::size_t missing = 1'000;  // that many bytes
  bool without_length = false;  // the body comes in chunks
};

/// A service on this machine. Answers are given in turn, the last one for ever; or by a function.
class ScriptedService {
 public:
  using Choose = std::function<Answer(const Seen& seen)>;
  explicit ScriptedService(std::initializer_list<Answer> answers, net::ServerOptions options = {})
      : ScriptedService(in_turn(answers), std::move(options)) {}
  template <std::invocable<const Seen&> Function>
  explicit ScriptedService(Function choose, net::ServerOptions options = {})
      : choose_(std::move(choose)),
        server_(net::serve([this](net::Exchange& e) { serve(e); }, as_sent(std::move(options)))) {}

  std::string url(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(server_->port());
  }
  std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  Seen last() const {
    const std::lock_guard lock(mutex_);
    REQUIRE_FALSE(seen_.empty());
    return seen_.back();
  }
  std::size_t count() const { return seen().size(); }

 private:
  static Choose in_turn(std::initializer_list<Answer> answers) {
    auto left = std::make_shared<std::deque<Answer>>(answers.begin(), answers.end());
    return [left](const Seen&) {
      Answer answer = left->front();
      if (left->size() > 1) left->pop_front();
      return answer;
    };
  }

  static net::ServerOptions as_sent(net::ServerOptions options) {
    options.inflate_request_bodies = false;
    return options;
  }

  void serve(net::Exchange& exchange) {
    const auto body = net::read_all(exchange.body, 64 << 20);
    Seen seen{.method = exchange.head.method,
              .target = exchange.head.target,
              .headers = exchange.head.headers,
              .body = body.ok() ? *body : ""};
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(seen);
      answer = choose_(seen);
    }
    net::Headers headers;
    for (const auto& [name, value] : answer.headers) headers.set(name, value);
    if (answer.without_length) {
      static_cast<void>(exchange.reply.begin(answer.status, headers, std::nullopt).ok());
      static_cast<void>(exchange.reply.write(answer.body).ok());
      static_cast<void>(exchange.reply.end().ok());
      return;
    }
    if (!answer.cut_off) {
      static_cast<void>(exchange.reply.reply(answer.status, headers, answer.body).ok());
      return;
    }
    static_cast<void>(
        exchange.reply.begin(answer.status, headers, answer.body.size() + answer.missing).ok());
    static_cast<void>(exchange.reply.write(answer.body).ok());
    static_cast<void>(exchange.reply.flush().ok());
  }

  const Choose choose_;
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
  std::unique_ptr<net::Server> server_;
};

/// Options that reach a scripted service with static credentials.
inline ClientOptions at(const ScriptedService& service, const std::string& scheme = "http") {
  return {.region = "eu-west-1",
          .endpoint = service.url(scheme),
          .access_key_id = "AKID",
          .secret_access_key = "SECRET"};
}

inline std::string error_xml(const std::string& code, const std::string& rest = {}) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code +
         "</Code><Message>m</Message>" + rest + "<RequestId>R</RequestId></Error>";
}

/// The code of the error of a call that should fail; "" where it does not.
template <class Response>
std::string code_of_failure(const Response& response) {
  return response.ok() ? std::string() : response.error().code;
}

/// Options of a client whose failed calls throw nothing.
inline ClientOptions quiet(ClientOptions options) {
  options.raise_response_errors = false;
  return options;
}

}  // namespace cairn::objectclient
