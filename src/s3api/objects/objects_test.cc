// SPDX-License-Identifier: Apache-2.0
// Objects through the service: written, read, copied, deleted.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "s3/checksum.h"
#include "s3/signing/chunked.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::objects_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// A service with one bucket.
struct PhotoRig : ServiceRig {
  explicit PhotoRig(Options options = {}) : ServiceRig(std::move(options)) {
    REQUIRE(put("/photos").status == 200);
  }
};

std::string etag_of(std::string_view text) { return "\"" + to_hex(md5(text)) + "\""; }
std::string sum(s3::ChecksumAlgorithm algorithm, std::string_view text) {
  return to_base64(s3::checksum(algorithm, text));
}

TEST_CASE("objects: a redirect goes to a path or a URL") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  constexpr const char* field = "x-amz-website-redirect-location";
  REQUIRE(rig.put("/photos/k", "abc").status == 200);
  for (const char* bad : {"there", "ftp://host/", ""}) {
    CAPTURE(bad);
    CHECK(rig.put("/photos/to", "abc", {{field, bad}}).code() == "InvalidRedirectLocation");
    CHECK(rig.post("/photos/to?uploads", "", {{field, bad}}).status == 400);
    CHECK(rig.put("/photos/to", "", {{field, bad}, {"x-amz-copy-source", "/photos/k"}}).status ==
          400);
  }
  for (const char* good : {"/there", "https://example.org/", "http://example.org"})
    CHECK(rig.put("/photos/to", "abc", {{field, good}}).status == 200);
}

TEST_CASE("objects: what was put comes back, with everything said about it") {
  PhotoRig rig;
  Answer answer = rig.put("/photos/a/b%20c", "0123456789",
                          {{"Content-Type", "text/plain"},
                           {"Cache-Control", "no-cache"},
                           {"Content-Disposition", "inline"},
                           {"Content-Encoding", "aws-chunked,gzip"},
                           {"Content-Language", "de"},
                           {"Expires", "some day"},
                           {"x-amz-storage-class", "STANDARD_IA"},
                           {"x-amz-website-redirect-location", "/else"},
                           {"X-Amz-Meta-Color", "red"},
                           {"x-amz-meta-umlaut", "f\xC3\xBCr"}});
  CHECK(answer.status == 200);
  CHECK(answer.header("ETag") == etag_of("0123456789"));
  CHECK(answer.header("x-amz-checksum-crc64nvme") ==
        sum(s3::ChecksumAlgorithm::crc64nvme, "0123456789"));
  CHECK(answer.header("x-amz-checksum-type") == "FULL_OBJECT");

  for (const bool head : {false, true}) {
    answer = head ? rig.head("/photos/a/b%20c") : rig.get("/photos/a/b%20c");
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.body == (head ? "" : "0123456789"));
    CHECK(answer.length == 10);
    CHECK(answer.header("ETag") == etag_of("0123456789"));
    CHECK(answer.header("Accept-Ranges") == "bytes");
    CHECK(answer.header("Last-Modified") == "Tue, 14 Nov 2023 22:13:20 GMT");
    CHECK(answer.header("Content-Type") == "text/plain");
    CHECK(answer.header("Cache-Control") == "no-cache");
    CHECK(answer.header("Content-Disposition") == "inline");
    CHECK(answer.header("Content-Encoding") == "gzip");
    CHECK(answer.header("Content-Language") == "de");
    CHECK(answer.header("Expires") == "some day");
    CHECK(answer.header("x-amz-storage-class") == "STANDARD_IA");
    CHECK(answer.header("x-amz-website-redirect-location") == "/else");
    CHECK(answer.header("x-amz-meta-color") == "red");
    CHECK(answer.header("x-amz-meta-umlaut") == "=?UTF-8?B?ZsO8cg==?=");
    CHECK_FALSE(answer.headers.has("x-amz-checksum-crc64nvme"));
    CHECK_FALSE(answer.headers.has("x-amz-version-id"));
  }
  answer = rig.get("/photos/a/b%20c?response-content-type=a%2Fb&response-expires=never",
                   {{"x-amz-checksum-mode", "ENABLED"}});
  CHECK(answer.header("Content-Type") == "a/b");
  CHECK(answer.header("Expires") == "never");
  CHECK(answer.header("x-amz-checksum-crc64nvme") ==
        sum(s3::ChecksumAlgorithm::crc64nvme, "0123456789"));
  CHECK(rig.get("/photos/a/b%20c?response-content-type=a%0D%0Ab").code() == "InvalidArgument");

  REQUIRE(rig.put("/photos/plain", "").status == 200);
  answer = rig.get("/photos/plain");
  CHECK(answer.header("Content-Type") == "binary/octet-stream");
  CHECK(answer.length == 0);
  CHECK_FALSE(answer.headers.has("x-amz-storage-class"));
}

