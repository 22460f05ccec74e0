// SPDX-License-Identifier: Apache-2.0
// Signatures for several regions, made here and judged here.
#include <doctest/doctest.h>

#include "s3/signing/signing.h"

namespace cairn::s3::region_signing_test {

TEST_CASE(
    "signing: for several regions, what was signed verifies in each of them and nowhere else") {
  SigningKeys keys;
  for (const Dialect dialect : {Dialect::aws, Dialect::svc}) {
    net::RequestHead head;
    head.method = "GET";
    head.target = "/b/k?versions";
    head.headers.add("Host", "127.0.0.1:9000");
    const SigningParams params{.credentials = {"AKID", "SECRET", "TOKEN"},
                               .region = "us-east-1",
                               .dialect = dialect,
                               .time_ms = 1'700'000'000'000};
    const auto signature = sign_headers_for_regions("GET", "/b/k", "versions", head.headers,
                                                    empty_sha256, "us-*,eu-west-1", params, keys);
    REQUIRE(signature.ok());
    CHECK(head.headers.find(header_name("x-amz-region-set", dialect)) == "us-*,eu-west-1");
    const auto claim = read_claim(head);
    REQUIRE(claim.ok());
    REQUIRE(claim->has_value());
    CHECK((*claim)->asymmetric);
    CHECK((*claim)->session_token == "TOKEN");
    VerifyParams judge{.secret = "SECRET", .now_ms = 1'700'000'000'000, .regions = {"us-west-2"}};
    CHECK(verify_claim(**claim, head, judge, keys).ok());
    judge.regions = {"ap-east-1"};
    CHECK_FALSE(verify_claim(**claim, head, judge, keys).ok());
    judge.regions = {};
    judge.secret = "OTHER";
    CHECK_FALSE(verify_claim(**claim, head, judge, keys).ok());
  }
}

}  // namespace cairn::s3::region_signing_test
