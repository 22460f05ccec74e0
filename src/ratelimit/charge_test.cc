// SPDX-License-Identifier: Apache-2.0
// The specification's table of points, and the policy's rules over the table of routes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ratelimit/limiter.h"

namespace cairn::ratelimit {
namespace {

Charge charge(const RouteFacts& route, const Policy& policy = default_policy()) {
  const auto made = charge_of(route, policy);
  if (!made.ok()) FAIL(made.error().message);
  return made.value();
}

TEST_CASE("charge: points by method, reading POSTs, GraphQL") {
  struct Row {
    RouteFacts route;
    std::uint32_t points;
  };
  const std::vector<Row> rows = {
      {{.method = "GET", .path = "/a"}, 1},
      {{.method = "HEAD", .path = "/a"}, 1},
      {{.method = "OPTIONS", .path = "/a"}, 1},
      {{.method = "POST", .path = "/a"}, 5},
      {{.method = "PATCH", .path = "/a"}, 5},
      {{.method = "PUT", .path = "/a"}, 5},
      {{.method = "DELETE", .path = "/a"}, 5},
      {{.method = "POST", .path = "/_search", .resource = "search", .reads = true}, 1},
      {{.method = "POST", .path = "/graphql", .resource = "graphql", .graphql = true}, 1},
      {{.method = "GET", .path = "/rate_limit", .no_primary = true}, 1},
  };
  const Policy policy = default_policy();
  for (const Row& row : rows) {
    CAPTURE(row.route.method + " " + row.route.path);
    const Charge made = charge(row.route);
    CHECK(made.points == row.points);
    CHECK(made.cost == 1);
    CHECK(policy.resources[made.resource].name == row.route.resource);
    CHECK(made.graphql == row.route.graphql);
    CHECK(made.no_primary == row.route.no_primary);
  }
}

TEST_CASE("charge: endpoints differ by method and template; the same one is the same everywhere") {
  const Charge get = charge({.method = "GET", .path = "/{index}/_doc/{id}"});
  CHECK(get.endpoint == charge({.method = "GET", .path = "/{index}/_doc/{id}"}).endpoint);
  CHECK(get.endpoint != charge({.method = "PUT", .path = "/{index}/_doc/{id}"}).endpoint);
  CHECK(get.endpoint != charge({.method = "GET", .path = "/{index}/_source/{id}"}).endpoint);
}

TEST_CASE("charge: object storage counts on a resource of its own") {
  const Policy policy = default_policy();
  const Charge made =
      charge({.method = "GET", .path = "/{bucket}", .surface = Surface::objects}, policy);
  CHECK(made.surface == Surface::objects);
  CHECK(policy.resources[made.resource].name == "objects");
}

TEST_CASE("charge: an unknown resource is a fault") {
  const auto made = charge_of({.method = "GET", .path = "/a", .resource = "no"}, default_policy());
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find("[no]") != std::string::npos);
}

TEST_CASE("charge: the first rule that fits wins") {
  Policy policy = default_policy();
  policy.points.routes = {
      {.match = "POST /_search", .points = 2, .resource = "search"},
      {.match = "* /_test/{name}", .points = 3, .content = true},
      {.match = "/_below/*", .points = 4},
      {.match = "PUT /{a}/{b}", .points = 6, .content_per_minute = 3, .content_per_hour = 9},
      {.match = "* /*", .points = 7},
  };
  struct Row {
    std::string_view method, path;
    std::uint32_t points;
    bool content = false;
  };
  const std::vector<Row> rows = {
      {"POST", "/_search", 2},         {"GET", "/_search", 7},
      {"GET", "/_test/core", 3, true}, {"GET", "/_test/{x}", 3, true},
      {"GET", "/_test/a/b", 7},        {"DELETE", "/_below/a", 4},
      {"DELETE", "/_below/a/b", 4},    {"DELETE", "/_below", 7},
      {"PUT", "/x/y", 6, true},        {"PUT", "/x", 7},
      {"post", "/_search", 2},         {"GET", "/", 7},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.method) + " " + std::string(row.path));
    const Charge made =
        charge({.method = std::string(row.method), .path = std::string(row.path)}, policy);
    CHECK(made.points == row.points);
    CHECK(made.content == row.content);
  }
  const Charge put = charge({.method = "PUT", .path = "/x/y"}, policy);
  CHECK(put.content_per_minute == Limit(3));
  CHECK(put.content_per_hour == Limit(9));
  policy.points.routes = {{.match = "/x", .content = false}};
  CHECK_FALSE(charge({.method = "PUT", .path = "/x", .content = true}, policy).content);
}

TEST_CASE("charge: a rule for routes that do not exist is a fault, and named") {
  const std::vector<RouteFacts> routes = {{.method = "POST", .path = "/{index}/_search"},
                                          {.method = "GET", .path = "/_cat/indices"}};
  Policy policy = default_policy();
  policy.points.routes = {{.match = "POST /{index}/_search"}, {.match = "* /_cat/*"}};
  CHECK(check_rules(policy, routes).ok());
  policy.points.routes.push_back({.match = "POST /{index}/_serach"});
  const Status refused = check_rules(policy, routes);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  const std::string& text = refused.error().message;
  CHECK(text.find("[rate_limit.points.routes[2].match]") == 0);
  CHECK(text.find("[POST /{index}/_serach] fits none") != std::string::npos);
  CHECK(text.find("did you mean [POST /{index}/_search]?") != std::string::npos);
  for (const char* wrong : {"DELETE /{index}/_search", "/nowhere", "GET /_dog/*"}) {
    policy.points.routes = {{.match = wrong}};
    CHECK_FALSE(check_rules(policy, routes).ok());
  }
}

}  // namespace
}  // namespace cairn::ratelimit
