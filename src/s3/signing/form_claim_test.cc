// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/form_claim.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "base/hmac_sha1.h"

namespace cairn::s3::form_claim_test {
namespace {

// The example of the API reference of the service that this protocol comes from, "Browser-based
// upload using HTTP POST".
constexpr std::string_view example_secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr std::string_view example_policy =
    "eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7"
    "ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91"
    "c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3Qi"
    "OiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwi"
    "fSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRh"
    "LXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVT"
    "MjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNy"
    "ZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9"
    "LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAi"
    "MjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9";
constexpr std::string_view example_signature =
    "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e";

FormFields example() {
  return {{"policy", std::string(example_policy)},
          {"x-amz-algorithm", "AWS4-HMAC-SHA256"},
          {"x-amz-credential", "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request"},
          {"x-amz-date", "20151229T000000Z"},
          {"x-amz-signature", std::string(example_signature)}};
}

FormFields with(FormFields fields, const std::string& name, std::string_view value) {
  for (auto& [field, there] : fields)
    if (field == name) {
      there = value;
      return fields;
    }
  fields.emplace_back(name, value);
  return fields;
}

FormFields without(FormFields fields, std::string_view name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

// The code, "nobody", or "ok".
std::string outcome(const FormFields& fields, std::string_view secret = example_secret,
                    std::vector<std::string> regions = {}) {
  SigningKeys keys;
  const auto claim = read_form_claim(fields);
  if (!claim.ok()) return claim.error().code;
  if (!*claim) return "nobody";
  const Status verified =
      verify_form_claim(**claim, fields, {.secret = secret, .regions = std::move(regions)}, keys);
  return verified.ok() ? "ok" : verified.error().code;
}

TEST_CASE("form claim: the example of the documents verifies") {
  CHECK(outcome(example()) == "ok");
  CHECK(outcome(example(), example_secret, {"us-east-1"}) == "ok");
  const auto claim = read_form_claim(example());
  REQUIRE(claim.ok());
  CHECK((*claim)->access_key_id == "AKIAIOSFODNN7EXAMPLE");
  CHECK((*claim)->in_form);
  CHECK(!(*claim)->in_query);
  CHECK((*claim)->payload == Payload::unsigned_);
}

TEST_CASE("form claim: whatever differs does not verify") {
  const std::string parameters = "AuthorizationQueryParametersError";
  const std::string credential = "x-amz-credential";
  CHECK(outcome(example(), "another secret") == "SignatureDoesNotMatch");
  CHECK(outcome(with(example(), "policy", std::string(example_policy) + " ")) ==
        "SignatureDoesNotMatch");
  CHECK(outcome(with(example(), "x-amz-signature", std::string(64, '0'))) ==
        "SignatureDoesNotMatch");
  CHECK(outcome(with(example(), credential, "A/20151229/eu-west-1/s3/aws4_request")) ==
        "SignatureDoesNotMatch");
  CHECK(outcome(example(), example_secret, {"eu-west-1"}) == parameters);
  CHECK(outcome(with(example(), credential, "A/20151229/us-east-1/iam/aws4_request")) ==
        parameters);
  CHECK(outcome(with(example(), credential, "A/20151229/us-east-1/s3express/aws4_request")) ==
        parameters);
  CHECK(outcome(with(example(), credential, "A/20151229/us-east-1/s3/aws5_request")) == parameters);
  CHECK(outcome(with(example(), credential, "A")) == parameters);
  CHECK(outcome(with(example(), "x-amz-date", "20151230T000000Z")) == parameters);
  CHECK(outcome(with(example(), "x-amz-date", "yesterday")) == "InvalidArgument");
  CHECK(outcome(with(example(), "x-amz-algorithm", "AWS4-ECDSA-P256-SHA256")) == "InvalidArgument");
}

TEST_CASE("form claim: all fields of a signature, or none") {
  CHECK(outcome({}) == "nobody");
  CHECK(outcome({{"key", "a"}, {"x-amz-meta-a", "1"}}) == "nobody");
  for (const char* name :
       {"policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature"}) {
    CAPTURE(name);
    const auto claim = read_form_claim(without(example(), name));
    REQUIRE(!claim.ok());
    CHECK(claim.error().code == "InvalidArgument");
    CHECK(claim.error().message.find("a field named '" + std::string(name) + "'") !=
          std::string::npos);
    CHECK(outcome(with(example(), name, "")) == "InvalidArgument");
  }
  CHECK(outcome({{"policy", std::string(example_policy)}}) == "InvalidArgument");
  CHECK(outcome(with(example(), "awsaccesskeyid", "A")) == "InvalidArgument");
  CHECK(outcome(with(example(), "x-svc-signature", "A")) == "InvalidArgument");
}

TEST_CASE("form claim: the neutral dialect and version 2") {
  SigningKeys keys;
  const Scope scope{.date = "20151229", .region = "us-east-1"};
  const std::string svc = sign_form(example_policy, example_secret, scope, Dialect::svc, keys);
  const FormFields neutral = {{"policy", std::string(example_policy)},
                              {"x-svc-algorithm", "SVC4-HMAC-SHA256"},
                              {"x-svc-credential", "A/" + scope.text(Dialect::svc)},
                              {"x-svc-date", "20151229T000000Z"},
                              {"x-svc-signature", svc}};
  CHECK(outcome(neutral) == "ok");
  const FormFields second = {{"awsaccesskeyid", "A"},
                             {"policy", std::string(example_policy)},
                             {"signature", to_base64(hmac_sha1(example_secret, example_policy))}};
  CHECK(outcome(second) == "ok");
  CHECK(outcome(second, "another secret") == "SignatureDoesNotMatch");
  CHECK(outcome(with(second, "signature", "AAAA")) == "SignatureDoesNotMatch");
  for (const char* name : {"awsaccesskeyid", "policy", "signature"})
    CHECK(outcome(without(second, name)) == "InvalidArgument");
  CHECK((*read_form_claim(second))->version_two);
}

}  // namespace
}  // namespace cairn::s3::form_claim_test