TEST_CASE("objects: what is not there is 404, and HEAD says so without a body") {
  PhotoRig rig;
  Answer answer = rig.get("/photos/none");
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchKey");
  CHECK(answer.text("Key") == "none");
  answer = rig.head("/photos/none");
  CHECK(answer.status == 404);
  CHECK(answer.body.empty());
  CHECK(answer.header("x-amz-request-id") != "");
  CHECK(rig.get("/nobucket/k").code() == "NoSuchBucket");
  CHECK(rig.put("/nobucket/k", "x").code() == "NoSuchBucket");
  CHECK(rig.put("/photos/k", "x").status == 200);
  CHECK(rig.get("/photos/k?versionId=null").status == 200);
  answer = rig.get("/photos/k?versionId=abc");
  CHECK(answer.status == 400);
  CHECK(answer.text("Message") == "Invalid version id specified");
}

TEST_CASE("objects: keys are bytes, up to 1,024 of them") {
  PhotoRig rig;
  const std::string keys[] = {"a//b",         "./..", "a+b",      "%",
                              "\x01\xff\xfe", " ",    "\xC3\xA9", std::string(1024, 'k'),
                              "?x=y",         "#",    "a\nb",     "<&>"};
  for (const std::string& key : keys) {
    CAPTURE(key);
    const std::string target = "/photos/" + percent_encode(key, "/");
    REQUIRE(rig.put(target, key).status == 200);
    CHECK(rig.get(target).body == key);
  }
  const Answer answer = rig.put("/photos/" + std::string(1025, 'k'), "x");
  CHECK(answer.status == 400);
  CHECK(answer.code() == "KeyTooLongError");
  CHECK(answer.text("Size") == "1025");
  CHECK(rig.get("/photos/" + std::string(1025, 'k')).code() == "KeyTooLongError");
  // All of them can be listed: the odd ones by their encoded form.
  const XmlElement root = rig.get("/photos?encoding-type=url").xml();
  std::vector<std::string> listed;
  for (const XmlElement& child : root.children)
    if (child.name == "Contents")
      listed.push_back(percent_decode(child.text_of("Key"), true).value());
  std::vector<std::string> expected(std::begin(keys), std::end(keys));
  std::sort(expected.begin(), expected.end());
  CHECK(listed == expected);
}

TEST_CASE("objects: ranges") {
  PhotoRig rig;
  REQUIRE(rig.put("/photos/k", "0123456789").status == 200);
  const auto range = [&](const char* text) { return rig.get("/photos/k", {{"Range", text}}); };
  Answer answer = range("bytes=2-4");
  CHECK(answer.status == 206);
  CHECK(answer.body == "234");
  CHECK(answer.length == 3);
  CHECK(answer.header("Content-Range") == "bytes 2-4/10");
  CHECK(range("bytes=-2").body == "89");
  CHECK(range("bytes=7-").body == "789");
  CHECK(range("bytes=5-100").header("Content-Range") == "bytes 5-9/10");
  answer = range("bytes=-15");
  CHECK(answer.status == 206);
  CHECK(answer.body == "0123456789");
  for (const char* nonsense : {"bytes=4-2", "lines=1-2", "bytes=0-1,3-4", "bytes=x-"}) {
    answer = range(nonsense);
    CHECK(answer.status == 200);
    CHECK(answer.body == "0123456789");
    CHECK_FALSE(answer.headers.has("Content-Range"));
  }
  answer = range("bytes=10-");
  CHECK(answer.status == 416);
  CHECK(answer.code() == "InvalidRange");
  CHECK(answer.text("ActualObjectSize") == "10");
  CHECK(answer.text("RangeRequested") == "bytes=10-");
  CHECK(range("bytes=-0").status == 416);
  answer = rig.head("/photos/k", {{"Range", "bytes=2-4"}});
  CHECK(answer.status == 206);
  CHECK(answer.length == 3);
  CHECK(rig.head("/photos/k", {{"Range", "bytes=20-"}}).status == 416);
  // A condition is told before a range that is not there.
  CHECK(rig.get("/photos/k", {{"Range", "bytes=10-"}, {"If-None-Match", "*"}}).status == 304);
  CHECK(rig.get("/photos/k", {{"Range", "bytes=10-"}, {"If-Match", "x"}}).status == 412);
  // The checksum of the whole goes only with the whole.
  const Fields mode = {{"x-amz-checksum-mode", "ENABLED"}, {"Range", "bytes=0-8"}};
  CHECK_FALSE(rig.get("/photos/k", mode).headers.has("x-amz-checksum-crc64nvme"));

  answer = rig.get("/photos/k?partNumber=1");
  CHECK(answer.status == 206);
  CHECK(answer.header("Content-Range") == "bytes 0-9/10");
  CHECK(rig.get("/photos/k?partNumber=2").code() == "InvalidPartNumber");
  CHECK(rig.get("/photos/k?partNumber=0").code() == "InvalidArgument");
  CHECK(rig.get("/photos/k?partNumber=x").code() == "InvalidArgument");
  CHECK(rig.get("/photos/k?partNumber=1", {{"Range", "bytes=0-1"}}).code() == "InvalidRequest");
}

