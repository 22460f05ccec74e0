// SPDX-License-Identifier: Apache-2.0
// copy_object, row by row: parameters, response, rules, errors. Its encryption stands in
// copy_encryption_rows_test.cc, its conditions on the source in boundaries_test.cc.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/objects/copy_test_rig.h"

namespace cairn::s3api::copy_rows_test {
namespace {

using Fields = CopyRig::Fields;
using enum s3::ChecksumAlgorithm;

std::string sum(s3::ChecksumAlgorithm algorithm, std::string_view text) {
  return to_base64(s3::checksum(algorithm, text));
}
std::string etag_of(std::string_view text) { return "\"" + to_hex(md5(text)) + "\""; }
std::string usual_message(std::string_view code) {
  return std::string(s3::find_error(code)->message);
}
const std::string my_id(64, '1'), their_id(64, '2');
const std::string object_writer =
    "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule>"
    "</OwnershipControls>";

TEST_CASE("copy rows: bucket and key are where the copy goes") {
  CopyRig rig;
  Answer answer = rig.copy({}, "/photos/k", "/none/c");
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchBucket");
  CHECK(answer.text("BucketName") == "none");
  answer = rig.copy({}, "/photos/k", "/albums/" + std::string(1025, 'x'));
  CHECK(answer.status == 400);
  CHECK(answer.code() == "KeyTooLongError");
  CHECK(rig.copy({}, "/photos/k", "/albums/" + std::string(1024, 'x')).status == 200);
  CHECK(rig.copy({}, "/photos/k", "/albums/a%20b//c").status == 200);
  CHECK(rig.get("/albums/a%20b//c").body == "abc");
}

TEST_CASE("copy rows: copy_source is a bucket and a key, encoded, and may name a version") {
  CopyRig rig;
  REQUIRE(rig.put("/photos/a%20%2Bb/%C3%BC", "odd").status == 200);
  for (const char* source :
       {"photos/a%20%2Bb/%C3%BC", "/photos/a%20%2Bb/%C3%BC", "photos/a%20%2Bb%2F%C3%BC",
        "photos/a+%2Bb/\xC3\xBC", "photos/a%20%2Bb/%C3%BC?versionId=null"}) {
    CAPTURE(source);
    CHECK(rig.copy({}, source).status == 200);
    CHECK(rig.get("/albums/c").body == "odd");
  }
  const struct {
    const char* source;
    int status;
    const char* code;
  } rows[] = {{"", 400, "InvalidArgument"},
              {"/", 400, "InvalidArgument"},
              {"photos", 400, "InvalidArgument"},
              {"photos/", 400, "InvalidArgument"},
              {"/photos/", 400, "InvalidArgument"},
              {"%zz/k", 400, "InvalidArgument"},
              {"photos/k?versionId=", 400, "InvalidArgument"},
              {"none/k", 404, "NoSuchBucket"},
              {"photos/none", 404, "NoSuchKey"},
              {"photos/k?versionId=nonsense", 400, "InvalidArgument"},
              {".cairn-auth/k", 404, "NoSuchBucket"}};
  for (const auto& row : rows) {
    CAPTURE(row.source);
    const Answer answer = rig.copy({}, row.source, "/albums/none");
    CHECK(answer.status == row.status);
    CHECK(answer.code() == row.code);
    CHECK(rig.head("/albums/none").status == 404);
  }
  CHECK(rig.copy({}, "photos/none").text("Key") == "none");
  CHECK(rig.copy({}, "photos").text("Message") == "Invalid copy source object key");
  CHECK(rig.copy({}, "photos").text("ArgumentName") == "x-amz-copy-source");
}

TEST_CASE("copy rows: a delete marker is no source") {
  CopyRig rig;
  REQUIRE(rig.put("/photos?versioning",
                  "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>")
              .status == 200);
  const std::string marker = rig.remove("/photos/k").header("x-amz-version-id");
  Answer answer = rig.copy();
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchKey");
  CHECK(answer.text("Key") == "k");
  CHECK(answer.header("x-amz-delete-marker") == "true");
  CHECK(answer.header("x-amz-version-id") == marker);
  const std::string id = rig.post("/albums/c?uploads", "").text("UploadId");
  answer = rig.copy({}, "/photos/k", "/albums/c?partNumber=1&uploadId=" + id);
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchKey");
  CHECK(answer.header("x-amz-delete-marker") == "true");
  CHECK(answer.header("x-amz-version-id") == marker);
  CHECK_FALSE(rig.copy({}, "/photos/none").headers.has("x-amz-delete-marker"));
  answer = rig.copy({}, "/photos/k?versionId=" + marker);
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message") ==
        "The source of a copy request may not specifically refer to a delete marker by version "
        "id.");
  answer = rig.copy({}, "/photos/k?versionId=null");
  CHECK(answer.status == 200);
  CHECK(answer.header("x-amz-copy-source-version-id") == "null");
}

TEST_CASE("copy rows: the version id is another one, or the word null") {
  const struct {
    const char *source, *target;
  } rows[] = {{"", ""},
              {"", "Enabled"},
              {"Enabled", ""},
              {"Enabled", "Enabled"},
              {"Enabled", "Suspended"},
              {"Suspended", "Enabled"},
              {"Suspended", "Suspended"}};
  for (const auto& row : rows) {
    CAPTURE(row.source);
    CAPTURE(row.target);
    CopyRig rig;
    const auto set = [&](const std::string& bucket, const std::string& status) {
      if (status.empty()) return;
      REQUIRE(rig.put("/" + bucket + "?versioning", "<VersioningConfiguration><Status>" + status +
                                                        "</Status></VersioningConfiguration>")
                  .status == 200);
    };
    set("photos", row.source);
    set("albums", row.target);
    const std::string of_source = rig.put("/photos/k", "new").header("x-amz-version-id");
    const Answer answer = rig.copy();
    CHECK(answer.status == 200);
    CHECK(answer.header("x-amz-copy-source-version-id") == of_source);
    CHECK(answer.headers.has("x-amz-copy-source-version-id") == (*row.source != '\0'));
    const std::string own = answer.header("x-amz-version-id");
    if (std::string_view(row.target) == "Enabled") {
      CHECK(own.size() > 4);
      CHECK(own != of_source);
      CHECK(rig.get("/albums/c?versionId=" + own).body == "new");
    } else {
      CHECK(own == "null");
    }
  }
}

struct HeaderRow {
  const char *name, *of_source, *given;
};
const HeaderRow header_rows[] = {
    {"Cache-Control", "no-cache", "max-age=5"},
    {"Content-Disposition", "attachment", "inline"},
    {"Content-Encoding", "gzip", "br"},
    {"Content-Language", "de", "fr"},
    {"Content-Type", "text/plain", "text/html"},
    {"Expires", "Thu, 01 Dec 2033 16:00:00 GMT", "Fri, 02 Dec 2033 16:00:00 GMT"},
    {"x-amz-meta-color", "red", "blue"}};

TEST_CASE("copy rows: metadata_directive COPY keeps the source's fields") {
  for (const Fields& directive : {Fields{}, Fields{{"x-amz-metadata-directive", "COPY"}}}) {
    CopyRig rig;
    Fields fields = directive;
    for (const HeaderRow& row : header_rows) fields.emplace_back(row.name, row.given);
    REQUIRE(rig.copy(fields).status == 200);
    const Answer got = rig.head("/albums/c");
    for (const HeaderRow& row : header_rows) CHECK(got.header(row.name) == row.of_source);
  }
}

TEST_CASE("copy rows: metadata_directive REPLACE takes each field from the request") {
  for (const HeaderRow& given : header_rows) {
    CAPTURE(given.name);
    CopyRig rig;
    REQUIRE(rig.copy({{"x-amz-metadata-directive", "REPLACE"}, {given.name, given.given}}).status ==
            200);
    const Answer got = rig.head("/albums/c");
    for (const HeaderRow& row : header_rows) {
      CAPTURE(row.name);
      const std::string_view otherwise =
          std::string_view(row.name) == "Content-Type" ? "binary/octet-stream" : "";
      CHECK(got.header(row.name) == (&row == &given ? row.given : otherwise));
    }
  }
  CopyRig rig;
  CHECK(rig.copy({{"x-amz-metadata-directive", "SOME"}}).code() == "InvalidArgument");
  CHECK(rig.copy({{"x-amz-metadata-directive", "REPLACE"},
                  {"x-amz-meta-large", std::string(2045, 'x')}})
            .code() == "MetadataTooLarge");
  // The word for how the request travels is not kept.
  REQUIRE(rig.copy({{"x-amz-metadata-directive", "REPLACE"}, {"Content-Encoding", "aws-chunked"}})
              .status == 200);
  CHECK_FALSE(rig.head("/albums/c").headers.has("Content-Encoding"));
}

TEST_CASE("copy rows: the redirect, the class and the grants are never copied") {
  CopyRig rig;
  REQUIRE(rig.copy().status == 200);
  Answer got = rig.head("/albums/c");
  CHECK_FALSE(got.headers.has("x-amz-website-redirect-location"));
  CHECK_FALSE(got.headers.has("x-amz-storage-class"));
  REQUIRE(rig.copy({{"x-amz-website-redirect-location", "/here"},
                    {"x-amz-storage-class", "ONEZONE_IA"}})
              .status == 200);
  got = rig.head("/albums/c");
  CHECK(got.header("x-amz-website-redirect-location") == "/here");
  CHECK(got.header("x-amz-storage-class") == "ONEZONE_IA");
  CHECK(got.header("x-amz-meta-color") == "red");
}

TEST_CASE("copy rows: tagging_directive and tagging") {
  const struct {
    const char *directive, *tagging, *tags;
  } rows[] = {{"", "", "a=1"},
              {"COPY", "", "a=1"},
              {"COPY", "b=2", "a=1"},
              {"", "b=2", "a=1"},
              {"REPLACE", "", ""},
              {"REPLACE", "b=2", "b=2"},
              {"REPLACE", "b=2&c=", "b=2,c="}};
  for (const auto& row : rows) {
    CAPTURE(row.directive);
    CAPTURE(row.tagging);
    CopyRig rig;
    Fields fields;
    if (*row.directive != '\0') fields.emplace_back("x-amz-tagging-directive", row.directive);
    if (*row.tagging != '\0') fields.emplace_back("x-amz-tagging", row.tagging);
    REQUIRE(rig.copy(fields).status == 200);
    std::string tags;
    const XmlElement root = rig.get("/albums/c?tagging").xml();
    for (const XmlElement& tag : root.child("TagSet")->children)
      tags += (tags.empty() ? "" : ",") + std::string(tag.text_of("Key")) + "=" +
              std::string(tag.text_of("Value"));
    CHECK(tags == row.tags);
  }
  CopyRig rig;
  CHECK(rig.copy({{"x-amz-tagging-directive", "SOME"}}).code() == "InvalidArgument");
  CHECK(rig.copy({{"x-amz-tagging-directive", "REPLACE"}, {"x-amz-tagging", "a=1&a=2"}}).code() ==
        "InvalidArgument");
  CHECK(rig.copy({{"x-amz-tagging-directive", "REPLACE"}, {"x-amz-tagging", "aws:a=1"}}).code() ==
        "InvalidTag");
  CHECK(rig.copy({{"x-amz-tagging-directive", "REPLACE"},
                  {"x-amz-tagging", "1=&2=&3=&4=&5=&6=&7=&8=&9=&10=&11="}})
            .code() == "BadRequest");
}

TEST_CASE("copy rows: checksum_algorithm, or that of the source") {
  const struct {
    s3::ChecksumAlgorithm algorithm;
    const char* name;
  } rows[] = {{crc32, "CRC32"},
              {crc32c, "CRC32C"},
              {crc64nvme, "CRC64NVME"},
              {sha1, "SHA1"},
              {sha256, "SHA256"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CopyRig rig;
    const std::string element = "Checksum" + std::string(row.name);
    Answer answer = rig.copy({{"x-amz-checksum-algorithm", row.name}});
    CHECK(answer.status == 200);
    CHECK(answer.text(element) == sum(row.algorithm, "abc"));
    CHECK(answer.text("ChecksumType") == "FULL_OBJECT");
    // Without a word the source's algorithm and value go along.
    answer = rig.copy({}, "/albums/c", "/albums/again");
    CHECK(answer.text(element) == sum(row.algorithm, "abc"));
    CHECK(rig.head("/albums/again", {{"x-amz-checksum-mode", "ENABLED"}})
              .header(s3::header_of(row.algorithm)) == sum(row.algorithm, "abc"));
  }
  CopyRig rig;
  const Answer answer = rig.copy({{"x-amz-checksum-algorithm", "MD4"}});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidRequest");
  CHECK(rig.head("/albums/c").status == 404);
}

TEST_CASE("copy rows: a multipart source becomes one part with an MD5") {
  CopyRig rig;
  const std::string large(5'242'880, 'l');
  const std::string id =
      rig.post("/photos/m?uploads", "", {{"x-amz-checksum-algorithm", "SHA256"}}).text("UploadId");
  std::string list = "<CompleteMultipartUpload>";
  for (const int number : {1, 2}) {
    const std::string body = number == 1 ? large : "end";
    REQUIRE(rig.put("/photos/m?partNumber=" + std::to_string(number) + "&uploadId=" + id, body)
                .status == 200);
    list += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + etag_of(body) +
            "</ETag><ChecksumSHA256>" + sum(sha256, body) + "</ChecksumSHA256></Part>";
  }
  REQUIRE(rig.post("/photos/m?uploadId=" + id, list + "</CompleteMultipartUpload>").status == 200);
  CHECK(rig.head("/photos/m").header("ETag").ends_with("-2\""));
  const Answer answer = rig.copy({}, "/photos/m");
  CHECK(answer.status == 200);
  CHECK(answer.text("ETag") == etag_of(large + "end"));
  CHECK(answer.text("ChecksumSHA256") == sum(sha256, large + "end"));
  CHECK(answer.text("ChecksumType") == "FULL_OBJECT");
  CHECK_FALSE(rig.head("/albums/c?partNumber=1").headers.has("x-amz-mp-parts-count"));
  CHECK(rig.get("/albums/c?partNumber=2").code() == "InvalidPartNumber");
  CHECK((rig.get("/albums/c").body == large + "end"));
}

TEST_CASE("copy rows: each grant, and a canned name, where there are ACLs") {
  CopyRig rig;
  const Answer off = rig.copy({{"x-amz-grant-read", "id=" + their_id}});
  CHECK(off.status == 400);
  CHECK(off.code() == "AccessControlListNotSupported");
  REQUIRE(rig.put("/albums?ownershipControls", object_writer).status == 200);
  const struct {
    const char *field, *right;
  } rows[] = {{"x-amz-grant-full-control", "FULL_CONTROL"},
              {"x-amz-grant-read", "READ"},
              {"x-amz-grant-read-acp", "READ_ACP"},
              {"x-amz-grant-write-acp", "WRITE_ACP"}};
  for (const auto& row : rows) {
    CAPTURE(row.field);
    REQUIRE(rig.copy({{row.field, "id=" + their_id}}).status == 200);
    const Answer acl = rig.get("/albums/c?acl");
    CHECK(acl.text("AccessControlList/Grant/Grantee/ID") == their_id);
    CHECK(acl.text("AccessControlList/Grant/Permission") == row.right);
    CHECK(acl.text("AccessControlList/Grant/Grantee/DisplayName") == "(none)");
    CHECK(acl.text("Owner/ID") == my_id);
  }
  REQUIRE(rig.copy({{"x-amz-acl", "private"}}).status == 200);
  CHECK(rig.get("/albums/c?acl").text("AccessControlList/Grant/Grantee/ID") == my_id);
  CHECK(rig.copy({{"x-amz-acl", "everybody"}}).code() == "InvalidArgument");
  CHECK(rig.copy({{"x-amz-grant-read", "somebody"}}).code() == "InvalidArgument");
  const Answer nobody = rig.copy({{"x-amz-grant-read", "id=" + std::string(64, '3')}});
  CHECK(nobody.code() == "InvalidArgument");
  CHECK(nobody.text("Message") == "Invalid id");
  CHECK(rig.copy({{"x-amz-acl", "private"}, {"x-amz-grant-read", "id=" + their_id}}).code() ==
        "InvalidRequest");
}

TEST_CASE("copy rows: storage_class, and what may not be one") {
  CopyRig rig;
  for (const char* name : {"STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA",
                           "INTELLIGENT_TIERING", "GLACIER", "DEEP_ARCHIVE", "GLACIER_IR"}) {
    CAPTURE(name);
    REQUIRE(rig.copy({{"x-amz-storage-class", name}}).status == 200);
    const std::string shown = rig.head("/albums/c").header("x-amz-storage-class");
    CHECK(shown == (std::string_view(name) == "STANDARD" ? "" : name));
    CHECK(rig.get("/albums").text("Contents/StorageClass") == name);
  }
  REQUIRE(rig.remove("/albums/c").status == 204);
  for (const char* name : {"FAST", "OUTPOSTS", "EXPRESS_ONEZONE", "SNOW", "standard"}) {
    CAPTURE(name);
    const Answer answer = rig.copy({{"x-amz-storage-class", name}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidStorageClass");
    CHECK(answer.text("Message") == usual_message("InvalidStorageClass"));
    CHECK(rig.head("/albums/c").status == 404);
  }
}

TEST_CASE("copy rows: archived sources are refused, and write nothing") {
  const struct {
    const char *storage_class, *tier;
  } rows[] = {{"GLACIER", ""},
              {"DEEP_ARCHIVE", ""},
              {"INTELLIGENT_TIERING", "ARCHIVE_ACCESS"},
              {"INTELLIGENT_TIERING", "DEEP_ARCHIVE_ACCESS"}};
  for (const auto& row : rows) {
    CAPTURE(row.storage_class);
    CAPTURE(row.tier);
    CopyRig rig;
    REQUIRE(rig.put("/photos/cold", "abc", {{"x-amz-storage-class", row.storage_class}}).status ==
            200);
    if (*row.tier != '\0')
      REQUIRE(
          rig.engine
              ->change_object({"photos", "cold"}, {.archive_tier = row.tier}, os::Deadline::never())
              .ok());
    const Answer answer = rig.copy({}, "/photos/cold");
    CHECK(answer.status == 403);
    CHECK(answer.code() == "InvalidObjectState");
    CHECK(answer.text("Message") == usual_message("InvalidObjectState"));
    CHECK(answer.text("StorageClass") == row.storage_class);
    CHECK(rig.head("/albums/c").status == 404);
  }
}

TEST_CASE("copy rows: request_payer of the two buckets") {
  CopyRig rig;
  const auto open_to_them = [&](const std::string& bucket) {
    const std::string arn = "arn:aws:s3:::" + bucket;
    REQUIRE(rig.put("/" + bucket + "?policy",
                    R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":)"
                    R"("222222222222"},"Action":"s3:*","Resource":[")" +
                        arn + "\",\"" + arn + R"(/*"]}]})")
                .status == 204);
  };
  open_to_them("photos");
  open_to_them("albums");
  const auto copy = [&](Fields fields) {
    fields.emplace_back("x-amz-copy-source", "/photos/k");
    return rig.ask({.method = "PUT",
                    .target = "/albums/c",
                    .headers = std::move(fields),
                    .credentials = rig.theirs});
  };
  CHECK(copy({}).status == 200);
  CHECK_FALSE(copy({}).headers.has("x-amz-request-charged"));
  const std::string pays =
      "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>";
  const std::string owner_pays =
      "<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>";
  for (const std::string bucket : {"/photos", "/albums"}) {
    CAPTURE(bucket);
    REQUIRE(rig.put(bucket + "?requestPayment", pays).status == 200);
    CHECK(copy({}).code() == "AccessDenied");
    const Answer answer = copy({{"x-amz-request-payer", "requester"}});
    CHECK(answer.status == 200);
    CHECK(answer.header("x-amz-request-charged") == "requester");
    REQUIRE(rig.put(bucket + "?requestPayment", owner_pays).status == 200);
  }
  CHECK(copy({{"x-amz-request-payer", "owner"}}).code() == "InvalidArgument");
}

