// SPDX-License-Identifier: Apache-2.0
#include "gate/route_table.h"

#include <doctest/doctest.h>

#include "os/random.h"

namespace cairn::gate::route_table_test {
namespace {

Route row(std::string method, std::string path) {
  return {.method = method, .path = path, .operation = method + " " + path};
}

RouteTable table() {
  return RouteTable({row("GET", "/"), row("PUT", "/{index}"), row("GET", "/{index}"),
                     row("GET", "/_connector/{connector_id}"), row("GET", "/_connector/_sync_job"),
                     row("PUT", "/_connector/{connector_id}/_name"),
                     row("POST", "/_connector/_sync_job/{id}/_cancel"),
                     row("POST", "/_snapshot/{repository}/_cleanup"),
                     row("PUT", "/_snapshot/{repository}/{snapshot}"),
                     row("GET", "/{index}/_doc/{id}"), row("POST", "/_search"),
                     row("POST", "/{index}/_search")});
}

std::string found(const RouteTable& routes, std::string_view method, std::string_view path) {
  const auto match = routes.match(method, path);
  REQUIRE_MESSAGE(match.ok(), path);
  if (!match->found()) return match->allowed.empty() ? "nothing" : "method";
  std::string out = routes.routes()[match->route].operation;
  for (const auto& [name, value] : match->parameters) out += " " + name + "=" + value;
  return out;
}

}  // namespace

TEST_CASE("route table: literals win, parameters catch the rest, and a dead end steps back") {
  const RouteTable routes = table();
  CHECK(found(routes, "GET", "/") == "GET /");
  CHECK(found(routes, "GET", "/_connector/_sync_job") == "GET /_connector/_sync_job");
  CHECK(found(routes, "GET", "/_connector/a") == "GET /_connector/{connector_id} connector_id=a");
  // _sync_job is a literal without _name below; the parameter takes it.
  CHECK(found(routes, "PUT", "/_connector/_sync_job/_name") ==
        "PUT /_connector/{connector_id}/_name connector_id=_sync_job");
  CHECK(found(routes, "POST", "/_connector/_sync_job/7/_cancel") ==
        "POST /_connector/_sync_job/{id}/_cancel id=7");
  CHECK(found(routes, "POST", "/a,b/_search") == "POST /{index}/_search index=a,b");
  CHECK(found(routes, "POST", "/_search") == "POST /_search");
  CHECK(found(routes, "POST", "/_search/") == "POST /_search");
}

TEST_CASE("route table: the end of a template may take all that is left, whatever it is") {
  const RouteTable routes({row("GET", "/_o"), row("GET", "/_o/{bucket}"), row("POST", "/_o/_sign"),
                           row("GET", "/_o/{bucket}/{key...}"), row("GET", "/_o/{bucket}/_info")});
  CHECK(found(routes, "GET", "/_o/") == "GET /_o");
  CHECK(found(routes, "GET", "/_o/b/") == "GET /_o/{bucket} bucket=b");
  for (const char* path :
       {"/_o/b/a", "/_o/b/a/b", "/_o/b//", "/_o/b//a", "/_o/b/../x", "/_o/b/%2F"})
    CHECK_MESSAGE(found(routes, "GET", path) == "GET /_o/{bucket}/{key...} bucket=b", path);
  CHECK(found(routes, "GET", "/_o/b/_info") == "GET /_o/{bucket}/_info bucket=b");
  CHECK(found(routes, "GET", "/_o/_sign/a") == "GET /_o/{bucket}/{key...} bucket=_sign");
  CHECK(found(routes, "GET", "/_o//a") == "nothing");
  CHECK(found(routes, "PUT", "/_o/b/a") == "method");
}

TEST_CASE("route table: a page of an index leaves an index of its name what is below it") {
  const RouteTable routes({row("GET", "/search/{index}"), row("GET", "/{index}/_search"),
                           row("GET", "/search/assets/{file}"), row("GET", "/{index}/_doc/{id}"),
                           row("GET", "/_cat/indices/{index}")});
  CHECK(found(routes, "GET", "/search/books") == "GET /search/{index} index=books");
  CHECK(found(routes, "GET", "/search/_search") == "GET /{index}/_search index=search");
  CHECK(found(routes, "GET", "/search/_doc/1") == "GET /{index}/_doc/{id} index=search id=1");
  CHECK(found(routes, "GET", "/search/assets/a.js") == "GET /search/assets/{file} file=a.js");
  CHECK(found(routes, "GET", "/_cat/indices/_all") == "GET /_cat/indices/{index} index=_all");
}

TEST_CASE("route table: a known path names its methods, an unknown one none") {
  const RouteTable routes = table();
  const auto match = routes.match("DELETE", "/books");
  REQUIRE(match.ok());
  CHECK(match->allowed == std::vector<std::string>{"GET", "PUT"});
  CHECK(found(routes, "GET", "/a/b/c/d") == "nothing");
  CHECK(found(routes, "GET", "//") == "GET /");
  CHECK(found(routes, "GET", "/a//b") == "nothing");
  CHECK(found(routes, "GET", "//_doc/x") == "nothing");
}

TEST_CASE("route table: HEAD is answered by GET") {
  const RouteTable routes = table();
  const auto match = routes.match("HEAD", "/books");
  REQUIRE(match.ok());
  CHECK(match->found());
  CHECK(match->head_of_get);
}

TEST_CASE("route table: segments are decoded after they are told apart") {
  const RouteTable routes = table();
  CHECK(found(routes, "GET", "/b%20c/_doc/a%2Fb%2f%C3%A9") ==
        "GET /{index}/_doc/{id} index=b c id=a/b/\xC3\xA9");
  CHECK(found(routes, "POST", "/%5Fsearch") == "POST /_search");
  CHECK_FALSE(routes.match("GET", "/a%zz").ok());
  CHECK_FALSE(routes.match("GET", "/a%00b").ok());
  CHECK_FALSE(routes.match("GET", "/%ff").ok());
}

// Against a slow reading of the same rule: of all rows that fit, the one whose earliest differing
// segment is literal.
TEST_CASE("route table: agrees with the plain rule on random paths") {
  const RouteTable routes = table();
  const auto random = os::seeded_random(11);
  const std::vector<std::string> words = {"_connector", "_sync_job", "_search",  "_doc",   "a",
                                          "_name",      "_snapshot", "_cleanup", "_cancel"};
  const auto fits = [](std::string_view pattern, const std::vector<std::string>& path,
                       std::string& literals) {
    std::size_t at = 1;
    for (const auto& segment : path) {
      if (at >= pattern.size()) return false;
      const auto end = std::min(pattern.find('/', at), pattern.size());
      const auto want = pattern.substr(at, end - at);
      const bool literal = want.front() != '{';
      if (literal && want != segment) return false;
      literals += literal ? 'b' : 'a';
      at = end + 1;
    }
    return at >= pattern.size();
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> path(1 + random->below(4));
    std::string text;
    for (auto& segment : path) text += "/" + (segment = words[random->below(words.size())]);
    for (const auto* method : {"GET", "PUT", "POST"}) {
      std::string best, best_operation = "nothing";
      bool any_method = false;
      for (const auto& route : routes.routes()) {
        std::string literals;
        if (!fits(route.path, path, literals)) continue;
        any_method = true;
        // The tree settles the shape first, then the method.
        if (literals > best) best = literals, best_operation = "method";
        if (literals == best && route.method == method) best_operation = route.operation;
      }
      if (!any_method) best_operation = "nothing";
      const std::string got = found(routes, method, text);
      CHECK_MESSAGE(got.substr(0, got.find(' ', got.find('/'))) == best_operation,
                    method << " " << text);
    }
  }
}

}  // namespace cairn::gate::route_table_test
