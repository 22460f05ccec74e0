// SPDX-License-Identifier: Apache-2.0
#include "s3api/service.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3/signing/chunked.h"
#include "s3/wire/error_body.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::service_test {
namespace {

TEST_CASE("service: credentials decide who is answered") {
  ServiceRig rig;
  Answer answer = rig.ask({.sign = false});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "AccessDenied");
  CHECK(answer.header("x-amz-request-id") == "0123456789ABCDEF");
  CHECK(answer.header("Content-Type") == "application/xml");
  CHECK(answer.text("RequestId") == "0123456789ABCDEF");
  CHECK(answer.text("Resource") == "/");
  CHECK(answer.text("HostId") == answer.header("x-amz-id-2"));

  answer = rig.ask({.credentials = {"NOBODY", "x"}});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "InvalidAccessKeyId");
  CHECK(answer.text("AWSAccessKeyId") == "NOBODY");
  answer = rig.ask({.credentials = {rig.mine.access_key_id, "wrong"}});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "SignatureDoesNotMatch");
  CHECK(answer.text("CanonicalRequest").starts_with("GET\n/\n"));
  CHECK(answer.body.find("secret-of-mine") == std::string::npos);
  answer = rig.ask({.credentials = {rig.mine.access_key_id, rig.mine.secret_access_key, "token"}});
  CHECK(answer.code() == "InvalidToken");
  answer = rig.ask({.method = "OPTIONS", .target = "/b/k", .sign = false});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "BadRequest");  // no page asks
  CHECK(rig.get("/").status == 200);
}

TEST_CASE("service: both dialects are spoken, and answered in kind") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const Answer put = rig.ask({.method = "PUT",
                              .target = "/photos/k",
                              .headers = {{"x-svc-meta-color", "red"}},
                              .body = "abc",
                              .dialect = s3::Dialect::svc});
  CHECK(put.status == 200);
  CHECK(put.header("x-svc-request-id") == "0123456789ABCDEF");
  CHECK_FALSE(put.headers.has("x-amz-request-id"));
  CHECK(put.header("x-svc-checksum-crc64nvme") != "");
  CHECK(rig.ask({.target = "/photos/k", .dialect = s3::Dialect::svc}).header("x-svc-meta-color") ==
        "red");
  CHECK(rig.get("/photos/k").header("x-amz-meta-color") == "red");
}

TEST_CASE("service: a field of the other dialect is refused by name, not left unread") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const auto put = [&](const char* name, const char* value, s3::Dialect dialect, bool sign) {
    return rig.ask({.method = "PUT",
                    .target = "/photos/k",
                    .headers = {{name, value}},
                    .body = "abc",
                    .sign = sign,
                    .dialect = dialect});
  };
  Answer answer = put("x-svc-meta-color", "red", s3::Dialect::aws, true);
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("ArgumentName") == "x-svc-meta-color");
  CHECK(answer.text("Message").ends_with("send it as x-amz-meta-color"));
  CHECK_FALSE(rig.body_was_read);
  answer = put("x-amz-storage-class", "STANDARD_IA", s3::Dialect::svc, true);
  CHECK(answer.text("ArgumentName") == "x-amz-storage-class");
  CHECK(answer.text("Message").ends_with("send it as x-svc-storage-class"));
  CHECK(rig.get("/photos/k").status == 404);
  // What only proxies say is theirs.
  CHECK(put("x-svc-mesh-hop", "1", s3::Dialect::aws, true).status == 200);
  CHECK(put("x-amz-cf-id", "1", s3::Dialect::svc, true).status == 200);
  CHECK(put("x-svc-acl", "private", s3::Dialect::aws, false).code() == "AccessDenied");
}

TEST_CASE("service: who shows no dialect is answered in the neutral one, with the other beside") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const auto ask = [&](std::vector<std::pair<std::string, std::string>> headers) {
    return rig.ask({.target = "/photos/k", .headers = std::move(headers), .sign = false});
  };
  const std::string id = "0123456789ABCDEF";
  Answer answer = ask({});
  CHECK(answer.code() == "AccessDenied");
  CHECK(answer.header("x-svc-request-id") == id);
  CHECK(answer.header("x-svc-id-2") == answer.text("HostId"));
  CHECK(answer.header("x-amz-request-id") == id);
  answer = ask({{"x-svc-request-payer", "requester"}});
  CHECK(answer.header("x-svc-request-id") == id);
  CHECK_FALSE(answer.headers.has("x-amz-request-id"));
  answer = ask({{"amz-sdk-invocation-id", "1"}});
  CHECK(answer.header("x-amz-request-id") == id);
  CHECK_FALSE(answer.headers.has("x-svc-request-id"));
}