TEST_CASE("copy rows: the lock of the copy") {
  CopyRig rig;
  REQUIRE(rig.put("/vault", "", {{"x-amz-bucket-object-lock-enabled", "true"}}).status == 200);
  const std::string until = format_iso8601(rig.clock.unix_ms() + 86'400'000);
  const std::string lock = "x-amz-object-lock-";
  const auto to = [&](const std::string& bucket, const Fields& fields) {
    return rig.copy(fields, "/photos/k", "/" + bucket + "/c");
  };
  for (const char* mode : {"GOVERNANCE", "COMPLIANCE"}) {
    const Answer answer = to(
        "vault",
        {{lock + "mode", mode}, {lock + "retain-until-date", until}, {lock + "legal-hold", "ON"}});
    CHECK(answer.status == 200);
    const Answer got = rig.head("/vault/c");
    CHECK(got.header(lock + "mode") == mode);
    CHECK(parse_iso8601(got.header(lock + "retain-until-date")) == parse_iso8601(until));
    CHECK(got.header(lock + "legal-hold") == "ON");
  }
  const struct {
    const char* bucket;
    Fields fields;
    const char* code;
  } bad[] = {
      {"albums", {{lock + "legal-hold", "ON"}}, "InvalidRequest"},
      {"vault", {{lock + "mode", "GOVERNANCE"}}, "InvalidArgument"},
      {"vault", {{lock + "retain-until-date", until}}, "InvalidArgument"},
      {"vault", {{lock + "mode", "SOFT"}, {lock + "retain-until-date", until}}, "InvalidArgument"},
      {"vault",
       {{lock + "mode", "GOVERNANCE"}, {lock + "retain-until-date", "2020-01-01T00:00:00Z"}},
       "InvalidArgument"},
      {"vault", {{lock + "legal-hold", "MAYBE"}}, "InvalidArgument"}};
  for (const auto& row : bad) CHECK(to(row.bucket, row.fields).code() == row.code);
  // The source's lock stays with the source.
  REQUIRE(rig.copy({}, "/vault/c").status == 200);
  CHECK_FALSE(rig.head("/albums/c").headers.has(lock + "mode"));
}

