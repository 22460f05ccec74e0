// SPDX-License-Identifier: Apache-2.0
// Presigned URLs: what their query says is done, what it does not say is not.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hmac_sha1.h"
#include "s3/signing/version_two.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::presigned_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct PresignRig : ServiceRig {
  explicit PresignRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/bkt").status == 200);
    REQUIRE(put("/bkt/k", "first").status == 200);
  }
  // Only Host is signed beside the query, as SDKs do.
  Answer presigned(std::string method, std::string path, std::string query, std::string body = {},
                   Fields sent = {}, Fields signed_fields = {}) {
    net::Headers headers;
    headers.add("Host", "127.0.0.1:9000");
    for (const auto& [name, value] : signed_fields) headers.add(name, value);
    s3::sign_query(method, path, query, headers, "UNSIGNED-PAYLOAD", 60,
                   {.credentials = mine, .region = "us-east-1", .time_ms = clock.unix_ms()}, keys);
    sent.insert(sent.end(), signed_fields.begin(), signed_fields.end());
    return ask({.method = std::move(method),
                .target = path + "?" + query,
                .headers = std::move(sent),
                .body = std::move(body),
                .sign = false});
  }
  Answer version_two(std::string method, std::string path, std::string query, std::string body = {},
                     Fields sent = {}) {
    if (!query.empty()) query += '&';
    query += "AWSAccessKeyId=" + mine.access_key_id +
             "&Expires=" + std::to_string(clock.unix_ms() / 1000 + 60);
    net::RequestHead head;
    head.method = method;
    head.target = path + "?" + query;
    const auto text = s3::version_two_text(head, path);
    REQUIRE(text.ok());
    query += "&Signature=" + percent_encode(to_base64(hmac_sha1(mine.secret_access_key, *text)));
    return ask({.method = std::move(method),
                .target = path + "?" + query,
                .headers = std::move(sent),
                .body = std::move(body),
                .sign = false});
  }
};

TEST_CASE("presigned: a condition in the query holds as one in the head does") {
  PresignRig rig;
  const std::string etag = rig.get("/bkt/k").header("ETag");
  const std::string good = percent_encode(etag);
  const std::string later = percent_encode("Wed, 15 Nov 2023 22:13:20 GMT");
  const std::string earlier = percent_encode("Mon, 13 Nov 2023 22:13:20 GMT");
  struct Row {
    const char* method;
    const char* path;
    std::string query;
    int status;
  };
  rig.clock.advance_ms(2 * 86'400'000);
  const Row rows[] = {
      {"PUT", "/bkt/k", "If-None-Match=%2A", 412},
      {"PUT", "/bkt/k", "if-none-match=%2A", 412},
      {"PUT", "/bkt/new", "If-None-Match=%2A", 200},
      {"PUT", "/bkt/k", "If-Match=%22other%22", 412},
      {"PUT", "/bkt/none", "If-Match=" + good, 404},
      {"GET", "/bkt/k", "If-Match=%22other%22", 412},
      {"GET", "/bkt/k", "If-Match=" + good, 200},
      {"GET", "/bkt/k", "If-None-Match=" + good, 304},
      {"HEAD", "/bkt/k", "If-None-Match=" + good, 304},
      {"GET", "/bkt/k", "If-Modified-Since=" + later, 304},
      {"GET", "/bkt/k", "If-Unmodified-Since=" + earlier, 412},
      {"GET", "/bkt/k", "If-Unmodified-Since=" + later, 200},
      {"DELETE", "/bkt/k", "If-Match=%22other%22", 412},
      {"DELETE", "/bkt/k", "x-amz-if-match-size=5", 501},
      {"DELETE", "/bkt/k", "x-amz-if-match-last-modified-time=" + earlier, 501},
  };
  for (const Row& row : rows) {
    CAPTURE(row.method);
    CAPTURE(row.query);
    CHECK(rig.presigned(row.method, row.path, row.query).status == row.status);
    CHECK(rig.get("/bkt/k").body == "first");
  }
  CHECK(rig.presigned("PUT", "/bkt/k", "If-Match=" + good, "second").status == 200);
  CHECK(rig.get("/bkt/k").body == "second");
}