TEST_CASE("service: a public object is told in both dialects to who shows none") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  REQUIRE(rig.remove("/photos?publicAccessBlock").status == 204);
  REQUIRE(rig.put("/photos?policy", R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow",
      "Principal":"*","Action":["s3:GetObject","s3:ListBucket"],
      "Resource":["arn:aws:s3:::photos","arn:aws:s3:::photos/*"]}]})")
              .status == 204);
  REQUIRE(rig.put("/photos/k", "abc",
                  {{"x-amz-server-side-encryption", "aws:kms"}, {"x-amz-meta-note", "svc:mine"}})
              .status == 200);
  const Answer answer = rig.ask({.target = "/photos/k", .sign = false});
  CHECK(answer.body == "abc");
  CHECK(answer.header("x-svc-server-side-encryption") == "svc:kms");
  CHECK(answer.header("x-amz-server-side-encryption") == "aws:kms");
  CHECK(answer.header("x-svc-meta-note") == "svc:mine");
  CHECK(answer.header("x-amz-meta-note") == "svc:mine");
  const Answer bucket = rig.ask({.method = "HEAD", .target = "/photos", .sign = false});
  CHECK(bucket.header("x-svc-bucket-arn") == "arn:svc:s3:::photos");
  CHECK(bucket.header("x-amz-bucket-arn") == "arn:aws:s3:::photos");
}

TEST_CASE("service: regions are free, or held to when told so") {
  ServiceRig free;
  CHECK(free.ask({.region = "mars-north-1"}).status == 200);
  ServiceRig strict(Options{.accept_any_region = false});
  CHECK(strict.get("/").status == 200);
  const Answer answer = strict.ask({.region = "eu-west-1"});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "AuthorizationHeaderMalformed");
  CHECK(answer.text("Region") == "us-east-1");
  CHECK(answer.header("x-amz-bucket-region") == "us-east-1");
}

TEST_CASE("service: presigned requests are answered") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  REQUIRE(rig.put("/photos/k", "abc").status == 200);
  const auto presigned = [&](const char* method, std::string path, std::string extra,
                             std::string body) {
    net::Headers headers;
    headers.add("Host", "127.0.0.1:9000");
    std::string query = std::move(extra);
    s3::sign_query(method, path, query, headers, "UNSIGNED-PAYLOAD", 60,
                   {.credentials = rig.mine, .region = "us-east-1", .time_ms = rig.clock.unix_ms()},
                   rig.keys);
    return Ask{
        .method = method, .target = path + "?" + query, .body = std::move(body), .sign = false};
  };
  const Ask get = presigned("GET", "/photos/k", "response-content-type=text%2Fplain", "");
  Answer answer = rig.ask(get);
  CHECK(answer.status == 200);
  CHECK(answer.body == "abc");
  CHECK(answer.header("Content-Type") == "text/plain");
  CHECK(rig.ask(presigned("PUT", "/photos/new", "", "uploaded")).status == 200);
  CHECK(rig.get("/photos/new").body == "uploaded");
  // SDKs move header fields into the query.
  answer = rig.ask(presigned("PUT", "/photos/told",
                             "x-amz-meta-color=dark%20red&x-amz-storage-class=STANDARD_IA&"
                             "x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32",
                             "uploaded"));
  CHECK(answer.status == 200);
  answer = rig.get("/photos/told");
  CHECK(answer.header("x-amz-meta-color") == "dark red");
  CHECK(answer.header("x-amz-storage-class") == "STANDARD_IA");
  answer = rig.ask(presigned("PUT", "/photos/no", "x-amz-acl=public-read", "uploaded"));
  CHECK(answer.code() == "AccessControlListNotSupported");
  for (const char* bad : {"x-amz-meta-a=b%0D%0Ac:%20d", "x-amz-meta-a%0D%0Ab=c",
                          "x-amz-meta-a%3A=b", "x-amz-meta-a%C3%A4=b"}) {
    CAPTURE(bad);
    answer = rig.ask(presigned("PUT", "/photos/no", bad, "uploaded"));
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("ArgumentName").starts_with("x-amz-meta-a"));
  }
  answer = rig.ask(
      presigned("PUT", "/photos/no", "x-amz-expected-bucket-owner=222222222222", "uploaded"));
  CHECK(answer.code() == "AccessDenied");
  rig.clock.advance_ms(61'000);
  answer = rig.ask(get);
  CHECK(answer.status == 403);
  CHECK(answer.text("Message") == "Request has expired");
}

