// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/version_two.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hmac_sha1.h"
#include "s3/wire/vendor_fields.h"

namespace cairn::s3::version_two_test {
namespace {

constexpr const char* id = "AKIAIOSFODNN7EXAMPLE";
constexpr const char* secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
constexpr std::int64_t made_ms = 1'700'000'000'000;

using Fields = std::vector<std::pair<std::string, std::string>>;

net::RequestHead head_of(std::string method, std::string target, const Fields& fields = {}) {
  net::RequestHead head;
  head.method = std::move(method);
  head.target = std::move(target);
  head.headers.add("Host", "objects.example.com:9000");
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

struct Judging {
  std::string bucket_of_host = {};
  std::int64_t now_ms = made_ms;
  std::string key = secret;
};

// "ok", or what the caller hears.
std::string judge(const net::RequestHead& head, const Judging& how = {}) {
  const auto claim = read_claim(head);
  if (!claim.ok()) return claim.error().code;
  if (!claim->has_value()) return "no claim";
  CHECK((*claim)->version_two);
  SigningKeys keys;
  const Status verified = verify_claim(
      **claim, head,
      {.secret = how.key, .now_ms = how.now_ms, .bucket_of_host = how.bucket_of_host}, keys);
  if (verified.ok()) return "ok";
  for (const auto& [name, value] : verified.error().details)
    if (name == "ParametersNotSigned") return "unsigned: " + value;
  return verified.error().code;
}

// A target signed as the protocol says, for requests that no SDK would make.
std::string signed_target(const std::string& method, const std::string& resource,
                          const std::string& query, const Fields& fields = {}) {
  const std::string start = resource + "?" + (query.empty() ? "" : query + "&") +
                            "AWSAccessKeyId=" + id + "&Expires=1700003600";
  const auto text = version_two_text(head_of(method, start, fields), resource);
  REQUIRE(text.ok());
  return start + "&Signature=" + percent_encode(to_base64(hmac_sha1(secret, *text)));
}

TEST_CASE("version two: the worked example of the protocol's documentation") {
  const auto head = head_of("GET",
                            "/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&"
                            "Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620");
  const std::int64_t end_ms = 1'175'139'620'000;
  CHECK(judge(head, {.bucket_of_host = "johnsmith", .now_ms = end_ms}) == "ok");
  CHECK(judge(head, {.bucket_of_host = "johnsmith", .now_ms = end_ms + 1}) == "AccessDenied");
  CHECK(judge(head, {.bucket_of_host = "other", .now_ms = end_ms}) == "SignatureDoesNotMatch");
  CHECK(judge(head, {.now_ms = end_ms}) == "SignatureDoesNotMatch");
}

// What boto3 1.43 makes with signature_version "s3", at a fixed time.
struct Made {
  const char* method;
  const char* key;  // below the bucket photos, as it is spelled
  const char* query;
};
constexpr Made made[] = {
    {"GET", "a%20b/%C3%BC%2B1.jpg",
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=obHB068l9bjGsJi9fPHXHyR910Q%3D&"
     "Expires=1700003600"},
    {"GET", "k",
     "versionId=v1&response-content-type=text%2Fplain%3B%20charset%3Dutf-8&"
     "response-content-disposition=attachment%3B%20filename%3D%22a%26b.txt%22&"
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=iy8%2FT7S3SMhm3cJR50sEz%2BholPo%3D&"
     "Expires=1700003600"},
    {"PUT", "k",
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=uwLVWkBxx4NZ4w7cyyRueGZ17xw%3D&"
     "content-type=image%2Fpng&x-amz-acl=private&x-amz-meta-color=dark%20red&"
     "Expires=1700003600"},
    {"PUT", "k",
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=m97g3S1GMF1Qnj6u349nEa7ZHiU%3D&"
     "Expires=1700003600"},
    {"PUT", "k",
     "partNumber=2&uploadId=u&AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&"
     "Signature=crDxYwuVrRfpg7h7X2z33Dx7Vag%3D&Expires=1700003600"},
    {"GET", "",
     "list-type=2&encoding-type=url&AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&"
     "Signature=iOzLFRt1S8VGTLy6QsERWwECR0k%3D&Expires=1700003600"},
    {"DELETE", "k",
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=BozwqCZZ8mSEN4eUeiqUePtbvEo%3D&"
     "Expires=1700003600"},
    {"HEAD", "k",
     "AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=FAMt1DuJqxzOEVUKlxtO3%2B9WCiA%3D&"
     "Expires=1700003600"},
};

TEST_CASE("version two: what an SDK presigns verifies, in path style and by host") {
  for (const Made& one : made) {
    CAPTURE(one.query);
    const std::string key = one.key, query = std::string("?") + one.query;
    const std::string path = key.empty() ? "/photos" : "/photos/" + key;
    CHECK(judge(head_of(one.method, path + query)) == "ok");
    CHECK(judge(head_of(one.method, "/" + key + query), {.bucket_of_host = "photos"}) == "ok");
    CHECK(judge(head_of(one.method, path + query), {.now_ms = made_ms + 3'600'001}) ==
          "AccessDenied");
    CHECK(judge(head_of(one.method, path + query), {.key = "another"}) == "SignatureDoesNotMatch");
    const std::string other = one.method == std::string("GET") ? "PUT" : "GET";
    CHECK(judge(head_of(other, path + query)) == "SignatureDoesNotMatch");
    CHECK(judge(head_of(one.method, path + "x" + query)) == "SignatureDoesNotMatch");
  }
}

TEST_CASE("version two: whatever is under the signature cannot be changed, added or dropped") {
  const std::string put = std::string("/photos/k?") + made[2].query;
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string target = put;
    return judge(head_of("PUT", target.replace(target.find(from), from.size(), to)));
  };
  CHECK(changed("image%2Fpng", "image%2Fgif") == "SignatureDoesNotMatch");
  CHECK(changed("private", "public-read") == "SignatureDoesNotMatch");
  CHECK(changed("dark%20red", "dark%20re") == "SignatureDoesNotMatch");
  CHECK(changed("&x-amz-acl=private", "") == "SignatureDoesNotMatch");
  CHECK(changed("Expires=1700003600", "Expires=1700003601") == "SignatureDoesNotMatch");
  CHECK(changed("Expires=", "acl&Expires=") == "SignatureDoesNotMatch");
  CHECK(changed("Expires=", "x-amz-tagging=a%3Db&Expires=") == "SignatureDoesNotMatch");
  CHECK(judge(head_of("PUT", put, {{"x-amz-meta-more", "1"}})) == "SignatureDoesNotMatch");
  CHECK(judge(head_of("PUT", put, {{"Content-Type", "text/html"}})) == "SignatureDoesNotMatch");
  CHECK(judge(head_of("PUT", put, {{"Content-Type", "image/png"}})) == "ok");
  CHECK(judge(head_of("PUT", put, {{"Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg=="}})) ==
        "SignatureDoesNotMatch");
}

TEST_CASE("version two: a parameter that it does not cover is refused by name") {
  for (const char* extra : {"prefix=a", "If-None-Match=%2A", "attributes", "retention",
                            "start-after=b", "legal-hold", "encryption", "partnumber=1"}) {
    CAPTURE(extra);
    const std::string name(extra, std::string_view(extra).find_first_of("=") == std::string::npos
                                      ? std::string_view(extra).size()
                                      : std::string_view(extra).find('='));
    const std::string target = signed_target("GET", "/photos/k", "");
    CHECK(judge(head_of("GET", target + "&" + extra)) == "unsigned: " + name);
  }
}

TEST_CASE("version two: one signature never stands for two requests") {
  // Each pair has the same signed text; the second is what somebody would make of the first.
  const std::string two = signed_target("GET", "/b/k", "response-content-type=a&versionId=5");
  CHECK(judge(head_of("GET", two)) == "ok");
  const std::string tail = two.substr(two.find("&AWSAccessKeyId"));
  CHECK(judge(head_of("GET", "/b/k?response-content-type=a%26versionId%3D5" + tail)) ==
        "InvalidArgument");
  const std::string put = signed_target("PUT", "/b/k", "x-amz-acl=private&x-amz-meta-a=b");
  CHECK(judge(head_of("PUT", put)) == "ok");
  const std::string rest = put.substr(put.find("&AWSAccessKeyId"));
  CHECK(judge(head_of("PUT", "/b/k?x-amz-acl=private%0Ax-amz-meta-a:b" + rest)) ==
        "InvalidArgument");
  CHECK(judge(head_of("PUT", "/b/k?x-amz-acl=private&x-amz-meta-a%3Ab=" + rest)) ==
        "InvalidArgument");
  const std::string list = signed_target("PUT", "/b/k", "x-amz-meta-a=b,c");
  const std::string end = list.substr(list.find("&AWSAccessKeyId"));
  CHECK(judge(head_of("PUT", list)) == "ok");
  CHECK(judge(head_of("PUT", "/b/k?x-amz-meta-a=b&x-amz-meta-a=c" + end)) == "InvalidArgument");
  CHECK(judge(head_of("PUT", "/b/k?x-amz-meta-a=c" + end, {{"x-amz-meta-a", "b"}})) ==
        "InvalidArgument");
  CHECK(judge(head_of("PUT", "/b/k?X-Amz-Meta-A=b&x-amz-meta-a=c" + end)) == "InvalidArgument");
}

TEST_CASE("version two: malformed queries each hear what is wrong") {
  const std::string start = "/b/k?AWSAccessKeyId=a&Signature=b";
  CHECK(judge(head_of("GET", start)) == "AccessDenied");
  for (const char* bad : {"", "tomorrow", "-1", "99999999999999999999", "100000000001", "1.5"}) {
    CAPTURE(bad);
    CHECK(judge(head_of("GET", start + "&Expires=" + bad)) == "AccessDenied");
  }
  const std::string whole = start + "&Expires=1700003600";
  CHECK(judge(head_of("GET", whole)) == "SignatureDoesNotMatch");
  CHECK(judge(head_of("GET", whole + "&Expires=1800000000")) == "InvalidArgument");
  CHECK(judge(head_of("GET", whole + "&X-Amz-Signature=c")) == "InvalidArgument");
  CHECK(judge(head_of("GET", whole, {{"Authorization", "AWS a:b"}})) == "InvalidArgument");
  CHECK(judge(head_of("GET", "/b/k", {{"Authorization", "AWS a:b"}})) == "InvalidRequest");
  CHECK(judge(head_of("GET", "/b/k?Signature=b&Expires=1")) == "no claim");
}

TEST_CASE("version two: what it moved into the query is read there") {
  const net::QueryParameters query = {{"content-type", "image/png"},
                                      {"x-amz-tagging", "a=b"},
                                      {"x-amz-checksum-crc32", "AAAAAA=="},
                                      {"x-amz-copy-source", "b/k"},
                                      {"x-amz-date", "now"}};
  const std::vector<net::Headers::Field> read = {{"content-type", "image/png"},
                                                 {"x-amz-tagging", "a=b"},
                                                 {"x-amz-checksum-crc32", "AAAAAA=="}};
  CHECK(fields_of_query(query, Dialect::aws, Moved::all) == read);
}

}  // namespace
}  // namespace cairn::s3::version_two_test
