// SPDX-License-Identifier: Apache-2.0
// PutObject with a write offset, row by row.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "s3/checksum.h"
#include "s3/operations/values.h"
#include "s3api/directory/directory_rig_test.h"

namespace cairn::s3api::append_test {
namespace {

using namespace directory_rig;

Fields at(std::uint64_t offset, Fields more = {}) {
  more.emplace_back("x-amz-write-offset-bytes", std::to_string(offset));
  return more;
}

std::string sum_of(s3::ChecksumAlgorithm algorithm, std::string_view bytes) {
  return to_base64(s3::checksum(algorithm, bytes));
}

TEST_CASE("directory appends: an object grows, and the reply says how far") {
  Rig rig;
  rig.make();
  Answer answer = rig.zonal("PUT", "/log", "one\n",
                            at(0, {{"content-type", "text/plain"}, {"x-amz-meta-a", "b"}}));
  REQUIRE_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.header("x-amz-object-size") == "4");
  CHECK(answer.header("ETag") == "\"" + to_hex(md5("one\n")) + "\"");
  answer = rig.zonal("PUT", "/log", "two\n", at(4, {{"content-type", "text/html"}}));
  REQUIRE_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.header("x-amz-object-size") == "8");
  CHECK(answer.header("ETag").ends_with("-2\""));
  CHECK(answer.header("x-amz-checksum-crc64nvme") ==
        sum_of(s3::ChecksumAlgorithm::crc64nvme, "one\ntwo\n"));
  CHECK(answer.header("x-amz-checksum-type") == "FULL_OBJECT");
  const Answer read = rig.zonal("GET", "/log", {}, {{"x-amz-checksum-mode", "ENABLED"}});
  CHECK(read.body == "one\ntwo\n");
  CHECK(read.header("content-type") == "text/plain");
  CHECK(read.header("x-amz-meta-a") == "b");
  CHECK(read.header("ETag") == answer.header("ETag"));
  CHECK(read.header("x-amz-checksum-crc64nvme") == answer.header("x-amz-checksum-crc64nvme"));
  CHECK(rig.zonal("GET", "/log", {}, {{"Range", "bytes=2-5"}}).body == "e\ntw");
  const Answer part = rig.zonal("GET", "/log?partNumber=2");
  CHECK(part.status == 206);
  CHECK(part.body == "two\n");
  CHECK(part.header("x-amz-mp-parts-count") == "2");
  // A PutObject without an offset replaces all of it.
  answer = rig.zonal("PUT", "/log", "new");
  CHECK(answer.header("x-amz-object-size").empty());
  CHECK(rig.zonal("GET", "/log").body == "new");
}

TEST_CASE("directory appends: what is refused, row by row, and nothing is changed") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/k", "abc").status == 200);
  const std::string etag = rig.zonal("HEAD", "/k").header("ETag");
  const struct {
    const char* what;
    const char* target;
    std::string body;
    Fields headers;
    int status;
    const char* code;
  } rows[] = {
      {"an offset before the end", "/k", "x", at(2), 400, "InvalidWriteOffset"},
      {"an offset behind the end", "/k", "x", at(4), 400, "InvalidWriteOffset"},
      {"an offset where nothing is", "/none", "x", at(1), 400, "InvalidWriteOffset"},
      {"a negative offset",
       "/k",
       "x",
       {{"x-amz-write-offset-bytes", "-1"}},
       400,
       "InvalidArgument"},
      {"no number", "/k", "x", {{"x-amz-write-offset-bytes", "three"}}, 400, "InvalidArgument"},
      {"a number and more",
       "/k",
       "x",
       {{"x-amz-write-offset-bytes", "3x"}},
       400,
       "InvalidArgument"},
      {"too large a number",
       "/k",
       "x",
       {{"x-amz-write-offset-bytes", "99999999999999999999"}},
       400,
       "InvalidArgument"},
      {"nothing to append", "/k", "", at(3), 400, "InvalidRequest"},
      {"nothing to make", "/none", "", at(0), 400, "InvalidRequest"},
      {"metadata", "/k", "x", at(3, {{"x-amz-meta-a", "b"}}), 400, "InvalidRequest"},
      {"another encryption", "/k", "x", at(3, {{"x-amz-server-side-encryption", "AES256"}}), 400,
       "EncryptionTypeMismatch"},
      {"a checksum of another algorithm", "/k", "x",
       at(3, {{"x-amz-checksum-sha1", sum_of(s3::ChecksumAlgorithm::sha1, "x")}}), 400,
       "InvalidRequest"},
      {"a wrong checksum", "/k", "x", at(3, {{"x-amz-checksum-crc64nvme", "AAAAAAAAAAA="}}), 400,
       "BadDigest"},
      {"if-match of another", "/k", "x", at(3, {{"If-Match", "\"other\""}}), 412,
       "PreconditionFailed"},
      {"if-none-match", "/k", "x", at(3, {{"If-None-Match", "*"}}), 412, "PreconditionFailed"},
      {"if-match where nothing is", "/none", "x", at(0, {{"If-Match", "\"other\""}}), 404,
       "NoSuchKey"},
      {"an acl", "/k", "x", at(3, {{"x-amz-acl", "private"}}), 501, "NotImplemented"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    const Answer answer = rig.zonal("PUT", row.target, row.body, row.headers);
    CHECK_MESSAGE(answer.status == row.status, answer.body);
    CHECK(answer.code() == row.code);
    CHECK(rig.zonal("GET", "/k").body == "abc");
    CHECK(rig.zonal("HEAD", "/k").header("ETag") == etag);
    CHECK(rig.zonal("HEAD", "/none").status == 404);
  }
  const Answer held = rig.zonal("PUT", "/k", "x", at(3, {{"If-Match", etag}}));
  CHECK_MESSAGE(held.status == 200, held.body);
}