TEST_CASE("objects: large ones come in pieces, whole and in ranges") {
  PhotoRig rig;
  std::string text;
  for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + ",";
  REQUIRE(rig.put("/photos/large", text).status == 200);
  Answer answer = rig.get("/photos/large");
  CHECK(answer.complete);
  CHECK((answer.body == text));
  answer = rig.get("/photos/large", {{"Range", "bytes=1000001-2000000"}});
  CHECK((answer.body == text.substr(1'000'001, 1'000'000)));
  CHECK(answer.header("ETag") == etag_of(text));
}

TEST_CASE("objects: conditions of reads") {
  PhotoRig rig;
  REQUIRE(rig.put("/photos/k", "x").status == 200);
  const std::string etag = etag_of("x");
  const std::string now = format_http_date(ServiceRig::start_ms);
  const std::string before = format_http_date(ServiceRig::start_ms - 1000);
  rig.clock.advance_ms(60'000);
  const auto status = [&](Fields fields) {
    const int get = rig.get("/photos/k", fields).status;
    CHECK(rig.head("/photos/k", fields).status == get);
    return get;
  };
  CHECK(status({{"If-Match", etag}}) == 200);
  CHECK(status({{"If-Match", "\"other\""}}) == 412);
  CHECK(status({{"If-None-Match", etag}}) == 304);
  CHECK(status({{"If-None-Match", "\"other\""}}) == 200);
  CHECK(status({{"If-Modified-Since", now}}) == 304);
  CHECK(status({{"If-Modified-Since", before}}) == 200);
  CHECK(status({{"If-Unmodified-Since", now}}) == 200);
  CHECK(status({{"If-Unmodified-Since", before}}) == 412);
  CHECK(status({{"If-Match", etag}, {"If-Unmodified-Since", before}}) == 200);
  CHECK(status({{"If-None-Match", etag}, {"If-Modified-Since", before}}) == 304);
  Answer answer = rig.get("/photos/k", {{"If-Match", "\"other\""}});
  CHECK(answer.code() == "PreconditionFailed");
  CHECK(answer.text("Condition") == "If-Match");
  answer = rig.get("/photos/k", {{"If-None-Match", etag}});
  CHECK(answer.body.empty());
  CHECK(answer.header("ETag") == etag);
  CHECK(answer.header("Last-Modified") == now);
}

TEST_CASE("objects: conditions of writes, judged before the body is read") {
  PhotoRig rig;
  CHECK(rig.put("/photos/k", "1", {{"If-None-Match", "*"}}).status == 200);
  Answer answer = rig.put("/photos/k", "2", {{"If-None-Match", "*"}});
  CHECK(answer.status == 412);
  CHECK(answer.text("Condition") == "If-None-Match");
  CHECK_FALSE(rig.body_was_read);
  CHECK(rig.put("/photos/k", "2", {{"If-Match", etag_of("1")}}).status == 200);
  answer = rig.put("/photos/k", "3", {{"If-Match", etag_of("1")}});
  CHECK(answer.status == 412);
  CHECK(answer.text("Condition") == "If-Match");
  CHECK(rig.get("/photos/k").body == "2");
  answer = rig.put("/photos/none", "3", {{"If-Match", etag_of("1")}});
  CHECK(answer.status == 404);
  CHECK(answer.code() == "NoSuchKey");
  answer = rig.put("/photos/k", "3", {{"If-None-Match", "\"x\""}});
  CHECK(answer.status == 501);
  CHECK(answer.text("Header") == "If-None-Match");
  CHECK(rig.put("/photos/k", "3", {{"If-Match", "*"}}).status == 501);
  CHECK(rig.put("/photos/k", "3", {{"If-Match", "x"}, {"If-None-Match", "*"}}).status == 501);

  const auto remove = [&](const char* target, Fields fields) {
    return rig.ask({.method = "DELETE", .target = target, .headers = std::move(fields)}).status;
  };
  CHECK(remove("/photos/k", {{"If-Match", etag_of("1")}}) == 412);
  CHECK(remove("/photos/k", {{"If-Match", etag_of("2")}}) == 204);
  CHECK(remove("/photos/k", {}) == 204);  // nothing there is fine
  CHECK(remove("/photos/k", {{"x-amz-if-match-size", "1"}}) == 501);
}

TEST_CASE("objects: checksums of every algorithm are verified, kept and returned") {
  PhotoRig rig;
  for (const auto algorithm : s3::all_checksum_algorithms) {
    const std::string header(s3::header_of(algorithm));
    CAPTURE(header);
    const Answer put = rig.put("/photos/k", "abc", {{header, sum(algorithm, "abc")}});
    CHECK(put.status == 200);
    CHECK(put.header(header) == sum(algorithm, "abc"));
    const Answer get = rig.get("/photos/k", {{"x-amz-checksum-mode", "ENABLED"}});
    CHECK(get.header(header) == sum(algorithm, "abc"));
    CHECK(get.header("x-amz-checksum-type") == "FULL_OBJECT");
    Answer bad = rig.put("/photos/k", "abd", {{header, sum(algorithm, "abc")}});
    CHECK(bad.status == 400);
    CHECK(bad.code() == "BadDigest");
    CHECK(bad.text("Message") == "The " + std::string(s3::name_of(algorithm)) +
                                     " you specified did not match the calculated checksum.");
    bad = rig.put("/photos/k", "abd", {{header, "nonsense"}});
    CHECK(bad.text("Message") == "Value for " + header + " header is invalid.");
    CHECK_FALSE(rig.body_was_read);
    CHECK(rig.get("/photos/k").body == "abc");
  }
  CHECK(rig.put("/photos/k", "abc",
                {{"x-amz-checksum-crc32", sum(s3::ChecksumAlgorithm::crc32, "abc")},
                 {"x-amz-checksum-sha1", sum(s3::ChecksumAlgorithm::sha1, "abc")}})
            .code() == "InvalidRequest");
  const Answer other = rig.put("/photos/k", "abd", {{"x-amz-checksum-sha512", "AAAA"}});
  CHECK(other.code() == "InvalidRequest");
  CHECK(other.text("Header") == "x-amz-checksum-sha512");
  CHECK_FALSE(rig.body_was_read);
  CHECK(rig.put("/photos/k", "abc", {{"x-amz-sdk-checksum-algorithm", "CRC32"}})
            .headers.has("x-amz-checksum-crc64nvme"));
}

TEST_CASE("objects: Content-MD5, SHA-256 of the head, and lengths are held to") {
  PhotoRig rig;
  CHECK(rig.put("/photos/k", "abc", {{"Content-MD5", to_base64(md5("abc"))}}).status == 200);
  Answer answer = rig.put("/photos/k", "abd", {{"Content-MD5", to_base64(md5("abc"))}});
  CHECK(answer.code() == "BadDigest");
  CHECK(answer.text("CalculatedDigest") == to_base64(md5("abd")));
  CHECK(answer.text("ExpectedDigest") == to_hex(md5("abc")));
  for (const char* bad : {"x", "", "YWJj"})
    CHECK(rig.put("/photos/k", "abc", {{"Content-MD5", bad}}).code() == "InvalidDigest");
  answer = rig.ask({.method = "PUT",
                    .target = "/photos/k",
                    .body = "abc",
                    .payload_hash = to_hex(sha256("other"))});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "XAmzContentSHA256Mismatch");
  CHECK(answer.text("S3ComputedContentSHA256") == to_hex(sha256("abc")));
  CHECK(rig.ask({.method = "PUT",
                 .target = "/photos/k",
                 .body = "abcd",
                 .payload_hash = "UNSIGNED-PAYLOAD"})
            .status == 200);
  CHECK(rig.get("/photos/k").body == "abcd");
  answer = rig.ask({.method = "PUT", .target = "/photos/k", .send_length = false});
  CHECK(answer.status == 411);
  CHECK(answer.code() == "MissingContentLength");
  answer = rig.put("/photos/k", "x", {{"x-amz-meta-a", std::string(2049, 'x')}});
  CHECK(answer.code() == "MetadataTooLarge");
  CHECK_FALSE(rig.body_was_read);
}

