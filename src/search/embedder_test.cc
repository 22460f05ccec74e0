// SPDX-License-Identifier: Apache-2.0
// What a search asks of endpoints whose model is another server's.
#include "search/embedder.h"

#include "inference/remote/scripted_server.h"
#include "inference/service_bench.h"

namespace cairn::search::embedder_test {
namespace {

using inference::ScriptedReply;
using inference::ScriptedServer;
using inference::SeenRequest;

/// Scores below zero: the shorter a document, the better.
ScriptedReply rank(const SeenRequest& request) {
  const auto& texts = request.body.find("texts")->as_array();
  Json rows = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto size = static_cast<std::int64_t>(texts[i].as_string().size());
    rows.push(Json::object({{"index", i}, {"score", -size}}));
  }
  return {.body = rows.dump()};
}

struct Ranker : inference::ServiceBench {
  explicit Ranker(ScriptedServer::Answer answer = rank)
      : ServiceBench(true, allowing()), server(std::move(answer)) {
    service->set_key_seal(inference::backwards_seal());
    const Json made = json(R"({"service":"hugging_face","service_settings":{"api_key":"k","url":")" +
                           server.url("/rerank") + R"("},"task_settings":{"top_n":2}})");
    REQUIRE(service
                ->put_endpoint(inference::TaskType::rerank, "ranker", made, -1,
                               os::Deadline::never())
                .ok());
  }
  static inference::Options allowing() {
    inference::Options out;
    out.remote_allowed_hosts = {"127.0.0.1"};
    out.infer_timeout_ms = 2'000;
    return out;
  }
  ScriptedServer server;
};

TEST_CASE("embedder: every document of a window has its score, whatever the endpoint's top_n") {
  Ranker ranker;
  Embedder embedder(*ranker.service, net::patiently());
  const auto scores = embedder.rerank("ranker", "q", {"dddd", "a", "ccc", "bb"});
  REQUIRE(scores.ok());
  CHECK(*scores == std::vector<float>{-4, -1, -3, -2});
}

TEST_CASE("embedder: a server that says nothing ends a search without a timeout") {
  net::Signal over;
  Ranker ranker([&](const SeenRequest& request) {
    over.wait();
    return rank(request);
  });
  Embedder embedder(*ranker.service, os::Deadline::never());
  const auto scores = embedder.rerank("ranker", "q", {"a"});
  over.give();
  REQUIRE_FALSE(scores.ok());
  CHECK(scores.error().kind == ErrorKind::timeout);
}

}  // namespace
}  // namespace cairn::search::embedder_test
