// SPDX-License-Identifier: Apache-2.0
// Listings that are none, that do not say where they go on, and that never end.
#include "objectclient/pages.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "objectclient/service_errors.h"
#include "objectclient/testing.h"

namespace cairn::objectclient::pages_test {
namespace {

ClientOptions impatient(const ScriptedService& service) {
  ClientOptions options = at(service);
  options.raise_response_errors = false;
  options.retry_limit = 0;
  return options;
}

std::string objects_page(const std::string& key, const std::string& token) {
  return "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>" + key +
         "</Key></Contents>" +
         (token.empty() ? "" : "<NextContinuationToken>" + token + "</NextContinuationToken>") +
         "</ListBucketResult>";
}

}  // namespace

TEST_CASE("listing: a body of another kind is no empty list") {
  for (const std::string body : {"<ListAllMyBucketsResult></ListAllMyBucketsResult>", "<Other/>",
                                 "<html></html>", "<listbucketresult/>", "<ListBucketResultX/>"}) {
    CAPTURE(body);
    ScriptedService service({{.body = body}});
    MadeUp environment;
    const Client client = environment.client(impatient(service));
    CHECK_FALSE(client.list_objects_v2({.bucket = "b"}).ok());
    CHECK_FALSE(client.list_objects({.bucket = "b"}).ok());
    CHECK_FALSE(client.list_object_versions({.bucket = "b"}).ok());
    CHECK_FALSE(client.list_multipart_uploads({.bucket = "b"}).ok());
    CHECK_FALSE(client.list_parts({.bucket = "b", .key = "k", .upload_id = "u"}).ok());
    CHECK_FALSE(client.get_bucket_tagging({.bucket = "b"}).ok());
    if (!body.starts_with("<ListAll")) CHECK_FALSE(client.list_buckets().ok());
  }
  // A prefix of the namespace is the document's own affair.
  ScriptedService prefixed(
      {{.body = "<s3:ListBucketResult xmlns:s3=\"urn:x\"></s3:ListBucketResult>"}});
  MadeUp environment;
  CHECK(environment.client(impatient(prefixed)).list_objects_v2({.bucket = "b"}).ok());
}

TEST_CASE("listing: one that goes on and does not say where is an error") {
  const std::string more = "<IsTruncated>true</IsTruncated>";
  ScriptedService service([&](const Seen& seen) -> Answer {
    if (seen.target.find("versions") != std::string::npos)
      return {.body = "<ListVersionsResult>" + more + "</ListVersionsResult>"};
    if (seen.target.find("uploads") != std::string::npos)
      return {.body = "<ListMultipartUploadsResult>" + more +
                      "<NextKeyMarker></NextKeyMarker></ListMultipartUploadsResult>"};
    if (seen.target.find("uploadId") != std::string::npos)
      return {.body = "<ListPartsResult>" + more + "</ListPartsResult>"};
    return {.body = "<ListBucketResult>" + more + "</ListBucketResult>"};
  });
  MadeUp environment;
  const Client client = environment.client(impatient(service));
  const std::string wrong = "UnexpectedReplyError";
  CHECK(code_of_failure(client.list_objects_v2({.bucket = "b"})) == wrong);
  CHECK(code_of_failure(client.list_objects({.bucket = "b"})) == wrong);
  CHECK(code_of_failure(client.list_object_versions({.bucket = "b"})) == wrong);
  CHECK(code_of_failure(client.list_multipart_uploads({.bucket = "b"})) == wrong);
  CHECK(code_of_failure(client.list_parts({.bucket = "b", .key = "k", .upload_id = "u"})) == wrong);
  CHECK(code_of_failure(client.call("list_objects_v2", {{"bucket", "b"}})) == wrong);
  // Who asks for nothing gets nothing, as often as they like.
  CHECK(client.list_objects_v2({.bucket = "b", .max_keys = 0}).ok());
}

TEST_CASE("listing: a page that leads to itself is an error") {
  ScriptedService service({{.body = objects_page("a", "T")}});
  MadeUp environment;
  const Client client = environment.client(impatient(service));
  CHECK(client.list_objects_v2({.bucket = "b"}).ok());
  CHECK(code_of_failure(client.list_objects_v2({.bucket = "b", .continuation_token = "T"})) ==
        "UnexpectedReplyError");
  auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = "b"});
  CHECK(pages.next()->ok());
  CHECK(code_of_failure(*pages.next()) == "UnexpectedReplyError");
  CHECK_FALSE(pages.next());
}

TEST_CASE("pages: a listing that comes round ends with an error, however long its round") {
  for (const int round : {2, 3, 7, 20}) {
    int page = 0;
    ScriptedService service([&](const Seen&) -> Answer {
      return {.body = objects_page("k", "T" + std::to_string(page++ % round))};
    });
    MadeUp environment;
    ClientOptions options = impatient(service);
    const Client client = environment.client(options);
    auto pages = pages_of(client, &Client::list_objects_v2, {.bucket = "b"});
    std::string code;
    while (const auto got = pages.next()) code = code_of_failure(*got);
    CHECK(code == "UnexpectedReplyError");
    CHECK(service.count() <= static_cast<std::size_t>(4 * round + 4));
    options.raise_response_errors = true;
    const Client raising = environment.client(options);
    auto thrown = pages_of(raising, &Client::list_objects_v2, {.bucket = "b"});
    CHECK_THROWS_AS(while (thrown.next()){}, UnexpectedReplyError);
  }
}

TEST_CASE("token watch: tokens that differ are let through for ever") {
  TokenWatch watch;
  for (int i = 0; i < 10'000; ++i) REQUIRE(watch.see(std::to_string(i)).ok());
  CHECK_FALSE([&] {
    for (int i = 0; i < 30'000; ++i)
      if (!watch.see("again").ok()) return false;
    return true;
  }());
}

}  // namespace cairn::objectclient::pages_test