TEST_CASE("service: what it does not offer is refused by name") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  for (const char* target :
       {"/photos?analytics", "/photos?inventory&id=1", "/photos?metrics", "/photos/k?torrent",
        "/photos/k?select&select-type=2", "/photos?abac", "/photos/k?encryption"}) {
    CAPTURE(target);
    const Answer answer = rig.get(target);
    CHECK(answer.status == 501);
    CHECK(answer.code() == "NotImplemented");
    const std::string path(target, std::string_view(target).find('?'));
    CHECK(answer.text("Resource") == path);
    CHECK(answer.body.find("<Resource>") == answer.body.rfind("<Resource>"));
    CHECK(answer.text("Message") == "?" + answer.text("Subresource") + " is not offered here");
  }
  CHECK(rig.put("/photos?website", "<WebsiteConfiguration/>").status == 501);
  CHECK(rig.put("/photos?logging",
                "<BucketLoggingStatus><LoggingEnabled><TargetBucket>x</TargetBucket>"
                "</LoggingEnabled></BucketLoggingStatus>")
            .status == 501);
  CHECK(rig.put("/photos?notification",
                "<NotificationConfiguration><TopicConfiguration/></NotificationConfiguration>")
            .status == 501);
  CHECK(rig.put("/photos?accelerate",
                "<AccelerateConfiguration><Status>Enabled</Status></AccelerateConfiguration>")
            .status == 501);
  CHECK(rig.put("/photos?replication", "<ReplicationConfiguration/>").status == 501);
  CHECK(rig.head("/photos").status == 200);
  Answer answer = rig.ask({.method = "PATCH", .target = "/photos/k"});
  CHECK(answer.status == 405);
  CHECK(answer.code() == "MethodNotAllowed");
  CHECK(rig.ask({.method = "DELETE", .target = "/"}).status == 405);
  answer = rig.put("/photos/k", "x", {{"x-amz-write-offset-bytes", "0"}});
  CHECK(answer.status == 501);
  CHECK(answer.text("Header") == "x-amz-write-offset-bytes");
  for (const char* name : {"OUTPOSTS", "EXPRESS_ONEZONE", "SNOW", "FAST"})
    CHECK(rig.put("/photos/k", "x", {{"x-amz-storage-class", name}}).code() ==
          "InvalidStorageClass");
  CHECK(rig.get("/photos/k").status == 404);
}

TEST_CASE("service: what tools ask every bucket for has the answer of what was never set") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const std::pair<const char*, const char*> empty[] = {
      {"versioning", "VersioningConfiguration"},
      {"logging", "BucketLoggingStatus"},
      {"notification", "NotificationConfiguration"},
      {"accelerate", "AccelerateConfiguration"}};
  for (const auto& [part, root] : empty) {
    const Answer answer = rig.get(std::string("/photos?") + part);
    CAPTURE(part);
    CHECK(answer.status == 200);
    CHECK(answer.xml().name == root);
    CHECK(answer.xml().children.empty());
  }
  CHECK(rig.get("/photos?requestPayment").text("Payer") == "BucketOwner");
  const std::pair<const char*, const char*> missing[] = {
      {"cors", "NoSuchCORSConfiguration"},
      {"policy", "NoSuchBucketPolicy"},
      {"policyStatus", "NoSuchBucketPolicy"},
      {"lifecycle", "NoSuchLifecycleConfiguration"},
      {"tagging", "NoSuchTagSet"},
      {"website", "NoSuchWebsiteConfiguration"},
      {"replication", "ReplicationConfigurationNotFoundError"},
      {"object-lock", "ObjectLockConfigurationNotFoundError"},
      {"encryption", "ServerSideEncryptionConfigurationNotFoundError"}};
  for (const auto& [part, code] : missing) {
    const Answer answer = rig.get(std::string("/photos?") + part);
    CAPTURE(part);
    CHECK(answer.status == 404);
    CHECK(answer.code() == code);
    CHECK(answer.text("BucketName") == "photos");
  }
}

TEST_CASE("service: what a bucket cannot have may be set to nothing, and taken away") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  CHECK(rig.put("/photos?logging", "<BucketLoggingStatus/>").status == 200);
  CHECK(rig.put("/photos?notification", "<NotificationConfiguration/>").status == 200);
  CHECK(rig.put("/photos?accelerate",
                "<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>")
            .status == 200);
  CHECK(rig.remove("/photos?website").status == 204);
  CHECK(rig.remove("/photos?replication").status == 204);
  CHECK(rig.head("/photos").status == 200);
  for (const char* bad : {"", "<Other/>", "<AccelerateConfiguration/>",
                          "<AccelerateConfiguration><Status>enabled</Status>"
                          "</AccelerateConfiguration>"}) {
    CAPTURE(bad);
    CHECK(rig.put("/photos?accelerate", bad).code() == "MalformedXML");
  }
  CHECK(rig.put("/photos?logging", "<Other/>").code() == "MalformedXML");
  CHECK(rig.remove("/none?website").code() == "NoSuchBucket");
  CHECK(rig.ask({.method = "DELETE", .target = "/photos?website", .credentials = rig.theirs})
            .code() == "AccessDenied");
}