// A PUT whose body is in signed or unsigned chunks.
Answer put_chunked(ServiceRig& rig, s3::Payload payload,
                   std::optional<s3::ChecksumAlgorithm> trailer, const std::string& text,
                   s3::Dialect dialect, const std::function<void(std::string&)>& spoil = {}) {
  // Signed first without a body, to learn the seed; then the same request with it.
  Ask ask{.method = "PUT", .target = "/photos/chunked", .dialect = dialect};
  const auto name = [&](const char* aws) { return s3::header_name(aws, dialect); };
  ask.payload_hash = s3::value_name(s3::name_of(payload), dialect);
  ask.headers = {{"Content-Encoding", s3::value_name("aws-chunked", dialect)},
                 {name("x-amz-decoded-content-length"), std::to_string(text.size())}};
  if (trailer)
    ask.headers.emplace_back(name("x-amz-trailer"),
                             s3::header_name(s3::header_of(*trailer), dialect));
  net::Headers headers;
  headers.add("Host", ask.host);
  for (const auto& [field, value] : ask.headers) headers.add(field, value);
  const s3::Signature seed = s3::sign_headers("PUT", ask.target, "", headers, ask.payload_hash,
                                              {.credentials = rig.mine,
                                               .region = ask.region,
                                               .dialect = dialect,
                                               .time_ms = rig.clock.unix_ms()},
                                              rig.keys);
  s3::ChunkWriterParams params{.payload = payload, .trailer = trailer, .dialect = dialect};
  if (payload != s3::Payload::chunked_unsigned_trailer)
    params.signing =
        s3::ChunkSigning{.key = rig.keys.key(rig.mine.secret_access_key, seed.scope, dialect),
                         .seed_signature = seed.signature,
                         .time_ms = rig.clock.unix_ms(),
                         .scope = seed.scope,
                         .dialect = dialect};
  net::StringBody inner(text);
  s3::ChunkedWriter writer(inner, params);
  auto encoded = net::read_all(writer, SIZE_MAX);
  REQUIRE(encoded.ok());
  ask.body = std::move(*encoded);
  if (spoil) spoil(ask.body);
  return rig.ask(ask);
}