TEST_CASE("directory appends: a refusal needs no body") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/k", "abc").status == 200);
  rig.service.body_was_read = false;
  CHECK(rig.zonal("PUT", "/k", std::string(100'000, 'x'), at(2)).code() == "InvalidWriteOffset");
  CHECK_FALSE(rig.service.body_was_read);
}

TEST_CASE("directory appends: only PutObject, and only in an Availability Zone") {
  Rig rig;
  rig.make();
  rig.make(local);
  REQUIRE(rig.service.put("/general").status == 200);
  const Answer general = rig.service.put("/general/k", "x", at(0));
  CHECK(general.status == 501);
  CHECK(general.text("Header") == "x-amz-write-offset-bytes");
  const Answer in_local = rig.zonal("PUT", "/k", "x", at(0), {}, local);
  CHECK(in_local.status == 501);
  CHECK(in_local.text("Header") == "x-amz-write-offset-bytes");
  CHECK(rig.zonal("POST", "/k?uploads", {}, at(0)).status == 501);
  REQUIRE(rig.zonal("PUT", "/k", "abc").status == 200);
  CHECK(rig.zonal("PUT", "/copy", {}, at(0, {{"x-amz-copy-source", "/" + name + "/k"}})).status ==
        501);
}

TEST_CASE("directory appends: each checksum goes on as it can") {
  const std::string first = "first piece", second(70'000, 's'), third = "third";
  for (const s3::ChecksumAlgorithm algorithm : s3::all_checksum_algorithms) {
    CAPTURE(s3::name_of(algorithm));
    Rig rig;
    rig.make();
    const std::string field(s3::header_of(algorithm));
    const bool sha = field.find("sha") != std::string::npos;
    REQUIRE(rig.zonal("PUT", "/k", first, {{field, sum_of(algorithm, first)}}).status == 200);
    Answer answer =
        rig.zonal("PUT", "/k", second, at(first.size(), {{field, sum_of(algorithm, second)}}));
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
    CHECK(answer.header("x-amz-checksum-type") == (sha ? "COMPOSITE" : "FULL_OBJECT"));
    CHECK(answer.header(field) == sum_of(algorithm, sha ? second : first + second));
    // Without one of its own the object's is computed.
    answer = rig.zonal("PUT", "/k", third, at(first.size() + second.size()));
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
    const std::string whole = first + second + third;
    const std::string expected =
        sha ? s3::composite_checksum(
                  algorithm, {s3::checksum(algorithm, first), s3::checksum(algorithm, second),
                              s3::checksum(algorithm, third)})
            : sum_of(algorithm, whole);
    CHECK(rig.zonal("HEAD", "/k", {}, {{"x-amz-checksum-mode", "ENABLED"}}).header(field) ==
          expected);
    const Answer attributes = rig.zonal(
        "GET", "/k?attributes", {},
        {{"x-amz-object-attributes", "ETag,Checksum,ObjectParts,ObjectSize,StorageClass"}});
    REQUIRE_MESSAGE(attributes.status == 200, attributes.body);
    CHECK(attributes.text("ObjectParts/PartsCount") == "3");
    CHECK(attributes.text("ObjectSize") == std::to_string(whole.size()));
    CHECK(attributes.text("Checksum/ChecksumType") == (sha ? "COMPOSITE" : "FULL_OBJECT"));
    CHECK(attributes.text("StorageClass") == "EXPRESS_ONEZONE");
    // A copy has one part, with the MD5 and the checksum of the whole.
    const Answer copied = rig.zonal("PUT", "/copy", {}, {{"x-amz-copy-source", "/" + name + "/k"}});
    REQUIRE_MESSAGE(copied.status == 200, copied.body);
    const Answer copy = rig.zonal("GET", "/copy");
    CHECK(copy.body == whole);
    CHECK(copy.header("ETag") == "\"" + to_hex(md5(whole)) + "\"");
  }
}

TEST_CASE("directory appends: behind an upload with checksums of its parts the whole has one") {
  using enum s3::ChecksumAlgorithm;
  Rig rig;
  rig.make();
  const std::string first(s3::part_bytes_min, 'a'), second = "second", third = "third";
  const Answer begun =
      rig.zonal("POST", "/k?uploads", {},
                {{"x-amz-checksum-algorithm", "CRC32"}, {"x-amz-checksum-type", "COMPOSITE"}});
  REQUIRE_MESSAGE(begun.status == 200, begun.body);
  const std::string id = begun.text("UploadId");
  std::string parts;
  int number = 0;
  for (const std::string& body : {first, second}) {
    const std::string place = std::to_string(++number);
    const Answer part = rig.zonal("PUT", "/k?partNumber=" + place + "&uploadId=" + id, body,
                                  {{"x-amz-checksum-crc32", sum_of(crc32, body)}});
    REQUIRE_MESSAGE(part.status == 200, part.body);
    parts += "<Part><PartNumber>" + place + "</PartNumber><ETag>" + part.header("ETag") +
             "</ETag><ChecksumCRC32>" + sum_of(crc32, body) + "</ChecksumCRC32></Part>";
  }
  const Answer done = rig.zonal("POST", "/k?uploadId=" + id,
                                "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>");
  REQUIRE_MESSAGE(done.status == 200, done.body);
  CHECK(done.text("ChecksumType") == "COMPOSITE");
  const Answer answer = rig.zonal("PUT", "/k", third, at(first.size() + second.size()));
  REQUIRE_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.header("ETag").ends_with("-3\""));
  CHECK(answer.header("x-amz-checksum-crc32") == sum_of(crc32, first + second + third));
  CHECK(answer.header("x-amz-checksum-type") == "FULL_OBJECT");
}

TEST_CASE("directory appends: what is appended is encrypted as the object is") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/k", "abc", {{"x-amz-server-side-encryption", "AES256"}}).status ==
          200);
  Answer answer = rig.zonal("PUT", "/k", "def", at(3));
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.header("x-amz-server-side-encryption") == "AES256");
  answer = rig.zonal("PUT", "/k", std::string(80'000, 'g'),
                     at(6, {{"x-amz-server-side-encryption", "AES256"}}));
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(rig.zonal("PUT", "/k", "h", at(80'006)).status == 200);
  CHECK(rig.zonal("GET", "/k").body == "abcdef" + std::string(80'000, 'g') + "h");

  const std::string rule =
      "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
      "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>one</KMSMasterKeyID>"
      "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";
  REQUIRE(rig.control("PUT", "/" + name + "?encryption", rule).status == 200);
  CHECK(rig.zonal("PUT", "/k", "i", at(80'007)).code() == "EncryptionTypeMismatch");
  CHECK(rig.zonal("PUT", "/k", "i", at(80'007, {{"x-amz-server-side-encryption", "AES256"}}))
            .status == 200);
  REQUIRE(rig.zonal("PUT", "/kms", "abc", at(0)).status == 200);
  answer = rig.zonal("PUT", "/kms", "def", at(3));
  CHECK_MESSAGE(answer.status == 200, answer.body);
  CHECK(answer.header("x-amz-server-side-encryption") == "aws:kms");
  CHECK(rig.zonal("PUT", "/kms", "g", at(6, {{"x-amz-server-side-encryption", "AES256"}})).code() ==
        "EncryptionTypeMismatch");
  CHECK(rig.zonal("GET", "/kms").body == "abcdef");
}

TEST_CASE("directory appends: a session that may only read appends nothing") {
  Rig rig;
  rig.make();
  REQUIRE(rig.zonal("PUT", "/k", "abc").status == 200);
  const Session reads = rig.session({{"x-amz-create-session-mode", "ReadOnly"}});
  CHECK(rig.zonal("PUT", "/k", "d", at(3), reads).status == 403);
  CHECK(rig.zonal("PUT", "/k", "d", at(3), rig.session()).status == 200);
  CHECK(rig.zonal("GET", "/k", {}, {}, reads).body == "abcd");
}

}  // namespace
}  // namespace cairn::s3api::append_test
