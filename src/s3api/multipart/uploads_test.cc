// SPDX-License-Identifier: Apache-2.0
// Multipart uploads through the service.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "s3/checksum.h"
#include "s3api/upload_rig_test.h"

namespace cairn::s3api::uploads_test {
namespace {

using enum s3::ChecksumAlgorithm;

std::string sum(s3::ChecksumAlgorithm algorithm, std::string_view text) {
  return to_base64(s3::checksum(algorithm, text));
}

// Parts as the protocol's documented checksum values have them.
const std::string large(5'242'881, 'a');
const std::string tail(10, 'a');

std::string multipart_etag(std::initializer_list<std::string_view> parts) {
  std::string digests;
  for (const std::string_view part : parts) digests += md5(part);
  return "\"" + to_hex(md5(digests)) + "-" + std::to_string(parts.size()) + "\"";
}

TEST_CASE("uploads: a part number without its upload is refused, and the object stays") {
  UploadRig rig;
  REQUIRE(rig.put("/photos/k", "whole").status == 200);
  REQUIRE(rig.put("/photos/other", "other").status == 200);
  const std::string target = "/photos/k?partNumber=1";
  for (const Answer& answer :
       {rig.put(target, "part"), rig.put(target, "", {{"x-amz-copy-source", "/photos/other"}}),
        rig.remove(target), rig.put("/photos/k?partNumber=", "part")}) {
    CHECK(answer.status == 400);
    CHECK(answer.code() == "InvalidArgument");
    CHECK(answer.text("ArgumentName") == "partNumber");
    CHECK(rig.get("/photos/k").body == "whole");
  }
  CHECK(rig.get(target).body == "whole");
  CHECK(rig.head(target).status == 206);
}

TEST_CASE("uploads: begun, filled, completed, read") {
  UploadRig rig;
  Answer answer = rig.post("/photos/k?uploads", "",
                           {{"Content-Type", "text/plain"}, {"x-amz-meta-color", "red"}});
  CHECK(answer.xml().name == "InitiateMultipartUploadResult");
  CHECK(answer.text("Bucket") == "photos");
  CHECK(answer.text("Key") == "k");
  CHECK_FALSE(answer.headers.has("x-amz-checksum-algorithm"));
  const std::string id = answer.text("UploadId");
  CHECK(rig.get("/photos/k").status == 404);
  CHECK(rig.get("/photos").xml().child("Contents") == nullptr);

  answer = rig.part(id, 1, large);
  CHECK(answer.status == 200);
  CHECK(answer.header("ETag") == etag_of(large));
  CHECK(rig.part(id, 2, tail, {{"Content-MD5", to_base64(md5(tail))}}).status == 200);
  CHECK(rig.part(id, 3, "unlisted").status == 200);
  answer = rig.get("/photos/k?uploadId=" + id);
  CHECK(answer.xml().name == "ListPartsResult");
  CHECK(answer.text("NextPartNumberMarker") == "3");
  CHECK(answer.text("Part/Size") == std::to_string(large.size()));
  CHECK(answer.text("Part/ETag") == etag_of(large));
  CHECK(answer.text("Part/ChecksumCRC64NVME") == "(none)");

  answer =
      rig.complete(id, UploadRig::entry(1, etag_of(large)) + UploadRig::entry(2, to_hex(md5(tail))),
                   {{"x-amz-mp-object-size", std::to_string(large.size() + tail.size())}});
  CHECK(answer.status == 200);
  CHECK(answer.xml().name == "CompleteMultipartUploadResult");
  CHECK(answer.text("Location") == "http://127.0.0.1:9000/photos/k");
  CHECK(answer.text("ETag") == multipart_etag({large, tail}));
  CHECK(answer.text("ChecksumType") == "FULL_OBJECT");
  CHECK(answer.text("ChecksumCRC64NVME") == sum(crc64nvme, large + tail));

  CHECK(rig.get("/photos/k", {{"x-amz-checksum-mode", "sometimes"}}).code() == "InvalidArgument");
  CHECK(rig.head("/photos/k", {{"x-amz-checksum-mode", "enabled"}}).headers.has(
      "x-amz-checksum-type"));
  answer = rig.get("/photos/k", {{"x-amz-checksum-mode", "ENABLED"}});
  CHECK((answer.body == large + tail));
  CHECK(answer.header("Content-Type") == "text/plain");
  CHECK(answer.header("x-amz-meta-color") == "red");
  CHECK(answer.header("x-amz-checksum-crc64nvme") == sum(crc64nvme, large + tail));
  answer = rig.get("/photos/k?partNumber=2");
  CHECK(answer.status == 206);
  CHECK(answer.body == tail);
  CHECK(answer.header("x-amz-mp-parts-count") == "2");
  CHECK(answer.header("Content-Range") == "bytes 5242881-5242890/5242891");
  CHECK(rig.get("/photos/k?partNumber=3").code() == "InvalidPartNumber");
  answer = rig.complete(id, UploadRig::entry(1, etag_of(large)));
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchUpload");
  CHECK(answer.text("UploadId") == id);

  // A copy is one part with the MD5 of everything, which takes the bytes.
  answer = rig.put("/photos/copy", "", {{"x-amz-copy-source", "/photos/k"}});
  CHECK(answer.text("ETag") == etag_of(large + tail));
  CHECK(answer.text("ChecksumCRC64NVME") == sum(crc64nvme, large + tail));
}

TEST_CASE("uploads: checksums of parts and of the whole, as documented") {
  struct {
    const char *algorithm, *type, *value;
  } const rows[] = {{"CRC32", "COMPOSITE", "5FRUiw==-3"},
                    {"CRC32", "FULL_OBJECT", "qSEQSA=="},
                    {"CRC64NVME", "FULL_OBJECT", "ZMNX55lZurA="},
                    {"SHA1", "COMPOSITE", "AyE60nyQoBgJcwsyPHWu7aJuxBs=-3"},
                    {"SHA256", "COMPOSITE", "9o++y6AejqboiJ7MZCx0fahK2Vu5YC/qnNhhYsCLciI=-3"}};
  UploadRig rig;
  for (const auto& row : rows) {
    CAPTURE(row.algorithm);
    CAPTURE(row.type);
    const auto algorithm = *s3::checksum_algorithm_of(row.algorithm);
    const std::string header(s3::header_of(algorithm));
    const std::string element = "Checksum" + std::string(row.algorithm);
    const std::string id =
        rig.begin({{"x-amz-checksum-algorithm", row.algorithm}, {"x-amz-checksum-type", row.type}});
    CHECK(rig.part(id, 1, large).header(header) == sum(algorithm, large));
    CHECK(rig.part(id, 2, large, {{header, sum(algorithm, large)}}).status == 200);
    CHECK(rig.part(id, 3, tail, {{header, sum(algorithm, large)}}).code() == "BadDigest");
    CHECK(rig.part(id, 3, tail).status == 200);
    CHECK(rig.part(id, 3, tail,
                   {{algorithm == crc32 ? "x-amz-checksum-crc32c" : "x-amz-checksum-crc32",
                     "AAAAAA=="}})
              .text("Message")
              .starts_with("Checksum Type mismatch occurred, expected checksum Type: " +
                           lower_ascii(row.algorithm)));
    CHECK(rig.get("/photos/k?uploadId=" + id).text("Part/" + element) == sum(algorithm, large));
    const auto listed = [&](bool with_sums) {
      const auto more = [&](std::string_view text) {
        return with_sums ? "<" + element + ">" + sum(algorithm, text) + "</" + element + ">"
                         : std::string();
      };
      return UploadRig::entry(1, etag_of(large), more(large)) +
             UploadRig::entry(2, etag_of(large), more(large)) +
             UploadRig::entry(3, etag_of(tail), more(tail));
    };
    const std::string other =
        std::string_view(row.type) == "COMPOSITE" ? "FULL_OBJECT" : "COMPOSITE";
    CHECK(rig.complete(id, listed(true), {{"x-amz-checksum-type", other}}).code() == "BadDigest");
    CHECK(rig.complete(id, listed(true), {{header, sum(algorithm, "x")}}).code() == "BadDigest");
    if (std::string_view(row.type) == "COMPOSITE") {
      const Answer missing = rig.complete(id, listed(false));
      CHECK(missing.code() == "InvalidRequest");
      CHECK(missing.text("Message").ends_with("It was missing for part 1 in the request."));
    }
    const Answer answer = rig.complete(id, listed(true), {{header, row.value}});
    CHECK(answer.status == 200);
    CHECK(answer.text(element) == row.value);
    CHECK(answer.text("ChecksumType") == row.type);
    CHECK(answer.text("ETag") == "\"4d45984fc3feb2ac9b22683c49674b56-3\"");
    const Answer get = rig.head("/photos/k", {{"x-amz-checksum-mode", "ENABLED"}});
    CHECK(get.header(header) == row.value);
    const Answer one = rig.head("/photos/k?partNumber=3", {{"x-amz-checksum-mode", "ENABLED"}});
    CHECK(one.header(header) ==
          (std::string_view(row.type) == "COMPOSITE" ? sum(algorithm, tail) : ""));
  }
  const auto refused = [&](Fields fields) {
    return rig.post("/photos/k?uploads", "", fields).text("Message");
  };
  CHECK(
      refused({{"x-amz-checksum-type", "COMPOSITE"}}) ==
      "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
  CHECK(
      refused({{"x-amz-checksum-algorithm", "CRC64NVME"}, {"x-amz-checksum-type", "COMPOSITE"}}) ==
      "The COMPOSITE checksum type cannot be used with the crc64nvme checksum algorithm.");
  CHECK(refused({{"x-amz-checksum-algorithm", "SHA1"}, {"x-amz-checksum-type", "FULL_OBJECT"}}) ==
        "The FULL_OBJECT checksum type cannot be used with the sha1 checksum algorithm.");
  CHECK(refused({{"x-amz-checksum-algorithm", "MD4"}}).starts_with("Checksum algorithm provided"));
}

TEST_CASE("uploads: a marker that is no upload's id is refused, not read as none") {
  UploadRig rig;
  const Answer answer = rig.get("/photos?uploads&key-marker=k&upload-id-marker=xyz");
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("ArgumentName") == "upload-id-marker");
  CHECK(rig.get("/photos?uploads&upload-id-marker=xyz").status == 200);  // says nothing alone
  CHECK(rig.get("/photos?uploads&key-marker=k&upload-id-marker=").status == 200);
}

TEST_CASE("uploads: any checksum may cover a part of an upload without an algorithm") {
  UploadRig rig;
  const std::string id = rig.begin();
  const Answer part = rig.part(id, 1, "abc", {{"x-amz-checksum-sha1", sum(sha1, "abc")}});
  CHECK(part.header("x-amz-checksum-sha1") == sum(sha1, "abc"));
  CHECK(rig.part(id, 1, "abd", {{"x-amz-checksum-sha1", sum(sha1, "abc")}}).code() == "BadDigest");
  const Answer with_sum = rig.complete(
      id,
      UploadRig::entry(1, etag_of("abc"), "<ChecksumSHA1>" + sum(sha1, "abc") + "</ChecksumSHA1>"));
  CHECK(with_sum.code() == "InvalidPart");
  CHECK(rig.complete(id, UploadRig::entry(1, etag_of("abc"))).text("ChecksumCRC64NVME") ==
        sum(crc64nvme, "abc"));
}

TEST_CASE("uploads: completions that are refused say why") {
  UploadRig rig;
  const std::string id = rig.begin();
  for (int number = 1; number <= 3; ++number)
    REQUIRE(rig.part(id, number, "part " + std::to_string(number)).status == 200);
  const auto entry = [](int number) {
    return UploadRig::entry(number, etag_of("part " + std::to_string(number)));
  };
  Answer answer = rig.complete(id, entry(2) + entry(1));
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidPartOrder");
  CHECK(rig.complete(id, entry(1) + entry(1)).code() == "InvalidPartOrder");
  answer = rig.complete(id, entry(1) + entry(2));
  CHECK(answer.code() == "EntityTooSmall");
  CHECK(answer.text("PartNumber") == "1");
  CHECK(answer.text("ProposedSize") == "6");
  CHECK(answer.text("MinSizeAllowed") == "5242880");
  answer = rig.complete(id, UploadRig::entry(4, etag_of("part 4")));
  CHECK(answer.code() == "InvalidPart");
  CHECK(answer.text("PartNumber") == "4");
  CHECK(answer.text("UploadId") == id);
  CHECK(rig.complete(id, UploadRig::entry(1, "\"wrong\"")).text("ETag") == "wrong");
  answer = rig.complete(id, entry(1), {{"x-amz-mp-object-size", "5"}});
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message") ==
        "The provided 'x-amz-mp-object-size' header value 5 does not match what was computed: 6");
  CHECK(rig.complete(id, "").code() == "MalformedXML");
  CHECK(rig.post("/photos/k?uploadId=" + id, "").code() == "InvalidRequest");
  CHECK(rig.post("/photos/k?uploadId=" + id, "junk").code() == "MalformedXML");
  CHECK(rig.complete(id, UploadRig::entry(0, "x")).code() == "InvalidArgument");
  CHECK(rig.complete(id, UploadRig::entry(10'001, "x")).code() == "InvalidArgument");
  CHECK(
      rig.complete(id, entry(1), {{"Content-Type", "application/x-www-form-urlencoded"}}).status ==
      400);
  CHECK(rig.complete(id, entry(1), {{"If-Match", "x"}}).status == 412);
  CHECK(rig.complete("nonsense", entry(1)).code() == "NoSuchUpload");
  CHECK(rig.complete("", entry(1)).code() == "NoSuchUpload");
  CHECK(rig.part("nonsense", 1, "x").code() == "NoSuchUpload");
  for (const char* number : {"0", "10001", "-1", "x", ""}) {
    CAPTURE(number);
    CHECK(rig.put("/photos/k?uploadId=" + id + "&partNumber=" + number, "x").code() ==
          "InvalidArgument");
  }
  CHECK(rig.complete(id, entry(3), {{"If-None-Match", "*"}}).status == 200);
  CHECK(rig.get("/photos/k").body == "part 3");
}

TEST_CASE("uploads: aborted ones are gone, with their parts") {
  UploadRig rig;
  const std::string id = rig.begin();
  REQUIRE(rig.part(id, 1, large).status == 200);
  CHECK(rig.remove("/photos/k?uploadId=" + id).status == 204);
  CHECK(rig.remove("/photos/k?uploadId=" + id).code() == "NoSuchUpload");
  CHECK(rig.get("/photos/k?uploadId=" + id).code() == "NoSuchUpload");
  CHECK(rig.part(id, 1, "x").code() == "NoSuchUpload");
  CHECK_FALSE(rig.body_was_read);
  CHECK(rig.engine->wait_collected(os::Deadline::in_ms(10'000)).ok());
}

TEST_CASE("uploads: parts copied from objects, whole and in ranges") {
  UploadRig rig;
  REQUIRE(rig.put("/photos/source", "0123456789").status == 200);
  const std::string id = rig.begin({{"x-amz-checksum-algorithm", "CRC32"}});
  const auto copy = [&](int number, Fields fields) {
    fields.emplace_back("x-amz-copy-source", "/photos/source");
    return rig.put(UploadRig::at(id, number), "", fields);
  };
  Answer answer = copy(1, {});
  CHECK(answer.status == 200);
  CHECK(answer.xml().name == "CopyPartResult");
  CHECK(answer.text("ETag") == etag_of("0123456789"));
  CHECK(answer.text("ChecksumCRC32") == sum(crc32, "0123456789"));
  CHECK(copy(2, {{"x-amz-copy-source-range", "bytes=2-4"}}).text("ETag") == etag_of("234"));
  for (const char* bad : {"bytes=2-", "bytes=-2", "bytes=4-2", "2-4", "bytes=0-1,3-4"})
    CHECK(copy(3, {{"x-amz-copy-source-range", bad}}).code() == "InvalidArgument");
  answer = copy(3, {{"x-amz-copy-source-range", "bytes=0-10"}});
  CHECK(answer.text("Message") == "Range specified is not valid for source object of size: 10");
  CHECK(copy(3, {{"x-amz-copy-source-range", "bytes=10-11"}}).code() == "InvalidRequest");
  CHECK(copy(3, {{"x-amz-copy-source-if-match", "x"}}).status == 412);
  CHECK(copy(0, {}).code() == "InvalidArgument");
  CHECK(rig.put(UploadRig::at(id, 3), "", {{"x-amz-copy-source", "/photos/none"}}).code() ==
        "NoSuchKey");
  answer = rig.complete(
      id, UploadRig::entry(2, etag_of("234"),
                           "<ChecksumCRC32>" + sum(crc32, "234") + "</ChecksumCRC32>"));
  CHECK(answer.status == 200);
  CHECK(rig.get("/photos/k").body == "234");
}

TEST_CASE("uploads: listed by key, in pages, with their parts") {
  UploadRig rig;
  const std::string first = rig.begin({{"x-amz-storage-class", "STANDARD_IA"}});
  REQUIRE(rig.post("/photos/dir/x?uploads", "").status == 200);
  REQUIRE(rig.post("/photos/z%20z?uploads", "").status == 200);
  Answer answer = rig.get("/photos?uploads&encoding-type=url");
  const XmlElement root = answer.xml();
  CHECK(root.name == "ListMultipartUploadsResult");
  CHECK(answer.text("Upload/Key") == "dir/x");
  CHECK(answer.text("IsTruncated") == "false");
  CHECK(root.children.back().text_of("Key") == "z+z");
  CHECK(rig.get("/photos?uploads&prefix=k").text("Upload/UploadId") == first);
  CHECK(rig.get("/photos?uploads&prefix=k").text("Upload/StorageClass") == "STANDARD_IA");
  CHECK(rig.get("/photos?uploads&delimiter=/").text("CommonPrefixes/Prefix") == "dir/");
  answer = rig.get("/photos?uploads&max-uploads=1");
  CHECK(answer.text("IsTruncated") == "true");
  CHECK(answer.text("NextKeyMarker") == "dir/x");
  answer = rig.get("/photos?uploads&max-uploads=1&key-marker=dir/x&upload-id-marker=" +
                   answer.text("NextUploadIdMarker"));
  CHECK(answer.text("Upload/UploadId") == first);

  for (const int number : {1, 2, 5}) REQUIRE(rig.part(first, number, "x").status == 200);
  answer = rig.get("/photos/k?uploadId=" + first + "&max-parts=2");
  CHECK(answer.text("IsTruncated") == "true");
  CHECK(answer.text("NextPartNumberMarker") == "2");
  answer = rig.get("/photos/k?uploadId=" + first + "&max-parts=2&part-number-marker=2");
  CHECK(answer.text("Part/PartNumber") == "5");
  CHECK(answer.text("IsTruncated") == "false");
  CHECK(rig.get("/photos/k?uploadId=" + first + "&part-number-marker=").status == 200);
  CHECK(rig.get("/photos/k?uploadId=" + first + "&part-number-marker=10")
            .text("NextPartNumberMarker") == "0");
}

}  // namespace
}  // namespace cairn::s3api::uploads_test
