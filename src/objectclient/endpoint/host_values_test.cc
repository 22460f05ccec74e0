// SPDX-License-Identifier: Apache-2.0
// Every value that becomes a part of a host, with everything that would end the host early.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "net/client/client.h"
#include "objectclient/credentials/token_service.h"
#include "objectclient/endpoint/endpoint.h"
#include "objectclient/endpoint/service_url.h"
#include "objectclient/testing.h"

namespace cairn::objectclient::host_values_test {
namespace {

const std::vector<std::string> wrong_labels = {"evil.com#",
                                               "evil.com/",
                                               "evil.com?",
                                               "evil.com:80#",
                                               "evil.com\\",
                                               "u@evil.com",
                                               "u@evil.com#",
                                               "evil.com%23",
                                               "evil.com\r\n",
                                               "evil.com ",
                                               "-a",
                                               "a-",
                                               "a_b",
                                               "a..b",
                                               std::string(64, 'a'),
                                               std::string("a\0b", 3),
                                               "\xc3\xa9",
                                               "[::1]"};

/// One place of a name, an ARN or an option that a value can stand in.
struct Place {
  const char* name;
  std::function<EndpointParams(const std::string& value)> with;
};

const std::vector<Place> places = {
    {"name of an outpost's access point",
     [](const std::string& v) -> EndpointParams {
       return {
           .bucket = "arn:aws:s3-outposts:eu-west-1:123456789012:outpost/op-01/accesspoint/" + v,
           .region = "eu-west-1"};
     }},
    {"outpost",
     [](const std::string& v) -> EndpointParams {
       return {.bucket =
                   "arn:aws:s3-outposts:eu-west-1:123456789012:outpost/" + v + "/accesspoint/site",
               .region = "eu-west-1"};
     }},
    {"account of an outpost",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3-outposts:eu-west-1:" + v + ":outpost/op-01/accesspoint/site",
               .region = "eu-west-1"};
     }},
    {"region of an outpost",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3-outposts:" + v + ":1:outpost/op-01/accesspoint/site",
               .region = "eu-west-1"};
     }},
    {"name of an access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3:eu-west-1:123456789012:accesspoint/" + v,
               .region = "eu-west-1"};
     }},
    {"account of an access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3:eu-west-1:" + v + ":accesspoint/a", .region = "eu-west-1"};
     }},
    {"region of an access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3:" + v + ":1:accesspoint/a", .region = "eu-west-1"};
     }},
    {"name of an object lambda access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3-object-lambda:eu-west-1:1:accesspoint/" + v,
               .region = "eu-west-1"};
     }},
    {"account of an object lambda access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3-object-lambda:eu-west-1:" + v + ":accesspoint/a",
               .region = "eu-west-1"};
     }},
    {"name of a multi-region access point",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "arn:aws:s3::1:accesspoint/" + v + ".mrap", .region = "eu-west-1"};
     }},
    {"directory bucket",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = v + "--usw2-az1--x-s3", .region = "us-west-2"};
     }},
    {"zone of a directory bucket",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "logs--" + v + "--x-s3", .region = "us-west-2"};
     }},
    {"region",
     [](const std::string& v) -> EndpointParams { return {.bucket = "photos", .region = v}; }},
    {"region, path style",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "photos", .region = v, .force_path_style = true};
     }},
    {"region, no bucket", [](const std::string& v) -> EndpointParams { return {.region = v}; }},
    {"region of the control endpoint",
     [](const std::string& v) -> EndpointParams {
       return {.region = v, .use_s3_express_control_endpoint = true};
     }},
    {"region of a directory bucket",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "logs--usw2-az1--x-s3", .region = v};
     }},
    {"region of an outpost's alias",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "site-o0123456789abcdef0abcdefghij01234567890000--op-s3", .region = v};
     }},
    {"port of the endpoint",
     [](const std::string& v) -> EndpointParams {
       return {.bucket = "photos", .region = "eu-west-1", .endpoint = "https://lab.example:" + v};
     }},
};

/// True where a request to the URL leaves the vendor and the endpoint that was given.
bool strays(const std::string& url) {
  const auto parsed = net::parse_url(url);
  if (!parsed.ok()) return false;  // nothing can be sent there
  const std::string& host = parsed->host;
  return !host.ends_with(".amazonaws.com") && host != "lab.example" &&
         !host.ends_with(".lab.example");
}

}  // namespace

TEST_CASE("hosts: no value in any place leads a request to another host") {
  for (const Place& place : places)
    for (const std::string& value : wrong_labels) {
      CAPTURE(place.name);
      CAPTURE(value);
      const auto endpoint = resolve_endpoint(place.with(value));
      if (endpoint.ok()) CHECK_FALSE(strays(endpoint->url));
    }
}

TEST_CASE("hosts: names of access points and outposts are refused by what is wrong with them") {
  const auto refused = resolve_endpoint(
      {.bucket = "arn:aws:s3-outposts:eu-west-1:123456789012:outpost/op-01/accesspoint/evil.com#",
       .region = "eu-west-1"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "Invalid ARN: The access point name may only contain a-z, A-Z, 0-9 and `-`. Found: "
        "`evil.com#`");
}

TEST_CASE("hosts: a region with other characters is good where no host has it as a label") {
  EndpointParams params{.bucket = "photos", .region = "zone_1", .force_path_style = true};
  CHECK_FALSE(resolve_endpoint(params).ok());
  params.endpoint = "http://127.0.0.1:9000";
  CHECK(resolve_endpoint(params).ok());
}

TEST_CASE("hosts: services besides the storage have a label for a region, or no URL") {
  MadeUp environment;
  CHECK(*token_service_url("eu-west-1", environment.environment()) ==
        "https://sts.eu-west-1.amazonaws.com/");
  for (const std::string& value : wrong_labels) {
    CAPTURE(value);
    CHECK_FALSE(token_service_url(value, environment.environment()).ok());
    CHECK_FALSE(service_url(value + ".s3-control", "eu-west-1").ok());
  }
}

TEST_CASE("hosts: an authority is labels or an address, and maybe a port") {
  for (const auto* good : {"a", "a.b:9000", "127.0.0.1:1", "[::1]", "[::1]:65535"})
    CHECK(is_authority(good));
  for (const auto* bad : {"", ":80", "a:", "a:0", "a:65536", "a:80:80", "a:8@evil.com", "[::1",
                          "[x]", "[]", "[::1]x", "a/b", "a#b"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_authority(bad));
  }
  CHECK_FALSE(is_authority(std::string(120, 'a') + "." + std::string(140, 'b')));
}

}  // namespace cairn::objectclient::host_values_test
