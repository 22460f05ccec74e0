// SPDX-License-Identifier: Apache-2.0
// Directory buckets, row by row: names, the two endpoints, what they refuse, listings, deletes.
#include "s3api/directory/directory.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "format/time.h"
#include "s3/operations/values.h"
#include "s3api/access/directory_rows.h"
#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::directory_test {
namespace {

using namespace directory_rig;

TEST_CASE("directory buckets: a name says its zone") {
  const struct {
    const char* bucket;
    const char* zone;
    bool good;
  } rows[] = {{"photos--use1-az1--x-s3", "use1-az1", true},
              {"a--z--x-s3", "z", true},
              {"a--b--use1-az1--x-s3", "use1-az1", true},
              {"photos--x-s3", "", false},
              {"--use1-az1--x-s3", "", false},
              {"Photos--use1-az1--x-s3", "use1-az1", false},
              {"pho.tos--use1-az1--x-s3", "use1-az1", false},
              {"photos", "", false}};
  for (const auto& row : rows) {
    CAPTURE(row.bucket);
    CHECK(s3::zone_id_of_bucket_name(row.bucket) == row.zone);
    CHECK(s3::is_directory_bucket_name(row.bucket) == row.good);
    CHECK_FALSE((row.good && s3::is_bucket_name(row.bucket)));
  }
  CHECK_FALSE(s3::is_directory_bucket_name(std::string(60, 'a') + "--z--x-s3"));
}

TEST_CASE("directory buckets: creation, each parameter") {
  const struct {
    const char* what;
    std::string bucket;
    std::string body;
    Fields headers;
    int status;
    const char* code;
  } rows[] = {
      {"an Availability Zone", name, available, {}, 200, ""},
      {"a Local Zone", local, localized, {}, 200, ""},
      {"with tags", name,
       configuration("AvailabilityZone", "use1-az1", "SingleAvailabilityZone",
                     "<Tags><Tag><Key>team</Key><Value>maps</Value></Tag></Tags>"),
       {}, 200, ""},
      {"no body", name, "", {}, 400, "InvalidRequest"},
      {"another type", name, configuration("LocalZone", "use1-az1", "SingleAvailabilityZone"), {},
       400, "InvalidRequest"},
      {"another zone", name,
       configuration("AvailabilityZone", "use1-az2", "SingleAvailabilityZone"), {}, 400,
       "InvalidRequest"},
      {"another redundancy", name,
       configuration("AvailabilityZone", "use1-az1", "SingleLocalZone"), {}, 400,
       "InvalidRequest"},
      {"a zone that is not there", "photos--use1-az9--x-s3",
       configuration("AvailabilityZone", "use1-az9", "SingleAvailabilityZone"), {}, 400,
       "InvalidBucketName"},
      {"a location constraint", name,
       configuration("AvailabilityZone", "use1-az1", "SingleAvailabilityZone",
                     "<LocationConstraint>eu-west-1</LocationConstraint>"),
       {}, 400, "InvalidRequest"},
      {"acl", name, available, {{"x-amz-acl", "private"}}, 501, "NotImplemented"},
      {"a grant", name, available, {{"x-amz-grant-read", "id=\"x\""}}, 501, "NotImplemented"},
      {"ownership", name, available, {{"x-amz-object-ownership", "BucketOwnerEnforced"}}, 501,
       "NotImplemented"},
      {"object lock", name, available, {{"x-amz-bucket-object-lock-enabled", "true"}}, 501,
       "NotImplemented"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    Rig rig;
    const Answer answer = rig.control("PUT", "/" + row.bucket, row.body, row.headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (*row.code != '\0') CHECK(answer.code() == row.code);
    if (row.status == 200) {
      CHECK(answer.header("Location") == "/" + row.bucket);
      CHECK(answer.header("x-amz-bucket-arn") ==
            "arn:aws:s3express:us-east-1:111111111111:bucket/" + row.bucket);
    }
    CHECK(rig.service.engine->bucket(row.bucket).ok() == (row.status == 200));
  }
}

TEST_CASE("directory buckets: a name is unique in the zone, across accounts") {
  Rig rig;
  rig.make();
  const Answer again = rig.control("PUT", "/" + name, available);
  CHECK(again.status == 409);
  CHECK(again.code() == "BucketAlreadyOwnedByYou");
  const Answer other = rig.control("PUT", "/" + name, available, {}, rig.service.theirs);
  CHECK(other.status == 409);
  CHECK(other.code() == "BucketAlreadyExists");
}

TEST_CASE("directory buckets: they outlive a restart as what they are") {
  Rig rig;
  rig.make(local);
  rig.service.restart(two_zones());
  const auto bucket = rig.service.engine->bucket(local);
  REQUIRE(bucket.ok());
  CHECK((*bucket)->bucket.zone ==
        s3::Zone{.id = "use1-bos1-az1", .type = s3::ZoneType::local_zone});
}

TEST_CASE("directory buckets: each kind of listing has its own buckets") {
  Rig rig;
  rig.make();
  rig.make(local);
  REQUIRE(rig.service.put("/general").status == 200);
  const Answer directory = rig.control("GET", "/");
  REQUIRE(directory.status == 200);
  const XmlElement root = directory.xml();
  CHECK(root.name == "ListAllMyDirectoryBucketsResult");
  CHECK(root.child("Buckets")->children.size() == 2);
  CHECK(directory.text("Buckets/Bucket/Name") == local);
  CHECK(directory.text("Buckets/Bucket/BucketRegion") == "us-east-1");
  const Answer general = rig.service.get("/");
  CHECK(general.xml().child("Buckets")->children.size() == 1);
  CHECK(general.text("Buckets/Bucket/Name") == "general");
  // Page by page.
  const Answer first = rig.control("GET", "/?max-directory-buckets=1");
  CHECK(first.text("Buckets/Bucket/Name") == local);
  const Answer second = rig.control(
      "GET", "/?continuation-token=" + percent_encode(first.text("ContinuationToken")) +
                 "&max-directory-buckets=1");
  CHECK(second.text("Buckets/Bucket/Name") == name);
  CHECK(second.text("ContinuationToken") == "(none)");
  CHECK(rig.control("GET", "/?max-directory-buckets=1001").code() == "InvalidArgument");
}

TEST_CASE("directory buckets: each operation has one endpoint") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/key", "bytes").status == 200);
  const struct {
    const char* what;
    Answer answer;
    int status;
    const char* code;
  } rows[] = {
      {"bytes by path", rig.control("GET", "/" + name + "/key"), 400, "InvalidRequest"},
      {"a session by path", rig.control("GET", "/" + name + "?session"), 400, "InvalidRequest"},
      {"a policy by host", rig.zonal("GET", "/?policy"), 404, "NoSuchBucketPolicy"},
      {"deletion by host", rig.zonal("DELETE", "/"), 409, "BucketNotEmpty"},
      {"a policy in a session", rig.zonal("GET", "/?policy", {}, {}, rig.session()), 403,
       "AccessDenied"},
      {"a signature for s3", rig.service.ask({.target = "/key", .host = name + "." + domain}), 400,
       "AuthorizationHeaderMalformed"},
      {"the bucket alone before the domain",
       rig.service.ask(
           {.target = "/key", .service = "s3express", .host = name + "." + domain}),
       200, ""},
      {"zone and region before the domain",
       rig.service.ask({.target = "/key",
                        .service = "s3express",
                        .host = name + ".use1-az1.us-east-1." + domain}),
       200, ""},
      {"another zone before the domain",
       rig.service.ask({.target = "/key",
                        .service = "s3express",
                        .host = name + ".use1-az2.us-east-1." + domain}),
       400, "AuthorizationHeaderMalformed"},
      {"the control endpoint by name",
       rig.service.ask({.target = "/" + name + "?policy",
                        .service = "s3express",
                        .host = "s3express-control.us-east-1." + domain}),
       404, "NoSuchBucketPolicy"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK_MESSAGE(row.answer.status == row.status, row.answer.body);
    if (*row.code != '\0') CHECK(row.answer.code() == row.code);
  }
  CHECK(rig.service.ask({.target = "/", .service = "sts"}).code() ==
        "AuthorizationHeaderMalformed");
}

TEST_CASE("directory buckets: what they are without is refused by name") {
  Rig rig;
  rig.make();
  const std::string key(32, 'k');
  const struct {
    const char* method;
    std::string target;
    Fields headers;
    int status;
    const char* code;
  } rows[] = {
      {"GET", "/?versioning", {}, 501, "NotImplemented"},
      {"GET", "/?acl", {}, 501, "NotImplemented"},
      {"GET", "/?tagging", {}, 501, "NotImplemented"},
      {"GET", "/?cors", {}, 501, "NotImplemented"},
      {"GET", "/?versions", {}, 501, "NotImplemented"},
      {"GET", "/?publicAccessBlock", {}, 501, "NotImplemented"},
      {"GET", "/?ownershipControls", {}, 501, "NotImplemented"},
      {"GET", "/?object-lock", {}, 501, "NotImplemented"},
      {"GET", "/?requestPayment", {}, 501, "NotImplemented"},
      {"GET", "/", {}, 501, "NotImplemented"},  // the first version of the listing
      {"GET", "/k?acl", {}, 501, "NotImplemented"},
      {"GET", "/k?tagging", {}, 501, "NotImplemented"},
      {"GET", "/k?retention", {}, 501, "NotImplemented"},
      {"GET", "/k?versionId=3", {}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-acl", "private"}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-grant-read", "id=\"x\""}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-request-payer", "requester"}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-tagging", "a=b"}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-tagging", ""}}, 200, ""},
      {"PUT", "/k", {{"x-amz-website-redirect-location", "/x"}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-object-lock-legal-hold", "ON"}}, 501, "NotImplemented"},
      {"PUT", "/k", {{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}, 501,
       "NotImplemented"},
      {"PUT", "/k", {{"Content-Encoding", "gzip"}}, 400, "InvalidArgument"},
      {"POST", "/k?uploads", {{"Content-Encoding", "gzip"}}, 400, "InvalidArgument"},
      {"PUT", "/k", {{"x-amz-storage-class", "EXPRESS_ONEZONE"}}, 200, ""},
      {"PUT", "/k", {{"x-amz-storage-class", "STANDARD"}}, 400, "InvalidStorageClass"},
      {"PUT", "/k", {{"x-amz-storage-class", "ONEZONE_IA"}}, 400, "InvalidStorageClass"},
      {"PUT", "/k", {{"x-amz-server-side-encryption", "AES256"}}, 200, ""},
      {"PUT", "/k", {{"x-amz-server-side-encryption", "aws:kms:dsse"}}, 400,
       "InvalidEncryptionAlgorithmError"},
      {"PUT", "/k", {{"x-amz-server-side-encryption", "aws:kms"}}, 400, "InvalidRequest"},
      {"DELETE", "/k", {{"x-amz-mfa", "1 2"}}, 501, "NotImplemented"},
      {"GET", "/?list-type=2&delimiter=-", {}, 400, "InvalidArgument"},
      {"GET", "/?list-type=2&prefix=a", {}, 400, "InvalidArgument"},
      {"GET", "/?list-type=2&start-after=a", {}, 501, "NotImplemented"},
      {"GET", "/?list-type=2&prefix=a/&delimiter=/", {}, 200, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.target);
    if (!row.headers.empty()) CAPTURE(row.headers.front().first);
    const bool absent = rig.zonal("HEAD", "/k").status == 404;
    const Answer answer = rig.zonal(row.method, row.target, {}, row.headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (*row.code != '\0') CHECK(answer.code() == row.code);
    if (std::string_view(row.method) == "PUT" && row.status != 200)  // nothing was written
      CHECK((rig.zonal("HEAD", "/k").status == 404) == absent);
    rig.zonal("DELETE", "/k");
  }
}

TEST_CASE("directory buckets: the storage class is the zone's") {
  Rig rig;
  rig.make();
  rig.make(local);
  REQUIRE(rig.zonal("PUT", "/k", "x").status == 200);
  REQUIRE(rig.zonal("PUT", "/k", "x", {}, {}, local).status == 200);
  CHECK(rig.zonal("HEAD", "/k").header("x-amz-storage-class") == "EXPRESS_ONEZONE");
  CHECK(rig.zonal("HEAD", "/k", {}, {}, {}, local).header("x-amz-storage-class") == "ONEZONE_IA");
  const Answer head = rig.zonal("HEAD", "/", {}, {}, {}, local);
  CHECK(head.status == 200);
  CHECK(head.header("x-amz-bucket-location-type") == "LocalZone");
  CHECK(head.header("x-amz-bucket-location-name") == "use1-bos1-az1");
  CHECK(head.header("x-amz-bucket-region") == "us-east-1");
}

TEST_CASE("directory buckets: default encryption, each algorithm") {
  Rig rig;
  rig.make();
  const struct {
    const char* what;
    const char* inside;
    int status;
    const char* code;
  } rows[] = {
      {"AES256", "<SSEAlgorithm>AES256</SSEAlgorithm>", 200, ""},
      {"a KMS key", "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>one</KMSMasterKeyID>", 200,
       ""},
      {"KMS without a key", "<SSEAlgorithm>aws:kms</SSEAlgorithm>", 400, "InvalidRequest"},
      {"two layers", "<SSEAlgorithm>aws:kms:dsse</SSEAlgorithm><KMSMasterKeyID>one</KMSMasterKeyID>",
       400, "InvalidRequest"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rig.control(
        "PUT", "/" + name + "?encryption",
        "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>" +
            std::string(row.inside) +
            "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>");
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (*row.code != '\0') CHECK(answer.code() == row.code);
  }
}

TEST_CASE("directory buckets: SSE-KMS with the bucket's own key alone") {
  Rig rig;
  rig.make();
  const std::string rule =
      "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
      "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>one</KMSMasterKeyID>"
      "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";
  REQUIRE(rig.control("PUT", "/" + name + "?encryption", rule).status == 200);
  const std::string arn = "arn:aws:kms:us-east-1:111111111111:key/one";
  const std::string bucket_arn = "arn:aws:s3express:us-east-1:111111111111:bucket/" + name;
  const struct {
    const char* what;
    std::string key;
    std::string context;
    int status;
  } rows[] = {{"no key", "", "", 200},
              {"its id", "one", "", 200},
              {"its ARN", arn, "", 200},
              {"its alias", "alias/first", "", 400},
              {"another", "two", "", 400},
              {"the bucket as context", "one", to_base64(bucket_arn), 200},
              {"the bucket in an object", "one",
               to_base64("{\"aws:s3express:arn\":\"" + bucket_arn + "\"}"), 200},
              {"another context", "one", to_base64("{\"a\":\"b\"}"), 400}};
  for (const auto& row : rows) {
    CAPTURE(row.what);
    Fields headers = {{"x-amz-server-side-encryption", "aws:kms"}};
    if (!row.key.empty())
      headers.emplace_back("x-amz-server-side-encryption-aws-kms-key-id", row.key);
    if (!row.context.empty())
      headers.emplace_back("x-amz-server-side-encryption-context", row.context);
    const Answer answer = rig.zonal("PUT", "/k", "x", headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    if (row.status == 200)
      CHECK(answer.header("x-amz-server-side-encryption-aws-kms-key-id") == arn);
  }
}

TEST_CASE("directory buckets: a bucket with uploads in progress stays") {
  Rig rig;
  rig.make();
  const Answer upload = rig.zonal("POST", "/big?uploads");
  REQUIRE(upload.status == 200);
  const std::string id = upload.text("UploadId");
  const Answer refused = rig.control("DELETE", "/" + name);
  CHECK(refused.status == 409);
  CHECK(refused.code() == "BucketNotEmpty");
  REQUIRE(rig.zonal("DELETE", "/big?uploadId=" + id).status == 204);
  CHECK(rig.control("DELETE", "/" + name).status == 204);
  CHECK(rig.control("GET", "/" + name + "?policy").code() == "NoSuchBucket");
}

TEST_CASE("directory buckets: an upload is aborted by the moment of its beginning") {
  Rig rig;
  rig.make();
  const std::string id = rig.zonal("POST", "/big?uploads").text("UploadId");
  const auto at = [&](std::int64_t off_ms) {
    return Fields{{"x-amz-if-match-initiated-time",
                   format_http_date(rig.service.clock.unix_ms() + off_ms)}};
  };
  const std::string target = "/big?uploadId=" + id;
  const Answer other = rig.zonal("DELETE", target, {}, at(5'000));
  CHECK(other.status == 412);
  CHECK(other.code() == "PreconditionFailed");
  CHECK(rig.zonal("GET", target).status == 200);
  CHECK(rig.zonal("DELETE", target, {}, at(0)).status == 204);
  CHECK(rig.zonal("DELETE", target, {}, at(0)).status == 204);  // nothing is left to abort
  CHECK(rig.zonal("DELETE", target).code() == "NoSuchUpload");
  // General purpose buckets do not have it.
  REQUIRE(rig.service.put("/general").status == 200);
  CHECK(rig.service
            .ask({.method = "DELETE", .target = "/general/k?uploadId=x", .headers = at(0)})
            .code() == "NotImplemented");
}

TEST_CASE("directory buckets: deletes by etag, size and time") {
  Rig rig;
  rig.make();
  const auto remove = [&](Fields headers) {
    return rig.zonal("DELETE", "/k", {}, std::move(headers)).status;
  };
  REQUIRE(rig.zonal("PUT", "/k", "bytes").status == 200);
  const std::string when = format_http_date(rig.service.clock.unix_ms());
  const std::string later = format_http_date(rig.service.clock.unix_ms() + 5'000);
  CHECK(remove({{"x-amz-if-match-size", "4"}}) == 412);
  CHECK(remove({{"x-amz-if-match-last-modified-time", later}}) == 412);
  CHECK(remove({{"If-Match", "\"other\""}}) == 412);
  CHECK(remove({{"x-amz-if-match-size", "5"}, {"x-amz-if-match-last-modified-time", when}}) == 204);
  CHECK(remove({{"x-amz-if-match-size", "5"}}) == 412);  // nothing is there
  CHECK(remove({}) == 204);
}

TEST_CASE("directory buckets: folders of unfinished uploads are listed, page by page") {
  Rig rig;
  rig.make();
  for (const char* key : {"a/1", "c/1", "e"}) REQUIRE(rig.zonal("PUT", "/" + std::string(key), "x").status == 200);
  for (const char* key : {"b/1", "b/2", "c/2", "d", "f/1"})
    REQUIRE(rig.zonal("POST", "/" + std::string(key) + "?uploads").status == 200);
  for (const std::size_t limit : {1u, 2u, 3u, 5u, 1000u}) {
    CAPTURE(limit);
    std::vector<std::string> shown;
    std::string token;
    do {
      const Answer page = rig.zonal(
          "GET", "/?list-type=2&delimiter=/&max-keys=" + std::to_string(limit) +
                     (token.empty() ? "" : "&continuation-token=" + percent_encode(token)));
      REQUIRE(page.status == 200);
      const XmlElement root = page.xml();
      std::size_t count = 0;
      for (const XmlElement& element : root.children) {
        if (element.name != "Contents" && element.name != "CommonPrefixes") continue;
        shown.emplace_back(element.text_of(element.name == "Contents" ? "Key" : "Prefix"));
        ++count;
      }
      CHECK(count <= limit);
      CHECK(page.text("KeyCount") == std::to_string(count));
      CHECK((page.text("IsTruncated") == "true") == (page.text("NextContinuationToken") != "(none)"));
      token = page.text("IsTruncated") == "true" ? page.text("NextContinuationToken") : "";
    } while (!token.empty() && shown.size() < 20);
    std::sort(shown.begin(), shown.end());
    CHECK(shown == std::vector<std::string>{"a/", "b/", "c/", "e", "f/"});
  }
  // Inside a folder; and not without a delimiter.
  CHECK(rig.zonal("GET", "/?list-type=2&delimiter=/&prefix=b/").text("KeyCount") == "0");
  CHECK(rig.zonal("GET", "/?list-type=2").text("KeyCount") == "3");
}

TEST_CASE("directory buckets: every operation of their table is one of the service's") {
  for (const DirectoryRow& row : directory_rows()) {
    CAPTURE(row.operation);
    CHECK(s3::find_operation(row.operation) != nullptr);
  }
}

}  // namespace
}  // namespace cairn::s3api::directory_test
