// SPDX-License-Identifier: Apache-2.0
// complete_multipart_upload, row by row: parameters, response, behaviour, errors.
#include <doctest/doctest.h>

#include "s3/checksum.h"
#include "s3/errors.h"
#include "s3api/upload_rig_test.h"

namespace cairn::s3api::complete_rows_test {
namespace {

using enum s3::ChecksumAlgorithm;

std::string sum(s3::ChecksumAlgorithm algorithm, std::string_view text) {
  return to_base64(s3::checksum(algorithm, text));
}

std::string usual_message(std::string_view code) {
  return std::string(s3::find_error(code)->message);
}

/// An upload of one part, "abc", and its completion.
struct OnePart : UploadRig {
  explicit OnePart(Fields at_begin = {}, Options options = {}) : UploadRig(std::move(options)) {
    id = begin(at_begin);
    REQUIRE(part(id, 1, "abc").status == 200);
  }
  Answer finish(Fields fields = {}, const std::string& more = {}) {
    return complete(id, entry(1, etag_of("abc"), more), std::move(fields));
  }
  std::string id;
};

TEST_CASE("complete rows: bucket, key and upload_id name the upload") {
  OnePart rig;
  const std::string body = "<CompleteMultipartUpload>" + UploadRig::entry(1, etag_of("abc")) +
                           "</CompleteMultipartUpload>";
  REQUIRE(rig.put("/albums").status == 200);
  const auto fault = [&](const std::string& target, int status, std::string_view code) {
    const Answer answer = rig.post(target, body);
    CHECK(answer.status == status);
    CHECK(answer.code() == code);
    CHECK(answer.text("Message") == usual_message(code));
    return answer;
  };
  CHECK(fault("/none/k?uploadId=" + rig.id, 404, "NoSuchBucket").text("BucketName") == "none");
  for (const std::string& target :
       {"/albums/k?uploadId=" + rig.id, "/photos/other?uploadId=" + rig.id,
        "/photos/k?uploadId=" + rig.id + "0", std::string("/photos/k?uploadId=nonsense"),
        std::string("/photos/k?uploadId=")}) {
    CAPTURE(target);
    CHECK(fault(target, 404, "NoSuchUpload").headers.has("x-amz-request-id"));
  }
  CHECK(rig.post("/photos/k?uploadId=nonsense", body).text("UploadId") == "nonsense");
  CHECK(rig.finish().status == 200);
}

TEST_CASE("complete rows: multipart_upload lists parts, each with number and etag") {
  OnePart rig;
  const struct {
    const char* what;
    std::string list;
    const char* code;
  } rows[] = {
      {"no etag", "<Part><PartNumber>1</PartNumber></Part>", "MalformedXML"},
      {"no number", "<Part><ETag>" + etag_of("abc") + "</ETag></Part>", "MalformedXML"},
      {"no part", "", "MalformedXML"},
      {"number 0", UploadRig::entry(0, etag_of("abc")), "InvalidArgument"},
      {"number 10,001", UploadRig::entry(10'001, etag_of("abc")), "InvalidArgument"},
      {"a number that is none",
       "<Part><PartNumber>x</PartNumber><ETag>" + etag_of("abc") + "</ETag></Part>",
       "MalformedXML"},
      {"another etag", UploadRig::entry(1, etag_of("abd")), "InvalidPart"},
      {"a part that was not sent", UploadRig::entry(2, etag_of("abc")), "InvalidPart"},
      {"twice the same", UploadRig::entry(1, etag_of("abc")) + UploadRig::entry(1, etag_of("abc")),
       "InvalidPartOrder"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rig.complete(rig.id, row.list);
    CHECK(answer.status == 400);
    CHECK(answer.code() == row.code);
    CHECK(rig.head("/photos/k").status == 404);
  }
  CHECK(rig.post("/photos/k?uploadId=" + rig.id, "").text("Message") ==
        "You must specify at least one part");
  // Quotes may be escaped, or missing.
  CHECK(rig.complete(rig.id, UploadRig::entry(1, "&quot;" + to_hex(md5("abc")) + "&#34;")).status ==
        200);
}

TEST_CASE("complete rows: each checksum of a part is compared") {
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
    OnePart rig(Fields{{"x-amz-checksum-algorithm", row.name}});
    const auto element = [&](const std::string& value) {
      return "<Checksum" + std::string(row.name) + ">" + value + "</Checksum" + row.name + ">";
    };
    Answer answer = rig.finish({}, element(sum(row.algorithm, "abd")));
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidPart");
    CHECK(answer.text("Message") == usual_message("InvalidPart"));
    CHECK(answer.text("PartNumber") == "1");
    CHECK(answer.text("ETag") == to_hex(md5("abc")));
    CHECK(answer.text("UploadId") == rig.id);
    answer = rig.finish({}, row.algorithm == sha1 ? "<ChecksumCRC32>AAAAAA==</ChecksumCRC32>"
                                                  : "<ChecksumSHA1>AAAA</ChecksumSHA1>");
    CHECK(answer.code() == "InvalidRequest");
    CHECK(answer.text("Message").starts_with("Checksum Type mismatch occurred"));
    CHECK(rig.finish({}, element(sum(row.algorithm, "abc"))).status == 200);
  }
}

TEST_CASE("complete rows: each checksum of the whole is compared, and comes back") {
  const struct {
    s3::ChecksumAlgorithm algorithm;
    const char *name, *type;
  } rows[] = {{crc32, "CRC32", "FULL_OBJECT"},         {crc32c, "CRC32C", "FULL_OBJECT"},
              {crc64nvme, "CRC64NVME", "FULL_OBJECT"}, {crc32, "CRC32", "COMPOSITE"},
              {crc32c, "CRC32C", "COMPOSITE"},         {sha1, "SHA1", "COMPOSITE"},
              {sha256, "SHA256", "COMPOSITE"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.type);
    OnePart rig(Fields{{"x-amz-checksum-algorithm", row.name}, {"x-amz-checksum-type", row.type}});
    const std::string header(s3::header_of(row.algorithm));
    const bool composite = std::string_view(row.type) == "COMPOSITE";
    const std::string of_part = sum(row.algorithm, "abc");
    const std::string of_all =
        composite ? sum(row.algorithm, s3::checksum(row.algorithm, "abc")) + "-1" : of_part;
    const std::string element = "Checksum" + std::string(row.name);
    const std::string more = "<" + element + ">" + of_part + "</" + element + ">";
    Answer answer = rig.finish({{header, sum(row.algorithm, "abd")}}, more);
    CHECK(answer.status == 400);
    CHECK(answer.code() == "BadDigest");
    CHECK(answer.text("Message").ends_with("you specified did not match the calculated checksum."));
    answer = rig.finish({{header, "nonsense"}}, more);
    CHECK(answer.code() == "InvalidRequest");
    CHECK(answer.text("Message") == "Value for " + header + " header is invalid.");
    answer = rig.finish({{header, of_all},
                         {row.algorithm == sha1 ? "x-amz-checksum-crc32" : "x-amz-checksum-sha1",
                          row.algorithm == sha1 ? "AAAAAA==" : sum(sha1, "abc")}},
                        more);
    CHECK(answer.text("Message") ==
          "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
    answer = rig.finish({{header, of_all}}, more);
    CHECK(answer.status == 200);
    CHECK(answer.text(element) == of_all);
    CHECK(answer.text("ChecksumType") == row.type);
  }
}

TEST_CASE("complete rows: a checksum of the whole that was never begun is no wrong checksum") {
  OnePart rig;
  for (const auto algorithm : s3::all_checksum_algorithms) {
    if (algorithm == s3::ChecksumAlgorithm::crc64nvme) continue;
    const std::string name(s3::name_of(algorithm));
    CAPTURE(name);
    const Answer answer =
        rig.finish({{std::string(s3::header_of(algorithm)), sum(algorithm, "abc")}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidRequest");
    CHECK(answer.text("Message").find("expected checksum Type: null") != std::string::npos);
    CHECK(answer.text("Message").find("x-amz-checksum-algorithm: " + name) != std::string::npos);
  }
  const auto crc64nvme = s3::ChecksumAlgorithm::crc64nvme;
  CHECK(rig.finish({{"x-amz-checksum-crc64nvme", sum(crc64nvme, "other")}}).code() == "BadDigest");
  CHECK(rig.finish({{"x-amz-checksum-crc64nvme", sum(crc64nvme, "abc")}}).status == 200);
}

TEST_CASE("complete rows: checksum_type is that of the initiation, or BadDigest") {
  const struct {
    const char *algorithm, *begun, *asked;
    bool good;
  } rows[] = {{"CRC32", "COMPOSITE", "COMPOSITE", true},
              {"CRC32", "COMPOSITE", "FULL_OBJECT", false},
              {"CRC32", "FULL_OBJECT", "FULL_OBJECT", true},
              {"CRC32", "FULL_OBJECT", "COMPOSITE", false},
              {"SHA256", "COMPOSITE", "FULL_OBJECT", false},
              {"CRC64NVME", "FULL_OBJECT", "COMPOSITE", false}};
  for (const auto& row : rows) {
    CAPTURE(row.algorithm);
    CAPTURE(row.asked);
    OnePart rig(
        Fields{{"x-amz-checksum-algorithm", row.algorithm}, {"x-amz-checksum-type", row.begun}});
    const auto algorithm = *s3::checksum_algorithm_of(row.algorithm);
    const std::string element = "Checksum" + std::string(row.algorithm);
    const Answer answer =
        rig.finish({{"x-amz-checksum-type", row.asked}},
                   "<" + element + ">" + sum(algorithm, "abc") + "</" + element + ">");
    CHECK(answer.status == (row.good ? 200 : 400));
    if (row.good) continue;
    CHECK(answer.code() == "BadDigest");
    CHECK(answer.text("Message") == "The upload was created using the " + std::string(row.begun) +
                                        " checksum mode. The complete request must use the same "
                                        "checksum mode.");
  }
  OnePart rig;
  CHECK(rig.finish({{"x-amz-checksum-type", "SOME"}}).code() == "InvalidRequest");
}

TEST_CASE("complete rows: mpu_object_size is the size, or InvalidRequest") {
  OnePart rig;
  for (const char* size : {"2", "4", "0", "5497558138881"}) {
    CAPTURE(size);
    const Answer answer = rig.finish({{"x-amz-mp-object-size", size}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidRequest");
    CHECK(answer.text("Message") == "The provided 'x-amz-mp-object-size' header value " +
                                        std::string(size) + " does not match what was computed: 3");
  }
  CHECK(rig.finish({{"x-amz-mp-object-size", "three"}}).status == 400);
  CHECK(rig.finish({{"x-amz-mp-object-size", "-3"}}).status == 400);
  CHECK(rig.finish({{"x-amz-mp-object-size", "3"}}).status == 200);
}

TEST_CASE("complete rows: request_payer, and what is charged") {
  OnePart rig;
  CHECK(rig.finish({{"x-amz-request-payer", "somebody"}}).code() == "InvalidArgument");
  const std::string pays =
      "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>";
  REQUIRE(rig.put("/photos?requestPayment", pays).status == 200);
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"222222222222"},)"
      R"("Action":"s3:*","Resource":["arn:aws:s3:::photos","arn:aws:s3:::photos/*"]}]})";
  REQUIRE(rig.put("/photos?policy", policy).status == 204);
  const auto theirs = [&](Fields fields) {
    return rig.ask({.method = "POST",
                    .target = "/photos/k?uploadId=" + rig.id,
                    .headers = std::move(fields),
                    .body = "<CompleteMultipartUpload>" + UploadRig::entry(1, etag_of("abc")) +
                            "</CompleteMultipartUpload>",
                    .credentials = rig.theirs});
  };
  CHECK(theirs({}).code() == "AccessDenied");
  const Answer answer = theirs({{"x-amz-request-payer", "requester"}});
  CHECK(answer.status == 200);
  CHECK(answer.header("x-amz-request-charged") == "requester");
}

TEST_CASE("complete rows: expected_bucket_owner") {
  OnePart rig;
  const Answer answer = rig.finish({{"x-amz-expected-bucket-owner", "222222222222"}});
  CHECK(answer.status == 403);
  CHECK(answer.code() == "AccessDenied");
  CHECK(answer.text("Message") == "Access Denied");
  CHECK(rig.finish({{"x-amz-expected-bucket-owner", "me"}}).code() ==
        "InvalidBucketOwnerAWSAccountID");
  const Answer good = rig.finish({{"x-amz-expected-bucket-owner", "111111111111"}});
  CHECK(good.status == 200);
  CHECK_FALSE(good.headers.has("x-amz-request-charged"));
}

enum class Then { nothing, put_same, put_other, removed, removed_and_put, put_and_removed };

TEST_CASE("complete rows: if_match and if_none_match against what the key was and is") {
  const struct {
    bool there_at_begin;
    Then then;
    const char* condition;  // of "old" in If-Match, or If-None-Match
    int status;
    const char* code;
  } rows[] = {
      {true, Then::nothing, "If-Match", 200, ""},
      {true, Then::put_other, "If-Match", 412, "PreconditionFailed"},
      {true, Then::put_same, "If-Match", 409, "ConditionalRequestConflict"},
      {true, Then::removed, "If-Match", 412, "PreconditionFailed"},
      {true, Then::removed_and_put, "If-Match", 409, "ConditionalRequestConflict"},
      {false, Then::nothing, "If-Match", 412, "PreconditionFailed"},
      {false, Then::nothing, "If-None-Match", 200, ""},
      {true, Then::nothing, "If-None-Match", 412, "PreconditionFailed"},
      {false, Then::put_other, "If-None-Match", 412, "PreconditionFailed"},
      {true, Then::removed, "If-None-Match", 409, "ConditionalRequestConflict"},
      {false, Then::put_and_removed, "If-None-Match", 409, "ConditionalRequestConflict"},
      {true, Then::put_and_removed, "If-None-Match", 409, "ConditionalRequestConflict"},
      {false, Then::put_and_removed, "If-Match", 412, "PreconditionFailed"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.condition);
    CAPTURE(row.there_at_begin);
    CAPTURE(static_cast<int>(row.then));
    UploadRig rig;
    if (row.there_at_begin) REQUIRE(rig.put("/photos/k", "old").status == 200);
    const std::string id = rig.begin();
    REQUIRE(rig.part(id, 1, "abc").status == 200);
    if (row.then == Then::removed || row.then == Then::removed_and_put)
      REQUIRE(rig.remove("/photos/k").status == 204);
    if (row.then == Then::put_same || row.then == Then::removed_and_put)
      REQUIRE(rig.put("/photos/k", "old").status == 200);
    if (row.then == Then::put_and_removed) {
      REQUIRE(rig.put("/photos/k", "new").status == 200);
      REQUIRE(rig.remove("/photos/k").status == 204);
    }
    if (row.then == Then::put_other) REQUIRE(rig.put("/photos/k", "new").status == 200);
    const bool match = std::string_view(row.condition) == "If-Match";
    const Answer answer = rig.complete(id, UploadRig::entry(1, etag_of("abc")),
                                       {{row.condition, match ? etag_of("old") : "*"}});
    CHECK(answer.status == row.status);
    if (row.status == 200) {
      CHECK(rig.get("/photos/k").body == "abc");
      continue;
    }
    CHECK(answer.code() == row.code);
    CHECK(answer.text("Message") == usual_message(row.code));
    CHECK(answer.text("Condition") == row.condition);
    if (row.status == 409) CHECK(answer.text("Key") == "k");
    // Only another upload helps after 409; the refused one is still there to be aborted.
    CHECK(rig.get("/photos/k?uploadId=" + id).status == 200);
  }
}

TEST_CASE("complete rows: conditions that this operation does not take are 501") {
  OnePart rig;
  for (const Fields& fields : {Fields{{"If-None-Match", etag_of("abc")}}, Fields{{"If-Match", "*"}},
                               Fields{{"If-Match", etag_of("abc")}, {"If-None-Match", "*"}}}) {
    const Answer answer = rig.finish(fields);
    CHECK(answer.status == 501);
    CHECK(answer.code() == "NotImplemented");
    CHECK(answer.text("Message") == usual_message("NotImplemented"));
    CHECK(answer.text("Header").starts_with("If-"));
  }
}

Fields customer_key(char letter) {
  const std::string key(32, letter);
  return {{"x-amz-server-side-encryption-customer-algorithm", "AES256"},
          {"x-amz-server-side-encryption-customer-key", to_base64(key)},
          {"x-amz-server-side-encryption-customer-key-MD5", to_base64(md5(key))}};
}

TEST_CASE("complete rows: the customer's key, where the upload has one") {
  const struct {
    bool with_algorithm;
    char key;  // of the completion; 0: none
    const char* fault;
  } rows[] = {{false, 0, ""},
              {false, 'a', ""},
              {false, 'b',
               "The provided encryption parameters did not match the ones used "
               "originally."},
              {true, 0,
               "The multipart upload initiate requested encryption. Subsequent part "
               "requests must include the appropriate encryption parameters."},
              {true, 'a', ""},
              {true, 'b',
               "The provided encryption parameters did not match the ones used "
               "originally."}};
  for (const auto& row : rows) {
    CAPTURE(row.with_algorithm);
    CAPTURE(row.key);
    UploadRig rig(Options{.customer_keys_over_http = true});
    Fields at_begin = customer_key('a');
    if (row.with_algorithm) {
      at_begin.emplace_back("x-amz-checksum-algorithm", "CRC32");
      at_begin.emplace_back("x-amz-checksum-type", "FULL_OBJECT");
    }
    const std::string id = rig.begin(at_begin);
    const std::string etag = rig.part(id, 1, "abc", customer_key('a')).header("ETag");
    const Answer answer = rig.complete(id, UploadRig::entry(1, etag),
                                       row.key == 0 ? Fields{} : customer_key(row.key));
    CHECK(answer.status == (*row.fault == '\0' ? 200 : 400));
    if (*row.fault == '\0') {
      CHECK(rig.get("/photos/k", customer_key('a')).body == "abc");
    } else {
      CHECK(answer.code() == "InvalidRequest");
      CHECK(answer.text("Message") == row.fault);
    }
  }
  // For an upload without one it is wrong to bring one.
  OnePart rig({}, Options{.customer_keys_over_http = true});
  CHECK(rig.finish(customer_key('a')).code() == "InvalidRequest");
  CHECK(rig.finish({{"x-amz-server-side-encryption-customer-algorithm", "AES256"}}).code() ==
        "InvalidArgument");
}

TEST_CASE("complete rows: a policy may ask for the customer's key") {
  UploadRig rig(Options{.customer_keys_over_http = true});
  const std::string id = rig.begin(customer_key('a'));
  const std::string etag = rig.part(id, 1, "abc", customer_key('a')).header("ETag");
  const std::string policy =
      R"({"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":)"
      R"("s3:PutObject","Resource":"arn:aws:s3:::photos/*","Condition":{"Null":)"
      R"({"s3:x-amz-server-side-encryption-customer-algorithm":"true"}}}]})";
  REQUIRE(rig.put("/photos?policy", policy).status == 204);
  CHECK(rig.complete(id, UploadRig::entry(1, etag)).code() == "AccessDenied");
  CHECK(rig.complete(id, UploadRig::entry(1, etag), customer_key('a')).status == 200);
}

TEST_CASE("complete rows: the response tells where and what the object is") {
  UploadRig rig;
  const std::string lifecycle =
      "<LifecycleConfiguration><Rule><ID>soon</ID><Status>Enabled</Status><Filter/>"
      "<Expiration><Days>3</Days></Expiration></Rule></LifecycleConfiguration>";
  REQUIRE(rig.put("/photos?lifecycle", lifecycle, {{"Content-MD5", to_base64(md5(lifecycle))}})
              .status == 200);
  const std::string id = rig.post("/photos/a%20b/c?uploads", "").text("UploadId");
  REQUIRE(rig.put("/photos/a%20b/c?partNumber=1&uploadId=" + id, "abc").status == 200);
  const Answer answer = rig.post("/photos/a%20b/c?uploadId=" + id,
                                 "<CompleteMultipartUpload>" + UploadRig::entry(1, etag_of("abc")) +
                                     "</CompleteMultipartUpload>");
  CHECK(answer.status == 200);
  CHECK(answer.header("Content-Type") == "application/xml");
  CHECK(answer.text("Location") == "http://127.0.0.1:9000/photos/a%20b/c");
  CHECK(answer.text("Bucket") == "photos");
  CHECK(answer.text("Key") == "a b/c");
  CHECK(answer.text("ETag") == "\"" + to_hex(md5(md5("abc"))) + "-1\"");
  CHECK(answer.text("ChecksumCRC64NVME") == sum(crc64nvme, "abc"));
  CHECK(answer.text("ChecksumType") == "FULL_OBJECT");
  CHECK(answer.header("x-amz-expiration") ==
        "expiry-date=\"Sat, 18 Nov 2023 00:00:00 GMT\", rule-id=\"soon\"");
  for (const char* absent :
       {"x-amz-version-id", "x-amz-server-side-encryption", "x-amz-request-charged"})
    CHECK_FALSE(answer.headers.has(absent));
}

TEST_CASE("complete rows: the version id is a new one, or null, or not there") {
  const struct {
    const char* status;
    const char* id;  // null: any other
  } rows[] = {{"", ""}, {"Enabled", nullptr}, {"Suspended", "null"}};
  for (const auto& row : rows) {
    CAPTURE(row.status);
    OnePart rig;
    if (*row.status != '\0')
      REQUIRE(rig.put("/photos?versioning", "<VersioningConfiguration><Status>" +
                                                std::string(row.status) +
                                                "</Status></VersioningConfiguration>")
                  .status == 200);
    const std::string version = rig.finish().header("x-amz-version-id");
    if (row.id != nullptr) CHECK(version == row.id);
    if (row.id == nullptr) {
      CHECK(version.size() > 4);
      CHECK(rig.head("/photos/k?versionId=" + version).status == 200);
    }
  }
}

TEST_CASE("complete rows: the response names the encryption") {
  const struct {
    const char *method, *key_id, *bucket_key;
  } rows[] = {{"AES256", "", ""},
              {"aws:kms", "arn:aws:kms:us-east-1:111111111111:key/one", "true"},
              {"aws:kms:dsse", "arn:aws:kms:us-east-1:111111111111:key/one", ""}};
  for (const auto& row : rows) {
    CAPTURE(row.method);
    UploadRig rig;
    Fields fields = {{"x-amz-server-side-encryption", row.method}};
    if (*row.bucket_key != '\0')
      fields.emplace_back("x-amz-server-side-encryption-bucket-key-enabled", row.bucket_key);
    const std::string id = rig.begin(fields);
    const std::string etag = rig.part(id, 1, "abc").header("ETag");
    const Answer answer = rig.complete(id, UploadRig::entry(1, etag));
    CHECK(answer.status == 200);
    CHECK(answer.header("x-amz-server-side-encryption") == row.method);
    CHECK(answer.header("x-amz-server-side-encryption-aws-kms-key-id") == row.key_id);
    CHECK(answer.header("x-amz-server-side-encryption-bucket-key-enabled") == row.bucket_key);
  }
}

TEST_CASE("complete rows: a content type of forms is refused, another or none is not") {
  for (const char* type :
       {"application/x-www-form-urlencoded", "Application/X-WWW-Form-Urlencoded; charset=utf-8"}) {
    OnePart rig;
    const Answer answer = rig.finish({{"Content-Type", type}});
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("ArgumentName") == "Content-Type");
    CHECK(rig.finish({{"Content-Type", "text/plain"}}).status == 200);
  }
  OnePart rig;
  CHECK(rig.finish().status == 200);
}

TEST_CASE("complete rows: a second completion finds no upload, with the same parts or others") {
  OnePart rig;
  CHECK(rig.finish().status == 200);
  for (const std::string& list : {UploadRig::entry(1, etag_of("abc")), UploadRig::entry(2, "x")}) {
    const Answer answer = rig.complete(rig.id, list);
    CHECK(answer.status == 404);
    CHECK(answer.code() == "NoSuchUpload");
    CHECK(answer.text("Message") == usual_message("NoSuchUpload"));
    CHECK(answer.text("UploadId") == rig.id);
  }
  CHECK(rig.get("/photos/k").body == "abc");
}

TEST_CASE("complete rows: parts go together by their numbers, whatever was left out") {
  UploadRig rig;
  const std::string large(5'242'880, 'l');
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 7, "end").status == 200);
  REQUIRE(rig.part(id, 2, large).status == 200);
  REQUIRE(rig.part(id, 4, "left out").status == 200);
  const Answer wrong =
      rig.complete(id, UploadRig::entry(7, etag_of("end")) + UploadRig::entry(2, etag_of(large)));
  CHECK(wrong.status == 400);
  CHECK(wrong.code() == "InvalidPartOrder");
  CHECK(wrong.text("Message") == usual_message("InvalidPartOrder"));
  CHECK(wrong.text("UploadId") == id);
  REQUIRE(
      rig.complete(id, UploadRig::entry(2, etag_of(large)) + UploadRig::entry(7, etag_of("end")))
          .status == 200);
  CHECK((rig.get("/photos/k").body == large + "end"));
  CHECK(rig.engine->wait_collected(os::Deadline::in_ms(10'000)).ok());
}

}  // namespace
}  // namespace cairn::s3api::complete_rows_test
