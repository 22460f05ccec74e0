// SPDX-License-Identifier: Apache-2.0
#include "s3/cors.h"

#include <doctest/doctest.h>

namespace cairn::s3::cors_test {
namespace {

CorsRuleElement rule(std::vector<std::string> origins, std::vector<std::string> methods,
                     std::vector<std::string> headers = {}) {
  CorsRuleElement out;
  out.allowed_origins = std::move(origins);
  out.allowed_methods = std::move(methods);
  out.allowed_headers = std::move(headers);
  return out;
}

TEST_CASE("cors: what a bucket may be given") {
  const auto message = [](CorsRuleElement one) {
    const Status status = check_cors({.cors_rules = {std::move(one)}});
    return status.ok() ? std::string() : status.error().code + ": " + status.error().message;
  };
  CHECK(message(rule({"*"}, {"GET", "PUT", "HEAD", "POST", "DELETE"}, {"x-*"})) == "");
  CHECK(message(rule({"*"}, {"MYMETHOD"})) ==
        "InvalidRequest: Found unsupported HTTP method in CORS config. Unsupported method is "
        "MYMETHOD");
  CHECK(message(rule({"*"}, {"get"})).starts_with("InvalidRequest"));
  CHECK(message(rule({"http://*.a.*"}, {"GET"})) ==
        "InvalidRequest: AllowedOrigin \"http://*.a.*\" can not have more than one wildcard.");
  CHECK(message(rule({"*"}, {"GET"}, {"*-*"})).starts_with("InvalidRequest: AllowedHeader"));
  CorsRuleElement exposing = rule({"*"}, {"GET"});
  exposing.expose_headers = {"x-*"};
  CHECK(message(exposing).starts_with("InvalidRequest: ExposeHeader"));
  CorsRuleElement named = rule({"*"}, {"GET"});
  named.id = std::string(256, 'i');
  CHECK(message(named).starts_with("MalformedXML"));
  CorsConfigurationElement many;
  many.cors_rules.assign(100, rule({"*"}, {"GET"}));
  CHECK(check_cors(many).ok());
  many.cors_rules.push_back(rule({"*"}, {"GET"}));
  CHECK(check_cors(many).error().code == "InvalidRequest");
}

TEST_CASE("cors: the first rule that allows it") {
  const std::vector<CorsRuleElement> rules = {rule({"https://a.org"}, {"GET"}),
                                              rule({"https://*.a.org"}, {"PUT"}, {"Content-*"}),
                                              rule({"*"}, {"GET"}, {"*"})};
  const auto found = [&](std::string_view origin, std::string_view method,
                         std::vector<std::string> headers = {}) {
    const auto* one = find_cors_rule(rules, {origin, method, std::move(headers)});
    return one == nullptr ? -1 : static_cast<int>(one - rules.data());
  };
  CHECK(found("https://a.org", "GET") == 0);
  CHECK(found("https://a.org", "GET", {"x-a"}) == 2);
  CHECK(found("https://b.org", "GET") == 2);
  CHECK(found("https://x.a.org", "PUT") == 1);
  CHECK(found("https://x.a.org", "PUT", {"content-type", "content-md5"}) == 1);
  CHECK(found("https://x.a.org", "PUT", {"content-type", "x-a"}) == -1);
  CHECK(found("https://.a.or", "PUT") == -1);
  CHECK(found("https://a.org", "PUT") == -1);
  CHECK(found("https://a.org", "DELETE") == -1);
}

TEST_CASE("cors: what the page is told") {
  CorsRuleElement some = rule({"https://a.org"}, {"GET", "PUT"}, {"*"});
  some.expose_headers = {"x-amz-id-2", "ETag"};
  some.max_age_seconds = 3000;
  net::Headers headers;
  add_cors_headers(some, {"https://a.org", "GET", {"x-a", "x-b"}}, headers);
  CHECK(headers.find("Access-Control-Allow-Origin") == "https://a.org");
  CHECK(headers.find("Access-Control-Allow-Credentials") == "true");
  CHECK(headers.find("Access-Control-Allow-Methods") == "GET, PUT");
  CHECK(headers.find("Access-Control-Allow-Headers") == "x-a, x-b");
  CHECK(headers.find("Access-Control-Expose-Headers") == "x-amz-id-2, ETag");
  CHECK(headers.find("Access-Control-Max-Age") == "3000");
  CHECK(headers.find("Vary") ==
        "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
  net::Headers open;
  add_cors_headers(rule({"*"}, {"GET"}), {"https://a.org", "GET"}, open);
  CHECK(open.find("Access-Control-Allow-Origin") == "*");
  CHECK_FALSE(open.has("Access-Control-Allow-Credentials"));
  CHECK_FALSE(open.has("Access-Control-Allow-Headers"));
  CHECK_FALSE(open.has("Access-Control-Max-Age"));
}

}  // namespace
}  // namespace cairn::s3::cors_test
