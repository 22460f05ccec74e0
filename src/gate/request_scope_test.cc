// SPDX-License-Identifier: Apache-2.0
#include "gate/request_scope.h"

#include <doctest/doctest.h>

#include <thread>

#include "gate/listener_gate_rig.h"

namespace cairn::gate::listener_gate_test {
using ratelimit::Refusal;

TEST_CASE("scope: the five headers come from one record, and are absent without a limit") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  CHECK(headers_of(fixture.enter(search, key)) == "5000 4900 100 1700003600 search -");
  CHECK(headers_of(fixture.enter(search, "ApiKey nonsense")) == "5000 4900 100 1700003600 core -");
  fixture.limiter.decide = [](const auto&) { return ratelimit::Decision{}; };
  CHECK(headers_of(fixture.enter(search, key)) == "- - - - - -");
}

TEST_CASE("scope: refusals in the words, statuses and headers that clients look for") {
  using ratelimit::Identity;
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  const std::string inst = "ApiKey " + fixture.key("a", R"({"kind":"installation","id":17})");
  const std::string odd = "ApiKey " + fixture.key("a<b>\r\nc");
  const struct {
    std::size_t row;
    std::string authorization;
    Refusal refusal;
    const char *status, *message, *headers;
  } rows[] = {
      {search, "", Refusal::primary, "429", "API rate limit exceeded for 192.0.2.7. (But here's",
       "60 0 60 1700003600 search -"},
      {search, key, Refusal::primary, "429", "API rate limit exceeded for user ID alice.",
       "60 0 60 1700003600 search -"},
      {search, inst, Refusal::primary, "429", "API rate limit exceeded for installation ID 17.",
       "60 0 60 1700003600 search -"},
      {graphql, key, Refusal::primary, "403", "API rate limit exceeded for user ID alice.",
       "60 0 60 1700003600 graphql -"},
      {search, key, Refusal::points, "429", "You have exceeded a secondary rate limit. Please wait",
       "5000 4900 100 1700003600 search 7"},
      {graphql, key, Refusal::cpu, "403", "You have exceeded a secondary rate limit. Please wait",
       "5000 4900 100 1700003600 graphql 7"},
      {content, key, Refusal::content_hour, "429",
       "You have exceeded a secondary rate limit and have been temporarily blocked from content",
       "5000 4900 100 1700003600 core 7"},
  };
  for (const auto& row : rows) {
    fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(row.refusal); };
    const RequestScope scope = fixture.enter(row.row, row.authorization, "POST");
    REQUIRE(scope.refused());
    REQUIRE_FALSE(scope.status().ok());
    const Error& error = scope.status().error();
    CHECK(error.kind == ErrorKind::rate_limited);
    CHECK(error.code == "rate_limit_exceeded_exception");
    CHECK(error.message.starts_with(row.message));
    CHECK(error.details.at(0) == std::pair<std::string, std::string>("_status", row.status));
    CHECK(std::to_string(scope.refused_status()) == row.status);
    const bool secondary = row.refusal != Refusal::primary;
    CHECK(error.details.at(1).second.ends_with("secondary-rate-limits") == secondary);
    CHECK((error.message.find("secondary rate") != std::string::npos) == secondary);
    CHECK(headers_of(scope) == row.headers);
    CHECK(scope.retry_after_s() == 7);
  }
  {  // nobody exceeded anything: the shared state is away
    fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::no_state); };
    const RequestScope scope = fixture.enter(search, key, "POST");
    REQUIRE(scope.refused());
    const Error& error = scope.status().error();
    CHECK(error.kind == ErrorKind::unavailable);
    CHECK(error.code == "unavailable_exception");
    CHECK(error.message.find("exceeded") == std::string::npos);
    CHECK(error.message.find("rate limit") == std::string::npos);
    CHECK(scope.refused_status() == 503);
    CHECK(headers_of(scope) == "5000 4900 100 1700003600 search 7");
  }
  fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::primary); };
  const std::string told = fixture.enter(search, odd).status().error().message;
  CHECK(told.find_first_of("<>\r\n") == std::string::npos);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released.empty());
}

TEST_CASE("scope: a shortage of the wait is never told as 0") {
  Fixture fixture;
  fixture.limiter.decide = [&](const auto&) { return FakeLimiter::refused(Refusal::points, 0); };
  CHECK(headers_of(fixture.enter(search, "ApiKey " + fixture.key("a"))).ends_with(" 1"));
}

TEST_CASE("scope: a 304 costs an authenticated caller nothing, and the headers say so") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  const auto refunded = [&](std::string_view authorization) {
    RequestScope scope = fixture.enter(limits, authorization);
    net::HeadLines lines = fields_of(scope);
    scope.not_modified(lines);
    scope.not_modified(lines);
    net::Headers headers;
    lines.add_to(headers);
    CHECK(headers.fields().size() == 7);
    return text_of(headers, "x-ratelimit-remaining") + " " + text_of(headers, "x-ratelimit-used");
  };
  CHECK(refunded(key) == "4901 99");
  CHECK(fixture.limiter.refunds == 1);
  CHECK(refunded("") == "4900 100");
  CHECK(refunded("ApiKey nonsense") == "4900 100");
  ratelimit::Policy policy = ratelimit::default_policy();
  policy.refund_not_modified = false;
  fixture.gate.set_policy(std::make_shared<const ratelimit::Policy>(policy));
  CHECK(refunded(key) == "4900 100");
  CHECK(fixture.limiter.refunds == 1);
}

TEST_CASE("scope: released once, however it ends") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  {
    RequestScope scope = fixture.enter(get, key);
    CHECK(fixture.limiter.live() == 1);
    scope.finish();
    CHECK(fixture.limiter.live() == 0);
    scope.finish();
  }
  CHECK(fixture.limiter.released.size() == 1);
  {
    RequestScope scope = fixture.enter(get, key);
    RequestScope moved = std::move(scope);
    scope = fixture.enter(get, key);
    CHECK(fixture.limiter.live() == 2);
    moved = RequestScope();
    CHECK(fixture.limiter.live() == 1);
  }
  CHECK(fixture.limiter.released.size() == 3);
  try {
    const RequestScope scope = fixture.enter(get, key);
    throw std::runtime_error("a handler failed");
  } catch (const std::runtime_error&) {
  }
  CHECK(fixture.limiter.released.size() == 4);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released_twice == 0);
  CHECK(fixture.metrics.expose().find("cairn_ratelimit_requests_live{surface=\"platform\"} 0") !=
        std::string::npos);
}

TEST_CASE("scope: many threads, each request released once") {
  Fixture fixture;
  const std::string key = "ApiKey " + fixture.key("alice");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&fixture, &key] {
      for (int i = 0; i < 200; ++i) {
        RequestScope scope = fixture.enter(get, key);
        if (i % 3 == 0) scope.finish();
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(fixture.limiter.released.size() == 800);
  CHECK(fixture.limiter.live() == 0);
  CHECK(fixture.limiter.released_twice == 0);
}

}  // namespace cairn::gate::listener_gate_test