TEST_CASE("presigned: conditions on the source of a copy hold in the query too") {
  PresignRig rig;
  const Fields source = {{"x-amz-copy-source", "bkt/k"}};
  const std::string other = "x-amz-copy-source-if-match=%22other%22";
  CHECK(rig.presigned("PUT", "/bkt/copy", other, {}, {}, source).status == 412);
  CHECK(rig.presigned("PUT", "/bkt/copy", "X-Amz-Copy-Source-If-None-Match=%2A", {}, {}, source)
            .status == 412);
  CHECK(rig.get("/bkt/copy").status == 404);
  CHECK(rig.presigned("PUT", "/bkt/copy", "", {}, {}, source).status == 200);
  CHECK(rig.presigned("PUT", "/bkt/copy", "If-None-Match=%2A", {}, {}, source).status == 412);
  // A source that only the query names would not be copied: an empty object would be put.
  const Answer answer = rig.presigned("PUT", "/bkt/copy", "x-amz-copy-source=bkt%2Fk");
  CHECK(answer.code() == "InvalidArgument");
  CHECK(rig.get("/bkt/copy").body == "first");
}

TEST_CASE("presigned: what is sent unsigned never takes the place of what was signed") {
  PresignRig rig;
  CHECK(
      rig.presigned("PUT", "/bkt/k", "If-None-Match=%2A", "x", {{"If-None-Match", "\"y\""}}).code() ==
      "InvalidArgument");
  CHECK(rig.presigned("PUT", "/bkt/k", "If-Match=a&If-Match=b", "x").code() == "InvalidArgument");
  CHECK(rig.presigned("PUT", "/bkt/k", "If-None-Match=%2A", "x", {{"If-None-Match", "*"}}).status ==
        412);
  CHECK(rig.presigned("PUT", "/bkt/k", "", "x", {{"x-amz-acl", "private"}}).code() == "AccessDenied");
  CHECK(rig.get("/bkt/k").body == "first");
}

TEST_CASE("presigned: a word about the body that was not signed is ignored") {
  PresignRig rig;
  const Fields claims = {{"x-amz-content-sha256", std::string(64, 'a')}};
  CHECK(rig.presigned("PUT", "/bkt/k", "", "second", claims).status == 200);
  CHECK(rig.get("/bkt/k").body == "second");
  const Fields chunked = {{"x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}};
  CHECK(rig.presigned("PUT", "/bkt/k", "", "0\r\n\r\n", chunked).status == 200);
  CHECK(rig.get("/bkt/k").body == "0\r\n\r\n");
}

TEST_CASE("presigned: version two is answered, and says only what it signs") {
  PresignRig rig;
  Answer answer = rig.version_two("GET", "/bkt/k", "response-content-type=text%2Fplain");
  CHECK(answer.status == 200);
  CHECK(answer.body == "first");
  CHECK(answer.header("Content-Type") == "text/plain");
  answer = rig.version_two("PUT", "/bkt/two",
                           "x-amz-meta-color=dark%20red&content-type=image%2Fpng&"
                           "x-amz-tagging=a%3Db",
                           "bytes");
  CHECK(answer.status == 200);
  answer = rig.head("/bkt/two");
  CHECK(answer.header("x-amz-meta-color") == "dark red");
  CHECK(answer.header("Content-Type") == "image/png");
  CHECK(answer.header("x-amz-tagging-count") == "1");
  CHECK(rig.version_two("GET", "/bkt", "").status == 200);
  CHECK(rig.version_two("GET", "/bkt", "prefix=a").code() == "AccessDenied");
  CHECK(rig.version_two("PUT", "/bkt/two", "If-None-Match=%2A", "no").code() == "AccessDenied");
  CHECK(rig.version_two("PUT", "/bkt/two", "x-amz-copy-source=bkt%2Fk").code() == "InvalidArgument");
  CHECK(rig.version_two("PUT", "/bkt/two", "x-amz-security-token=t", "no").code() == "InvalidToken");
  CHECK(rig.get("/bkt/two").body == "bytes");
  CHECK(rig.version_two("DELETE", "/bkt/two", "").status == 204);
  CHECK(rig.get("/bkt/two").status == 404);
  rig.mine.secret_access_key += "x";
  answer = rig.version_two("GET", "/bkt/k", "");
  CHECK(answer.code() == "SignatureDoesNotMatch");
  CHECK(answer.text("StringToSign").starts_with("GET\n\n\n"));
}

TEST_CASE("presigned: version two is refused where the settings say so") {
  PresignRig rig(Options{.accept_version_two = false});
  const Answer answer = rig.version_two("GET", "/bkt/k", "");
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message").find("AWS4-HMAC-SHA256") != std::string::npos);
  CHECK(rig.presigned("GET", "/bkt/k", "").status == 200);
}

}  // namespace
}  // namespace cairn::s3api::presigned_test
