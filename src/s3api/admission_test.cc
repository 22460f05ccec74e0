// SPDX-License-Identifier: Apache-2.0
#include "s3api/admission.h"

#include <doctest/doctest.h>

#include "s3api/service_rig.h"

namespace cairn::s3api::admission_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// Requests whose body is a document, with the part of bucket or object that each is about.
struct Documented {
  const char* method;
  const char* target;
};
constexpr Documented of_buckets[] = {
    {"PUT", "/photos?versioning"},    {"PUT", "/photos?tagging"},
    {"PUT", "/photos?acl"},           {"PUT", "/photos?ownershipControls"},
    {"PUT", "/photos?policy"},        {"PUT", "/photos?publicAccessBlock"},
    {"PUT", "/photos?cors"},          {"PUT", "/photos?lifecycle"},
    {"PUT", "/photos?encryption"},    {"PUT", "/photos?object-lock"},
    {"PUT", "/photos?requestPayment"}};
constexpr Documented of_objects[] = {
    {"PUT", "/photos/k?tagging"},   {"PUT", "/photos/k?acl"},
    {"PUT", "/photos/k?retention"}, {"PUT", "/photos/k?legal-hold"},
    {"POST", "/photos/k?restore"},  {"POST", "/photos/k?uploadId=x"},
    {"PUT", "/photos/none?tagging"}};

struct Rig : ServiceRig {
  Rig() {
    REQUIRE(put("/photos").status == 200);
    REQUIRE(put("/photos/k", "abc").status == 200);
  }
  Answer broken(const Documented& one, s3::Credentials who, Fields headers = {}, bool sign = true) {
    return ask({.method = one.method,
                .target = one.target,
                .headers = std::move(headers),
                .body = "<broken",
                .credentials = std::move(who),
                .sign = sign});
  }
  void check_denied(const Documented& one, s3::Credentials who, Fields headers, bool sign) {
    CAPTURE(one.target);
    CAPTURE(sign);
    const Answer answer = broken(one, std::move(who), std::move(headers), sign);
    CHECK(answer.status == 403);
    CHECK(answer.code() == "AccessDenied");
    CHECK_FALSE(body_was_read);
  }
  void set_policy(const std::string& statement) {
    REQUIRE(put("/photos?publicAccessBlock",
                "<PublicAccessBlockConfiguration><BlockPublicPolicy>false</BlockPublicPolicy>"
                "</PublicAccessBlockConfiguration>")
                .status == 200);
    REQUIRE(put("/photos?policy", R"({"Version":"2012-10-17","Statement":[)" + statement + "]}")
                .status == 204);
  }
};

TEST_CASE("admission: whoever has no right hears that, whatever stands in the body") {
  Rig rig;
  const auto denied = [&](const Documented& one) {
    rig.check_denied(one, rig.theirs, {}, true);
    rig.check_denied(one, {}, {}, false);
    rig.check_denied(one, rig.mine, {{"x-amz-expected-bucket-owner", "222222222222"}}, true);
  };
  for (const Documented& one : of_buckets) denied(one);
  for (const Documented& one : of_objects) denied(one);
  rig.check_denied({"PUT", "/fresh"}, {}, {}, false);
}

TEST_CASE("admission: a bucket that is not there is told before the body is read") {
  Rig rig;
  for (const Documented& one : of_buckets) {
    std::string target = one.target;
    target.replace(1, 6, "nobody");
    CAPTURE(target);
    CHECK(rig.broken({one.method, target.c_str()}, rig.mine).code() == "NoSuchBucket");
    CHECK_FALSE(rig.body_was_read);
  }
  CHECK(rig.broken({"POST", "/nobody?delete"}, rig.mine).code() == "NoSuchBucket");
  CHECK(rig.get("/nobody?max-keys=x").code() == "NoSuchBucket");
  CHECK(rig.get("/nobody/k?partNumber=x").code() == "NoSuchBucket");
  CHECK(rig.get("/nobody/k?uploadId=x&max-parts=y").code() == "NoSuchBucket");
  CHECK(rig.put("/nobody/k?versionId=x", "abc").code() == "NoSuchBucket");
}

TEST_CASE("admission: rights are judged before parameters") {
  Rig rig;
  for (const char* target :
       {"/photos?max-keys=x", "/photos?list-type=2&encoding-type=x", "/photos?versions&max-keys=x",
        "/photos?uploads&max-uploads=x", "/photos/k?partNumber=x",
        "/photos/k?attributes&max-parts=x", "/photos/k?uploadId=x&max-parts=y",
        "/photos/none?partNumber=x", "/photos/k?acl&versionId="}) {
    CAPTURE(target);
    CHECK(rig.ask({.target = target, .credentials = rig.theirs}).code() == "AccessDenied");
    CHECK(rig.ask({.target = target, .sign = false}).code() == "AccessDenied");
    CHECK(rig.ask({.target = target}).status == 400);  // the owner hears what is wrong
  }
  CHECK(rig.ask({.method = "PUT",
                 .target = "/photos/k?versionId=x",
                 .body = "abc",
                 .credentials = rig.theirs})
            .code() == "AccessDenied");
  CHECK(rig.ask({.target = "/?max-buckets=x", .sign = false}).code() == "AccessDenied");
}

TEST_CASE("admission: the owner of a broken body hears what is wrong with it") {
  Rig rig;
  for (const char* target : {"/photos?versioning", "/photos?acl", "/photos/k?acl", "/fresh"}) {
    CAPTURE(target);
    const bool of_grants = std::string_view(target).ends_with("acl");
    CHECK(rig.put(target, "<broken").code() ==
          (of_grants ? "MalformedACLError" : "MalformedXML"));
    CHECK(rig.body_was_read);
  }
}

TEST_CASE("admission: a policy that asks for what the body says is asked once it is read") {
  Rig rig;
  const auto tag = [&](const std::string& color, bool sign) {
    return rig.ask({.method = "PUT",
                    .target = "/photos/k?tagging",
                    .body = "<Tagging><TagSet><Tag><Key>color</Key><Value>" + color +
                            "</Value></Tag></TagSet></Tagging>",
                    .sign = sign});
  };
  rig.set_policy(
      R"({"Effect":"Allow","Principal":"*","Action":"s3:PutObjectTagging",
          "Resource":"arn:aws:s3:::photos/*",
          "Condition":{"StringEquals":{"s3:RequestObjectTag/color":"red"}}})");
  CHECK(tag("red", false).status == 200);
  CHECK(tag("blue", false).code() == "AccessDenied");
  CHECK(rig.body_was_read);
  CHECK(tag("blue", true).status == 200);
}

}  // namespace
}  // namespace cairn::s3api::admission_test
