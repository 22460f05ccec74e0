// SPDX-License-Identifier: Apache-2.0
// Another server on this machine, with some documents and a scroll, for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "net/testing.h"
#include "tasks/remote_source.h"

namespace cairn::tasks {

class ScriptedCluster {
 public:
  struct Seen {
    std::string method, target, authorization;
    Json body;
  };
  struct Answer {
    int status = 200;
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
  };
  /// Instead of the usual answer, where it gives one.
  using Script = std::function<std::optional<Answer>(const Seen&, std::size_t number)>;

  /// Documents have the ids "0", "1", … and the sources {"n":0}, ….
  explicit ScriptedCluster(int documents, Script script = {}) : script_(std::move(script)) {
    for (int i = 0; i < documents; ++i) sources.push_back("{\"n\":" + std::to_string(i) + "}");
    server_ = net::serve([this](net::Exchange& exchange) { handle(exchange); });
  }

  RemoteSource source() const {
    return {.scheme = "http", .host = "127.0.0.1", .port = server_->port(), .path_prefix = "/es"};
  }
  std::vector<Seen> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  /// Scrolls that were opened and not ended.
  int open_scrolls() {
    const std::lock_guard lock(mutex_);
    return opened_ - closed_;
  }
  std::string page(std::size_t from, std::size_t size) const {
    std::string hits;
    for (std::size_t i = from; i < std::min(from + size, sources.size()); ++i)
      hits += std::string(hits.empty() ? "" : ",") + R"({"_index":"b","_id":")" +
              std::to_string(i) + R"(","_score":null,"_source":)" + sources[i] + "}";
    return R"({"_scroll_id":"s=1","took":1,"timed_out":false,"_shards":{"total":1,"successful":1,)"
           R"("skipped":0,"failed":0},"hits":{"total":{"value":)" +
           std::to_string(sources.size()) + R"(,"relation":"eq"},"max_score":null,"hits":[)" +
           hits + "]}}";
  }

  std::vector<std::string> sources;

 private:
  Answer usual(const Seen& request) {
    if (request.method == "DELETE") {
      ++closed_;
      return {.body = R"({"succeeded":true,"num_freed":1})"};
    }
    if (request.target.find("/_search?") != std::string::npos) {
      ++opened_;
      at_ = 0;
      size_ = static_cast<std::size_t>(request.body.int_or("size"));
    }
    Answer out{.body = page(at_, size_)};
    at_ += size_;
    return out;
  }
  void handle(net::Exchange& exchange) {
    const auto text = net::read_all(exchange.body, 1 << 20);
    auto body = parse_json(text.ok() ? *text : std::string());
    Seen request{
        .method = exchange.head.method,
        .target = exchange.head.target,
        .authorization = std::string(exchange.head.headers.find("Authorization").value_or("")),
        .body = body.ok() ? *std::move(body) : Json()};
    std::size_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      number = seen_.size();
      seen_.push_back(request);
    }
    auto answer = script_ ? script_(request, number) : std::nullopt;
    if (!answer) {
      const std::lock_guard lock(mutex_);
      answer = usual(request);
    }
    net::Headers headers;
    headers.set("Content-Type", "application/json");
    for (const auto& [name, value] : answer->headers) headers.set(name, value);
    static_cast<void>(exchange.reply.reply(answer->status, headers, answer->body).ok());
  }

  const Script script_;
  std::mutex mutex_;
  std::vector<Seen> seen_;
  int opened_ = 0, closed_ = 0;
  std::size_t at_ = 0, size_ = 0;
  std::unique_ptr<net::Server> server_;  // ends before what its handlers use
};

}  // namespace cairn::tasks