TEST_CASE("copy rows: expected owners of both buckets") {
  CopyRig rig;
  for (const char* name : {"x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"}) {
    CAPTURE(name);
    CHECK(rig.copy({{name, "111111111111"}}).status == 200);
    const Answer answer = rig.copy({{name, "222222222222"}});
    CHECK(answer.status == 403);
    CHECK(answer.code() == "AccessDenied");
    CHECK(rig.copy({{name, "somebody"}}).code() == "InvalidBucketOwnerAWSAccountID");
  }
}

TEST_CASE("copy rows: the source must be readable to the caller, the target writable") {
  CopyRig rig;
  REQUIRE(rig.ask({.method = "PUT", .target = "/theirs", .credentials = rig.theirs}).status == 200);
  CHECK(rig.copy({}, "/photos/k", "/theirs/c").code() == "AccessDenied");
  const Answer answer = rig.ask({.method = "PUT",
                                 .target = "/theirs/c",
                                 .headers = {{"x-amz-copy-source", "/photos/k"}},
                                 .credentials = rig.theirs});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "AccessDenied");
}

TEST_CASE("copy rows: conditions on the target") {
  CopyRig rig;
  CHECK(rig.copy({{"If-None-Match", "*"}}).status == 200);
  Answer answer = rig.copy({{"If-None-Match", "*"}});
  CHECK(answer.status == 412);
  CHECK(answer.code() == "PreconditionFailed");
  CHECK(answer.text("Condition") == "If-None-Match");
  CHECK(rig.copy({{"If-Match", etag_of("abc")}}).status == 200);
  answer = rig.copy({{"If-Match", etag_of("abd")}});
  CHECK(answer.status == 412);
  CHECK(answer.text("Condition") == "If-Match");
  CHECK(rig.copy({{"If-None-Match", etag_of("abc")}}).status == 501);
}