TEST_CASE("service: errors of the HTTP server itself are XML too") {
  net::Headers headers;
  const std::string body = render_server_error(431, "head too large", "R", headers);
  CHECK(s3::parse_error(431, body).message == "head too large");
  CHECK(headers.find("x-amz-request-id") == "R");
  CHECK(headers.find("x-svc-request-id") == "R");
}

TEST_CASE("buckets: made, seen, found, emptied, removed") {
  ServiceRig rig;
  Answer answer = rig.put("/photos");
  CHECK(answer.status == 200);
  CHECK(answer.header("Location") == "/photos");
  CHECK(answer.header("x-amz-bucket-arn") == "arn:aws:s3:::photos");
  CHECK(answer.body.empty());
  CHECK(rig.put("/photos").status == 200);  // again, by its owner
  REQUIRE(rig.put("/albums").status == 200);

  answer = rig.get("/");
  CHECK(answer.status == 200);
  const XmlElement root = answer.xml();
  CHECK(root.name == "ListAllMyBucketsResult");
  REQUIRE(root.child("Buckets")->children.size() == 2);
  CHECK(root.child("Buckets")->children[0].text_of("Name") == "albums");
  CHECK(root.child("Buckets")->children[1].text_of("Name") == "photos");
  CHECK(root.child("Buckets")->children[1].text_of("CreationDate") == "2023-11-14T22:13:20.000Z");
  CHECK(root.child("Buckets")->children[1].text_of("BucketRegion") == "us-east-1");
  CHECK(answer.text("Owner/ID") == std::string(64, '1'));

  answer = rig.head("/photos");
  CHECK(answer.status == 200);
  CHECK(answer.complete);
  CHECK(answer.header("x-amz-bucket-region") == "us-east-1");
  answer = rig.get("/photos?location");
  CHECK(answer.xml().name == "LocationConstraint");
  CHECK(answer.xml().text.empty());

  REQUIRE(rig.put("/photos/k", "x").status == 200);
  answer = rig.remove("/photos");
  CHECK(answer.status == 409);
  CHECK(answer.code() == "BucketNotEmpty");
  REQUIRE(rig.remove("/photos/k").status == 204);
  CHECK(rig.remove("/photos").status == 204);
  CHECK(rig.head("/photos").status == 404);
  CHECK(rig.head("/photos").body.empty());
  answer = rig.get("/photos");
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchBucket");
  CHECK(answer.text("BucketName") == "photos");
  CHECK(rig.remove("/photos").code() == "NoSuchBucket");
}

TEST_CASE("buckets: names and locations are checked") {
  ServiceRig rig;
  for (const char* bad : {"/Photos", "/ab", "/a..b", "/192.168.1.1", "/.cairn-auth", "/a%20b"}) {
    CAPTURE(bad);
    const Answer answer = rig.put(bad);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidBucketName");
  }
  const auto create = [&](const char* target, std::string constraint) {
    return rig.put(target,
                   "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/"
                   "2006-03-01/\"><LocationConstraint>" +
                       constraint + "</LocationConstraint></CreateBucketConfiguration>");
  };
  CHECK(create("/photos-eu", "EU").status == 200);
  CHECK(rig.get("/photos-eu?location").xml().text == "EU");
  CHECK(rig.head("/photos-eu").header("x-amz-bucket-region") == "eu-west-1");
  CHECK(create("/photos-us", "us-west-2").status == 200);
  CHECK(rig.get("/photos-us?location").xml().text == "us-west-2");
  for (const char* bad : {"us-east-1", "bar"}) {
    const Answer answer = create("/other", bad);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidLocationConstraint");
    CHECK(answer.text("LocationConstraint") == bad);
  }
  CHECK(rig.put("/other", "<CreateBucketConfiguration>").code() == "MalformedXML");
  CHECK(rig.put("/other", "<Bucket/>").code() == "MalformedXML");
  CHECK(rig.put("/other", "", {{"x-amz-acl", "public-read"}}).code() ==
        "InvalidBucketAclWithObjectOwnership");
  CHECK(rig.put("/other", "", {{"x-amz-object-ownership", "Nobody"}}).code() == "InvalidArgument");
  CHECK(rig.head("/other").status == 404);

  ServiceRig regional(Options{.region = "eu-west-1"});
  Answer answer = regional.put("/photos");
  CHECK(answer.code() == "IllegalLocationConstraintException");
  CHECK(answer.text("Message").starts_with("The unspecified location constraint"));
}

