// SPDX-License-Identifier: Apache-2.0
// Names of what is not offered: each is refused by name, and none is taken for a bucket.
#include <doctest/doctest.h>

#include <string>

#include "s3api/service_rig.h"
#include "s3api/wire/host.h"

namespace cairn::s3api::refused_names_test {
namespace {

const std::string domain = ".objects.example.com";
const std::string lambda = "Object Lambda access points";
const std::string several = "Multi-region access points";

Options one_domain() {
  Options options;
  options.domains = {domain.substr(1)};
  return options;
}

}  // namespace

TEST_CASE("refused names: hosts") {
  struct Row {
    std::string front, what;
  };
  const Row rows[] = {
      {"alias.mrap.accesspoint.s3-global", several},
      {"readers-111111111111.s3-object-lambda.us-east-1", lambda},
      {"readers-111111111111.s3-object-lambda-fips.us-east-1", "FIPS host names"},
      {"readers-111111111111.objects-lambda.us-east-1", lambda},
      {"readers-111111111111.op-1.s3-outposts.dualstack.us-east-1", "Dual-stack host names"},
      {"readers-111111111111.op-1.s3-outposts-fips.us-east-1", "FIPS host names"},
      {"photos.s3.dualstack.us-east-1", "Dual-stack host names"},
      {"s3.dualstack.us-east-1", "Dual-stack host names"},
      {"readers-111111111111.s3-accesspoint.dualstack.us-east-1", "Dual-stack host names"},
      {"111111111111.s3-control.dualstack.us-east-1", "Dual-stack host names"},
      {"objects.dualstack.us-east-1", "Dual-stack host names"},
      {"photos.s3-fips.us-east-1", "FIPS host names"},
      {"photos.s3-fips.dualstack.us-east-1", "FIPS host names"},
      {"readers-111111111111.s3-accesspoint-fips.us-east-1", "FIPS host names"},
      {"111111111111.s3-control-fips.us-east-1", "FIPS host names"},
      {"x--use1-az1--x-s3.s3express-fips-use1-az1.us-east-1", "FIPS host names"},
      {"s3express-control-fips.us-east-1", "FIPS host names"},
      {"photos.s3-accelerate", "Accelerated host names"},
      {"photos.s3-accelerate.dualstack", "Accelerated host names"},
      {"photos.objects-accelerate", "Accelerated host names"},
  };
  ServiceRig rig(one_domain());
  for (const Row& row : rows) {
    CAPTURE(row.front);
    const Answer answer = rig.ask({.target = "/k", .host = row.front + domain + ":9000"});
    CHECK(answer.status == 501);
    CHECK(answer.code() == "NotImplemented");
    CHECK(answer.text("Message").find(row.what + " are not offered") != std::string::npos);
    CHECK(answer.text("Host") == row.front + domain + ":9000");
  }
}

TEST_CASE("refused names: hosts of buckets that look like them are buckets") {
  for (const char* front :
       {"s3-fips", "dualstack", "my.dualstack", "s3-accelerate", "mrap", "a.mrap", "s3x-fips.b",
        "photos", "my.photos", "s3-outposts", "fips.photos"})
    CHECK_MESSAGE(read_host(front + domain, {domain.substr(1)}).refused.empty(), front);
}

TEST_CASE("refused names: buckets and sources of copies") {
  struct Row {
    std::string name, what;
  };
  const Row rows[] = {
      {"alias.mrap", several},
      {"readers--ol-s3", lambda},
  };
  ServiceRig rig(one_domain());
  REQUIRE(rig.put("/photos").status == 200);
  for (const Row& row : rows) {
    CAPTURE(row.name);
    for (const Answer& answer :
         {rig.get("/" + row.name + "/k"), rig.ask({.target = "/k", .host = row.name + domain}),
          rig.put("/photos/k", {}, {{"x-amz-copy-source", row.name + "/k"}})}) {
      CHECK(answer.status == 501);
      CHECK(answer.text("Message") == row.what + " are not offered here.");
    }
  }
  // A bucket that is there is no such access point.
  REQUIRE(rig.put("/mine--op-s3").status == 200);
  CHECK(rig.put("/mine--op-s3/k", "bytes").status == 200);
  for (const char* source :
       {"arn:aws:s3-object-lambda:us-east-1:111111111111:accesspoint/readers/object/k",
        "arn:aws:s3::111111111111:accesspoint/alias.mrap/object/k"})
    CHECK(rig.put("/photos/k", {}, {{"x-amz-copy-source", source}}).code() == "NotImplemented");
}

TEST_CASE("refused names: bearer tokens") {
  ServiceRig rig;
  const Answer answer = rig.ask(
      {.target = "/photos/k", .headers = {{"Authorization", "Bearer abc"}}, .sign = false});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("ArgumentName") == "Authorization");
}

}  // namespace cairn::s3api::refused_names_test