TEST_CASE("objects: bodies in chunks, signed and not, with trailers, in both dialects") {
  PhotoRig rig;
  const std::string text(100'000, 'c');
  for (const s3::Dialect dialect : {s3::Dialect::aws, s3::Dialect::svc}) {
    const std::string sum_header = s3::header_name("x-amz-checksum-crc32c", dialect);
    for (const auto payload : {s3::Payload::chunked_signed, s3::Payload::chunked_signed_trailer,
                               s3::Payload::chunked_unsigned_trailer}) {
      std::optional<s3::ChecksumAlgorithm> trailer;
      if (payload != s3::Payload::chunked_signed) trailer = s3::ChecksumAlgorithm::crc32c;
      const Answer answer = put_chunked(rig, payload, trailer, text, dialect);
      CHECK(answer.status == 200);
      CHECK(answer.header("ETag") == etag_of(text));
      if (trailer) CHECK(answer.header(sum_header) == sum(s3::ChecksumAlgorithm::crc32c, text));
      const Answer get = rig.get("/photos/chunked");
      CHECK((get.body == text));
      CHECK_FALSE(get.headers.has("Content-Encoding"));
      REQUIRE(rig.remove("/photos/chunked").status == 204);
    }
  }
  const auto spoiled = [&](s3::Payload payload, const std::function<void(std::string&)>& spoil) {
    const Answer answer =
        put_chunked(rig, payload, s3::ChecksumAlgorithm::crc32c, text, s3::Dialect::aws, spoil);
    CHECK(rig.head("/photos/chunked").status == 404);
    return answer.code();
  };
  CHECK(spoiled(s3::Payload::chunked_signed_trailer, [](std::string& b) { b[500] = 'd'; }) ==
        "SignatureDoesNotMatch");
  CHECK(spoiled(s3::Payload::chunked_unsigned_trailer, [](std::string& b) { b[500] = 'd'; }) ==
        "BadDigest");
  CHECK(spoiled(s3::Payload::chunked_unsigned_trailer,
                [](std::string& b) { b.resize(b.size() / 2); }) == "IncompleteBody");
  const Answer answer = rig.ask({.method = "PUT",
                                 .target = "/photos/chunked",
                                 .body = "0\r\n\r\n",
                                 .payload_hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER"});
  CHECK(answer.code() == "MissingContentLength");
}

TEST_CASE("copies: by reference, with conditions and directives") {
  PhotoRig rig;
  REQUIRE(rig.put("/albums").status == 200);
  REQUIRE(rig.put("/photos/a%20b", "abc",
                  {{"x-amz-meta-color", "red"},
                   {"Content-Type", "text/plain"},
                   {"x-amz-storage-class", "STANDARD_IA"}})
              .status == 200);
  rig.clock.advance_ms(5000);
  Answer answer = rig.put("/albums/copy", "", {{"x-amz-copy-source", "/photos/a%20b"}});
  CHECK(answer.status == 200);
  CHECK(answer.xml().name == "CopyObjectResult");
  CHECK(answer.text("ETag") == etag_of("abc"));
  CHECK(answer.text("LastModified") == "2023-11-14T22:13:25.000Z");
  CHECK(answer.text("ChecksumCRC64NVME") == sum(s3::ChecksumAlgorithm::crc64nvme, "abc"));
  answer = rig.get("/albums/copy");
  CHECK(answer.body == "abc");
  CHECK(answer.header("x-amz-meta-color") == "red");
  CHECK(answer.header("Content-Type") == "text/plain");
  CHECK_FALSE(answer.headers.has("x-amz-storage-class"));

  REQUIRE(rig.put("/albums/copy", "",
                  {{"x-amz-copy-source", "photos/a%20b?versionId=null"},
                   {"x-amz-metadata-directive", "REPLACE"},
                   {"x-amz-meta-size", "large"}})
              .status == 200);
  answer = rig.get("/albums/copy");
  CHECK_FALSE(answer.headers.has("x-amz-meta-color"));
  CHECK(answer.header("x-amz-meta-size") == "large");
  CHECK(answer.header("Content-Type") == "binary/octet-stream");

  const auto copy = [&](const char* target, Fields fields) {
    fields.emplace_back("x-amz-copy-source", "/photos/a%20b");
    return rig.put(target, "", fields);
  };
  answer = copy("/photos/a%20b", {});
  CHECK(answer.code() == "InvalidRequest");
  CHECK(answer.text("Message").starts_with("This copy request is illegal"));
  CHECK(copy("/photos/a%20b", {{"x-amz-metadata-directive", "REPLACE"}}).status == 200);
  CHECK(copy("/photos/a%20b", {{"x-amz-metadata-directive", "SOME"}}).text("Message") ==
        "Unknown metadata directive.");
  CHECK(copy("/photos/c", {{"x-amz-copy-source-if-match", etag_of("abc")}}).status == 200);
  answer = copy("/photos/c", {{"x-amz-copy-source-if-match", "x"}});
  CHECK(answer.status == 412);
  CHECK(answer.text("Condition") == "x-amz-copy-source-If-Match");
  answer = copy("/photos/c", {{"x-amz-copy-source-if-none-match", etag_of("abc")}});
  CHECK(answer.text("Condition") == "x-amz-copy-source-If-None-Match");
  CHECK(copy("/photos/c", {{"If-None-Match", "*"}}).text("Condition") == "If-None-Match");
  CHECK(copy("/photos/d", {{"If-None-Match", "*"}}).status == 200);
  CHECK(copy("/photos/d", {{"If-Match", "x"}}).status == 412);
  CHECK(copy("/photos/e", {{"If-Match", "x"}}).code() == "NoSuchKey");

  answer = rig.put("/photos/c", "", {{"x-amz-copy-source", "/photos/none"}});
  CHECK(answer.code() == "NoSuchKey");
  CHECK(answer.text("Key") == "none");
  CHECK(rig.put("/photos/c", "", {{"x-amz-copy-source", "/none/k"}}).code() == "NoSuchBucket");
  for (const char* bad : {"", "/", "photos", "photos/", "%zz/k"}) {
    CAPTURE(bad);
    CHECK(rig.put("/photos/c", "", {{"x-amz-copy-source", bad}}).code() == "InvalidArgument");
  }
}

TEST_CASE("copies: another checksum takes the bytes") {
  PhotoRig rig;
  const std::string text(1'000'000, 'q');
  REQUIRE(rig.put("/photos/k", text).status == 200);
  const Fields fields = {{"x-amz-copy-source", "/photos/k"},
                         {"x-amz-checksum-algorithm", "SHA256"}};
  Answer answer = rig.put("/photos/copy", "", fields);
  CHECK(answer.status == 200);
  CHECK(answer.complete);
  CHECK(answer.text("ChecksumSHA256") == sum(s3::ChecksumAlgorithm::sha256, text));
  CHECK((rig.get("/photos/copy").body == text));
  CHECK(rig.get("/photos/copy", {{"x-amz-checksum-mode", "ENABLED"}})
            .header("x-amz-checksum-sha256") == sum(s3::ChecksumAlgorithm::sha256, text));
}

TEST_CASE("deletes: one, many, quietly, with faults of their own") {
  PhotoRig rig;
  for (const char* key : {"a", "b", "c", "d"})
    REQUIRE(rig.put("/photos/" + std::string(key), "1").status == 200);
  CHECK(rig.remove("/photos/a").status == 204);
  CHECK(rig.remove("/photos/a").status == 204);
  const auto post = [&](const std::string& body, bool covered = true) {
    Fields fields;
    if (covered) fields.emplace_back("Content-MD5", to_base64(md5(body)));
    return rig.post("/photos?delete", body, fields);
  };
  const auto entry = [](const std::string& key, const std::string& more = {}) {
    return "<Object><Key>" + key + "</Key>" + more + "</Object>";
  };
  Answer answer = post("<Delete>" + entry("b") + entry("none") + "</Delete>");
  CHECK(answer.status == 200);
  CHECK(answer.xml().name == "DeleteResult");
  CHECK(answer.xml().children.size() == 2);
  CHECK(answer.xml().children[1].text_of("Key") == "none");
  CHECK(rig.head("/photos/b").status == 404);

  answer = post("<Delete><Quiet>true</Quiet>" + entry("c", "<VersionId>v1</VersionId>") +
                entry("d", "<ETag>\"x\"</ETag>") + entry(std::string(1025, 'k')) + entry("other") +
                "</Delete>");
  const XmlElement root = answer.xml();
  REQUIRE(root.children.size() == 3);
  CHECK(root.children[0].text_of("Code") == "NoSuchVersion");
  CHECK(root.children[0].text_of("VersionId") == "v1");
  CHECK(root.children[1].text_of("Code") == "PreconditionFailed");
  CHECK(root.children[2].text_of("Code") == "KeyTooLongError");
  CHECK(rig.head("/photos/c").status == 200);
  answer = post("<Delete>" + entry("d", "<ETag>" + to_hex(md5("1")) + "</ETag>") +
                entry("c", "<VersionId>null</VersionId>") + "</Delete>");
  CHECK(answer.xml().children.size() == 2);
  CHECK(rig.head("/photos/c").status == 404);
  CHECK(rig.head("/photos/d").status == 404);

  answer = post("<Delete>" + entry("x") + "</Delete>", false);
  CHECK(answer.status == 400);
  CHECK(answer.text("Message") ==
        "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
  const std::string body = "<Delete>" + entry("x") + "</Delete>";
  CHECK(rig.post("/photos?delete", body,
                 {{"x-amz-checksum-crc32", sum(s3::ChecksumAlgorithm::crc32, body)}})
            .status == 200);
  CHECK(rig.post("/photos?delete", body, {{"Content-MD5", to_base64(md5("other"))}}).code() ==
        "BadDigest");
  CHECK(post("<Delete></Delete>").code() == "MalformedXML");
  CHECK(post("nonsense").code() == "MalformedXML");
  CHECK(post("").status == 400);
  std::string many = "<Delete>";
  for (int i = 0; i < 1000; ++i) many += entry(std::to_string(i));
  CHECK(post(many + "</Delete>").xml().children.size() == 1000);
  CHECK(post(many + entry("1000") + "</Delete>").code() == "MalformedXML");
}

}  // namespace
}  // namespace cairn::s3api::objects_test