TEST_CASE("buckets: pages of the list, by prefix and region") {
  ServiceRig rig;
  for (const char* name : {"/aaa", "/bbb", "/bbc", "/ccc"}) REQUIRE(rig.put(name).status == 200);
  const auto names = [](const Answer& answer) {
    std::string all;
    const XmlElement root = answer.xml();
    for (const XmlElement& bucket : root.child("Buckets")->children)
      all += std::string(bucket.text_of("Name")) + " ";
    return all;
  };
  CHECK(names(rig.get("/?prefix=bb")) == "bbb bbc ");
  CHECK(names(rig.get("/?bucket-region=eu-west-1")).empty());
  Answer page = rig.get("/?max-buckets=3");
  CHECK(names(page) == "aaa bbb bbc ");
  page = rig.get("/?max-buckets=3&continuation-token=" + page.text("ContinuationToken"));
  CHECK(names(page) == "ccc ");
  CHECK(page.text("ContinuationToken") == "(none)");
  CHECK(rig.get("/?max-buckets=0").code() == "InvalidArgument");
  CHECK(rig.get("/?max-buckets=10001").code() == "InvalidArgument");
  CHECK(rig.get("/?continuation-token=xyz").code() == "InvalidArgument");
}

TEST_CASE("buckets: of another account are neither seen nor touched") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  REQUIRE(rig.put("/photos/k", "x").status == 200);
  const auto ask = [&](const char* method, const char* target,
                       std::vector<std::pair<std::string, std::string>> headers = {}) {
    return rig.ask({.method = method,
                    .target = target,
                    .headers = std::move(headers),
                    .credentials = rig.theirs});
  };
  CHECK(ask("GET", "/").xml().child("Buckets")->children.empty());
  CHECK(ask("PUT", "/photos").code() == "BucketAlreadyExists");
  for (const char* target : {"/photos", "/photos/k", "/photos?location"})
    CHECK(ask("GET", target).code() == "AccessDenied");
  CHECK(ask("HEAD", "/photos").status == 403);
  CHECK(ask("DELETE", "/photos").code() == "AccessDenied");
  CHECK(ask("DELETE", "/photos/k").code() == "AccessDenied");
  CHECK(ask("PUT", "/photos/k").code() == "AccessDenied");
  REQUIRE(ask("PUT", "/albums").status == 200);
  CHECK(ask("PUT", "/albums/copy", {{"x-amz-copy-source", "/photos/k"}}).code() == "AccessDenied");

  const std::string owner(12, '1'), other(12, '2');
  CHECK(rig.get("/photos/k", {{"x-amz-expected-bucket-owner", owner}}).status == 200);
  CHECK(rig.get("/photos/k", {{"x-amz-expected-bucket-owner", other}}).code() == "AccessDenied");
  CHECK(rig.get("/photos/k", {{"x-amz-expected-bucket-owner", "me"}}).code() ==
        "InvalidBucketOwnerAWSAccountID");
}

TEST_CASE("buckets: Cairn's own are not there") {
  ServiceRig rig;
  for (const char* target : {"/.cairn-auth", "/.cairn-index", "/.cairn-auth/api-key/x"}) {
    CHECK(rig.get(target).code() == "NoSuchBucket");
    CHECK(rig.remove(target).code() == "NoSuchBucket");
    CHECK(rig.head(target).status == 404);
  }
  CHECK(rig.put("/.cairn-auth/x", "y").code() == "NoSuchBucket");
  REQUIRE(rig.put("/photos").status == 200);
  CHECK(rig.put("/photos/k", "", {{"x-amz-copy-source", "/.cairn-auth/x"}}).code() ==
        "NoSuchBucket");
}

TEST_CASE("service: virtual hosts name the bucket") {
  ServiceRig rig(Options{.domains = {"objects.example.com"}});
  REQUIRE(rig.put("/photos").status == 200);
  CHECK(
      rig.ask(
             {.method = "PUT", .target = "/a/b", .body = "x", .host = "photos.objects.example.com"})
          .status == 200);
  CHECK(rig.get("/photos/a/b").body == "x");
  CHECK(rig.ask({.target = "/", .host = "photos.objects.example.com"}).xml().name ==
        "ListBucketResult");
}

}  // namespace
}  // namespace cairn::s3api::service_test