TEST_CASE("copy rows: onto itself only where something changes") {
  const auto itself = [](const Fields& fields) {
    CopyRig rig;
    return rig.copy(fields, "photos/k", "/photos/k");
  };
  for (const Fields& fields :
       {Fields{}, Fields{{"x-amz-metadata-directive", "COPY"}},
        Fields{{"x-amz-meta-color", "blue"}}}) {
    const Answer answer = itself(fields);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidRequest");
    CHECK(answer.text("Message").starts_with("This copy request is illegal because it is trying"));
  }
  for (const Fields& fields : {Fields{{"x-amz-metadata-directive", "REPLACE"}},
                               Fields{{"x-amz-storage-class", "STANDARD"}},
                               Fields{{"x-amz-storage-class", "STANDARD_IA"}},
                               Fields{{"x-amz-website-redirect-location", "/x"}},
                               Fields{{"x-amz-server-side-encryption", "AES256"}}})
    CHECK(itself(fields).status == 200);
}

TEST_CASE("copy rows: the result, and what a lifecycle will do to it") {
  CopyRig rig;
  const std::string lifecycle =
      "<LifecycleConfiguration><Rule><ID>soon</ID><Status>Enabled</Status><Filter/>"
      "<Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>";
  REQUIRE(rig.put("/albums?lifecycle", lifecycle, {{"Content-MD5", to_base64(md5(lifecycle))}})
              .status == 200);
  const Answer answer = rig.copy();
  CHECK(answer.status == 200);
  CHECK(answer.xml().name == "CopyObjectResult");
  CHECK(answer.text("LastModified") == "2023-11-14T22:13:20.000Z");
  CHECK(answer.text("ETag") == etag_of("abc"));
  CHECK(answer.text("ChecksumCRC64NVME") == sum(crc64nvme, "abc"));
  CHECK(answer.text("ChecksumType") == "FULL_OBJECT");
  CHECK(answer.header("x-amz-expiration").ends_with("rule-id=\"soon\""));
}

}  // namespace
}  // namespace cairn::s3api::copy_rows_test
