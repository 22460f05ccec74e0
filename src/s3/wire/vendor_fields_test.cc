// SPDX-License-Identifier: Apache-2.0
#include "s3/wire/vendor_fields.h"

#include <doctest/doctest.h>

namespace cairn::s3 {
namespace {

net::RequestHead head_with(std::string target,
                           const std::vector<std::pair<std::string, std::string>>& fields) {
  net::RequestHead head;
  head.method = "GET";
  head.target = std::move(target);
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

TEST_CASE("vendor_fields: those of operations, signatures and metadata are known") {
  for (const char* name :
       {"x-amz-acl", "x-amz-copy-source", "x-amz-meta-color", "x-amz-checksum-sha512", "x-amz-date",
        "x-amz-expected-bucket-owner", "x-amz-server-side-encryption-customer-key-md5"})
    CHECK_MESSAGE(is_request_field(name), name);
  for (const char* name : {"x-amz-cf-id", "x-amz-request-id", "x-amz-meta-", "x-amzn-trace-id",
                           "x-svc-acl", "content-type", "x-amz-"})
    CHECK_MESSAGE(!is_request_field(name), name);
}

TEST_CASE("vendor_fields: a request shows its dialect, or none") {
  const auto of = [](std::string target,
                     const std::vector<std::pair<std::string, std::string>>& fields = {}) {
    return dialect_of(head_with(std::move(target), fields));
  };
  CHECK(of("/b/k") == std::nullopt);
  CHECK(of("/b/k", {{"User-Agent", "curl/8"}, {"x-svc-trace-of-a-proxy", "1"}}) == std::nullopt);
  CHECK(of("/b/k", {{"Authorization", "SVC4-HMAC-SHA256 x"}}) == Dialect::svc);
  CHECK(of("/b/k", {{"Authorization", "AWS4-HMAC-SHA256 x"}}) == Dialect::aws);
  CHECK(of("/b/k", {{"Authorization", "AWS a:b"}}) == Dialect::aws);
  CHECK(of("/b/k?versionId=1&X-Svc-Algorithm=x") == Dialect::svc);
  CHECK(of("/b/k?X-Amz-Algorithm=x") == Dialect::aws);
  CHECK(of("/b/k?x-amz-acl=private") == Dialect::aws);
  CHECK(of("/b/k?AWSAccessKeyId=x") == Dialect::aws);
  CHECK(of("/b/k", {{"amz-sdk-invocation-id", "1"}}) == Dialect::aws);
  CHECK(of("/b/k", {{"X-Amz-Cf-Id", "1"}}) == Dialect::aws);
  CHECK(of("/b/k", {{"X-Svc-Request-Payer", "requester"}}) == Dialect::svc);
  CHECK(of("/b/k", {{"x-amz-cf-id", "1"}, {"x-svc-meta-a", "b"}}) == Dialect::svc);
  CHECK(of("/b/k", {{"x-svc-mesh", "1"}, {"x-amz-checksum-mode", "ENABLED"}}) == Dialect::aws);
}

TEST_CASE("vendor_fields: a field of the other dialect is found, one that nobody reads is not") {
  const auto of = [](const char* name, Dialect spoken) {
    return foreign_field(head_with("/", {{"Host", "h"}, {name, "1"}}).headers, spoken);
  };
  CHECK(of("X-Svc-Acl", Dialect::aws) == "x-svc-acl");
  CHECK(of("x-svc-meta-color", Dialect::aws) == "x-svc-meta-color");
  CHECK(of("x-amz-tagging", Dialect::svc) == "x-amz-tagging");
  CHECK(of("x-amz-acl", Dialect::aws) == std::nullopt);
  CHECK(of("x-svc-mesh", Dialect::aws) == std::nullopt);
  CHECK(of("x-amz-cf-id", Dialect::svc) == std::nullopt);
}

TEST_CASE("vendor_fields: what a presigned query says in place of header fields") {
  const net::QueryParameters query = {{"X-Amz-Algorithm", "x"},
                                      {"X-Amz-Date", "20260101T000000Z"},
                                      {"X-Amz-Meta-Color", "red"},
                                      {"x-amz-acl", "private"},
                                      {"x-amz-checksum-crc32", "AAAAAA=="},
                                      {"x-amz-sdk-checksum-algorithm", "CRC32"},
                                      {"x-amz-checksum-mode", "ENABLED"},
                                      {"x-amz-tagging", "a=b"},
                                      {"x-amz-copy-source", "b/k"},
                                      {"X-Amz-Copy-Source-If-Match", "etag"},
                                      {"If-None-Match", "*"},
                                      {"if-modified-since", "never"},
                                      {"Content-Type", "text/plain"},
                                      {"versionId", "1"}};
  const std::vector<net::Headers::Field> read = {
      {"x-amz-meta-color", "red"},           {"x-amz-acl", "private"},
      {"x-amz-checksum-mode", "ENABLED"},    {"x-amz-copy-source-if-match", "etag"},
      {"if-none-match", "*"},                {"if-modified-since", "never"}};
  CHECK(fields_of_query(query, Dialect::aws) == read);
  CHECK(fields_of_query(query, Dialect::svc) ==
        std::vector<net::Headers::Field>{{"if-none-match", "*"}, {"if-modified-since", "never"}});
  const std::vector<net::Headers::Field> neutral = {{"x-svc-acl", "private"}};
  CHECK(fields_of_query({{"X-Svc-Acl", "private"}}, Dialect::svc) == neutral);
}

}  // namespace
}  // namespace cairn::s3
