// SPDX-License-Identifier: Apache-2.0
// For tests: a gate with a few routes, keys and a limiter that answers what it is told.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gate/fake_limiter.h"
#include "gate/listener_gate.h"
#include "os/clock.h"
#include "os/files/files.h"
#include "os/random.h"
#include "store/memory_store.h"

namespace cairn::gate::listener_gate_test {
inline const std::vector<Route> table = {
    {.method = "GET", .path = "/{index}/_doc/{id}", .operation = "get", .index_privilege = "read"},
    {.method = "POST",
     .path = "/{index}/_search",
     .operation = "search",
     .index_privilege = "read",
     .filters_indices = true,
     .resource = "search",
     .reads = true},
    {.method = "POST", .path = "/_connector", .operation = "connector.post", .content = true},
    {.method = "GET", .path = "/_health/live", .operation = "health", .open = true, .resource = ""},
    {.method = "GET",
     .path = "/rate_limit",
     .operation = "limits",
     .no_primary = true,
     .public_data = true},
    {.method = "POST",
     .path = "/graphql",
     .operation = "graphql",
     .surface = Surface::code_hosting,
     .resource = "graphql",
     .graphql = true,
     .public_data = true},
    {.method = "GET", .path = "/_metrics", .operation = "metrics", .resource = ""},
    {.method = "POST",
     .path = "/lfs/verify",
     .operation = "verify",
     .surface = Surface::large_files,
     .resource = "lfs",
     .paid = [](const net::RequestHead& head) { return head.headers.has("x-paid"); }},
    {.method = "POST",
     .path = "/search/{index}/_search",
     .operation = "search_page",
     .index_privilege = "read",
     .resource = "search",
     .reads = true,
     .search_page = true},
};
enum Row : std::size_t {
  get,
  search,
  content,
  health,
  limits,
  graphql,
  metrics_row,
  verify,
  page,
  unknown = 99
};

struct Fixture {
  explicit Fixture(ratelimit::Policy policy = ratelimit::default_policy())
      : limiter(std::move(policy)),
        gate(*keys, *audit,
             {.limiter = &limiter,
              .search_page_key = "page",
              .index_facts = {
                  .is_public = [](auto name) { return name == "open"; },
                  .any = [] { return true; },
                  .stream_of =
                      [](auto name) { return std::string(name == ".ds-mine-1" ? "mine" : ""); }},
              .clock = clock,
              .metrics = metrics}),
        listener_gate(gate, table) {}

  std::string key(std::string user, std::string identity = R"({"kind":"user"})") {
    auth::Key record;
    record.id = "k" + std::to_string(++count);
    record.username = std::move(user);
    record.created_by = "someone";
    record.role_descriptors =
        parse_json(R"({"r":{"indices":[{"names":["mine"],"privileges":["all"]}]}})").value();
    if (!identity.empty())
      record.metadata = parse_json(R"({"_cairn":{"identity":)" + identity + "}}").value();
    REQUIRE(keys->install(record, "secret", os::Deadline::never()).ok());
    return auth::encoded_key(record.id, "secret");
  }
  RequestScope enter(std::size_t row, std::string_view authorization = {},
                     std::string method = "GET", bool mutation = false) {
    net::RequestHead head;
    head.method = std::move(method);
    head.target = "/x";
    head.peer_address = "192.0.2.7";
    if (!authorization.empty()) head.headers.add("Authorization", authorization);
    const Weigh weigh = [] { return Weight{.mutation = true}; };
    return listener_gate.enter(head, row, mutation ? &weigh : nullptr);
  }
  const FakeLimiter::Asked& last() {
    REQUIRE_FALSE(limiter.asked.empty());
    return limiter.asked.back();
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  std::unique_ptr<AuditLog> audit =
      std::move(AuditLog::open(os::system_files(), clock, {}).value());
  os::Metrics metrics;
  FakeLimiter limiter;
  Gate gate;
  ListenerGate listener_gate;
  int count = 0;
};

inline std::string text_of(const net::Headers& headers, std::string_view name) {
  return std::string(headers.find(name).value_or("-"));
}

inline net::HeadLines fields_of(const RequestScope& scope) {
  net::HeadLines lines;
  scope.put_headers(lines);
  return lines;
}

/// "limit remaining used reset resource retry-after"
inline std::string headers_of(const RequestScope& scope) {
  net::Headers headers;
  fields_of(scope).add_to(headers);
  std::string out;
  for (const auto* name : {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-used",
                           "x-ratelimit-reset", "x-ratelimit-resource", "retry-after"})
    out += (out.empty() ? "" : " ") + text_of(headers, name);
  return out;
}

}  // namespace cairn::gate::listener_gate_test
