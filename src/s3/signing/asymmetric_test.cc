// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/asymmetric.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3/signing/canonical.h"
#include "s3/signing/signing.h"

namespace cairn::s3::asymmetric_test {
namespace {

// The published vector of a GET with a header field that is repeated.
const std::string id = "AKIDEXAMPLE", secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

TEST_CASE("asymmetric: the published pair comes of the published secret") {
  const auto key = AsymmetricKey::derive(id, secret, Dialect::aws);
  REQUIRE(key.ok());
  CHECK(to_hex(key->public_key()) ==
        "04b6618f6a65740a99e650b33b6b4b5bd0d43b176d721a3edfea7e7d2d56d936b1"
        "865ed22a7eadc9c5cb9d2cbaca1b3699139fedc5043dc6661864218330c8e518");
  const std::string text =
      "AWS4-ECDSA-P256-SHA256\n20150830T123600Z\n20150830/service/aws4_request\n"
      "30f1f7b639b7fd5982a0f700e6d23bf7bb24f2f1d9e1314005bf22130da61cdf";
  for (const char* signature :
       {"304502204862ad283a21f883fc12f1156a6f3fcdbba13d1847e58aa5eb37c666477ea06b022100ee439fac0a"
        "975c9a6605b1fa44ad7b654a1f8ac6e868e4e1069a1b3aa35d8113",
        "30450220331da6dfebb0d19e5e161b1efa389ccb83cadb60bc71f6791ef71ac6054c44de0221008588b7d5c9"
        "f7a79ca9c02a02efbd0f540cda242a64ca1452aa914e050b517724"}) {
    CHECK(key->verifies(text, *from_hex(signature)));
    CHECK_FALSE(key->verifies(text + "x", *from_hex(signature)));
  }
  CHECK_FALSE(key->verifies(text, ""));
  CHECK(key->verifies(text, key->sign(text)));
  const auto other = AsymmetricKey::derive(id, "another", Dialect::aws);
  CHECK_FALSE(other->verifies(text, key->sign(text)));
  CHECK(AsymmetricKey::derive(id, secret, Dialect::svc)->public_key() != key->public_key());
}

struct Asked {
  net::RequestHead head;
  Claim claim;
};

// A request that is signed for a set of regions, in the head.
Asked signed_for(const std::string& regions, Dialect dialect) {
  Asked asked;
  net::RequestHead& head = asked.head;
  head.method = "GET";
  head.target = "/b/k?versions=";
  head.headers.add("Host", "127.0.0.1:9000");
  head.headers.add(header_name("x-amz-date", dialect), "20231114T221320Z");
  head.headers.add(header_name("x-amz-content-sha256", dialect), empty_sha256);
  head.headers.add(header_name("x-amz-region-set", dialect), regions);
  const std::vector<std::string> names = {"host", header_name("x-amz-content-sha256", dialect),
                                          header_name("x-amz-date", dialect),
                                          header_name("x-amz-region-set", dialect)};
  const std::string canonical = canonical_request({.method = "GET",
                                                   .path = head.path(),
                                                   .query = head.query(),
                                                   .headers = head.headers,
                                                   .signed_headers = names,
                                                   .payload_hash = empty_sha256});
  const Scope scope{.date = "20231114", .region = ""};
  const std::string text =
      string_to_sign(canonical, 1'700'000'000'000, scope, dialect, ecdsa_algorithm);
  const std::string signature = to_hex(AsymmetricKey::derive(id, secret, dialect)->sign(text));
  head.headers.add("Authorization", value_name(ecdsa_algorithm, dialect) + " Credential=" + id +
                                        "/" + scope.text(dialect) + ", SignedHeaders=" + names[0] +
                                        ";" + names[1] + ";" + names[2] + ";" + names[3] +
                                        ", Signature=" + signature);
  auto claim = read_claim(head);
  REQUIRE(claim.ok());
  asked.claim = std::move(**claim);
  return asked;
}

TEST_CASE("asymmetric: requests are verified, in the regions that they name") {
  SigningKeys keys;
  for (const Dialect dialect : {Dialect::aws, Dialect::svc}) {
    const Asked asked = signed_for("us-*,eu-west-1", dialect);
    CHECK(asked.claim.asymmetric);
    CHECK(asked.claim.access_key_id == id);
    CHECK(asked.claim.dialect == dialect);
    VerifyParams params{.secret = secret, .now_ms = 1'700'000'000'000};
    const auto judge = [&](std::vector<std::string> regions) {
      params.regions = std::move(regions);
      const Status status = verify_claim(asked.claim, asked.head, params, keys);
      return status.ok() ? std::string() : status.error().code;
    };
    CHECK(judge({}) == "");
    CHECK(judge({"us-east-1"}) == "");
    CHECK(judge({"eu-west-1"}) == "");
    CHECK(judge({"eu-west-2"}) == "AuthorizationHeaderMalformed");
    params.secret = "another";
    CHECK(judge({}) == "SignatureDoesNotMatch");
    params.secret = secret;
    params.now_ms += 16 * 60 * 1000;
    CHECK(judge({}) == "RequestTimeTooSkewed");
  }
  Asked changed = signed_for("*", Dialect::aws);
  changed.head.target = "/b/other?versions=";
  CHECK(verify_claim(changed.claim, changed.head, {.secret = secret, .now_ms = 1'700'000'000'000},
                     keys)
            .error()
            .code == "SignatureDoesNotMatch");
}

}  // namespace
}  // namespace cairn::s3::asymmetric_test
