// SPDX-License-Identifier: Apache-2.0
// The rows of the contract's tables that are about limits and conditions, one case each.
#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "objectstore/metadata/rocks_kv.h"
#include "objectstore/core/upload_records.h"
#include "s3api/objects/pump.h"
#include "s3api/service_rig.h"
#include "s3api/objects/source.h"

namespace cairn::s3api::boundaries_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("boundaries: one request brings 5 GiB and not a byte more, and so does a copy") {
  constexpr std::uint64_t gib_5 = 5'368'709'120;
  CHECK(check_put_size(gib_5).ok());
  CHECK(check_put_size(gib_5 + 1).error().code == "EntityTooLarge");
  CHECK(check_copy_size(gib_5).ok());
  CHECK(check_copy_size(gib_5 + 1).error().code == "InvalidRequest");
}

TEST_CASE("boundaries: a part has 5 MiB, unless it is the last") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  constexpr std::size_t mib_5 = 5'242'880;
  for (const std::size_t size : {mib_5 - 1, mib_5}) {
    const std::string id = rig.post("/photos/k?uploads", "", {}).text("UploadId");
    std::string list = "<CompleteMultipartUpload>";
    for (const int number : {1, 10'000}) {
      const std::string body(number == 1 ? size : 1, 'x');
      const Answer part =
          rig.put("/photos/k?partNumber=" + std::to_string(number) + "&uploadId=" + id, body);
      REQUIRE(part.status == 200);
      list += "<Part><ETag>" + part.header("ETag") + "</ETag><PartNumber>" +
              std::to_string(number) + "</PartNumber></Part>";
    }
    const std::string target = "/photos/k?uploadId=" + id;
    const std::string body = list + "</CompleteMultipartUpload>";
    const Answer done = rig.post(target, body, {});
    CHECK(done.status == (size == mib_5 ? 200 : 400));
    if (size != mib_5) {
      CHECK(done.code() == "EntityTooSmall");
      CHECK(done.text("ProposedSize") == "5242879");
      CHECK(done.text("PartNumber") == "1");
      continue;
    }
    // Once is enough: the second completion knows the upload no more.
    CHECK(rig.post(target, body, {}).code() == "NoSuchUpload");
    CHECK(rig.head("/photos/k?partNumber=2").header("x-amz-mp-parts-count") == "2");
  }
  const std::string id = rig.post("/photos/k?uploads", "", {}).text("UploadId");
  for (const char* number : {"0", "10001", "-1", "x"})
    CHECK(rig.put("/photos/k?partNumber=" + std::string(number) + "&uploadId=" + id, "x").code() ==
          "InvalidArgument");
}

// A condition that holds, that does not, or that is not there.
enum class Is { absent, yes, no };

struct CopyCase {
  Is if_match, if_unmodified_since, if_none_match, if_modified_since;
  const char* failed;  // the condition that is named; empty: copied
};

/// Bodies about the size where the way that they go changes.
void check_bodies(ServiceRig& rig) {
  std::string all;
  while (all.size() < (9 << 20) + 5) all += sha256(std::to_string(all.size()));
  const std::size_t large = large_body_bytes, half = large_buffer_bytes / 2;
  for (const std::size_t size :
       {large - 1, large, large + 1, large + half, large + half + 1, large + 2 * half,
        std::size_t{9 << 20}, std::size_t{9 << 20} + 5}) {
    CAPTURE(size);
    const std::string body = all.substr(0, size);
    const Answer put = rig.put("/photos/k", body);
    REQUIRE(put.status == 200);
    CHECK(put.header("ETag") == "\"" + to_hex(md5(body)) + "\"");
    CHECK((rig.get("/photos/k").body == body));
    const Answer wrong = rig.put("/photos/k", body + "!", {{"Content-MD5", to_base64(md5(body))}});
    CHECK(wrong.code() == "BadDigest");
    CHECK(rig.head("/photos/k").header("ETag") == put.header("ETag"));
  }
}

TEST_CASE("boundaries: small and large bodies go by different ways, and come back the same") {
  for (const std::size_t buffers : {64u, 0u}) {
    Options options;
    options.large_buffers_max = buffers;
    ServiceRig rig(options);
    REQUIRE(rig.put("/photos").status == 200);
    check_bodies(rig);
  }
}

TEST_CASE("boundaries: a large body that fails half-way leaves nothing behind") {
  Options options;
  options.large_slabs_kept = 0;  // the memory goes with the request
  ServiceRig rig(options);
  REQUIRE(rig.put("/photos").status == 200);
  const std::string body((9 << 20) + 5, 'b');
  Ask ask{.method = "PUT", .target = "/photos/k", .body = body};
  ask.payload_hash = to_hex(sha256("another"));
  CHECK(rig.ask(ask).code() == "XAmzContentSHA256Mismatch");
  // Five good chunks, then something else.
  ask.payload_hash = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
  ask.headers = {{"x-amz-decoded-content-length", std::to_string(body.size())},
                 {"x-amz-trailer", "x-amz-checksum-crc32"},
                 {"Content-Encoding", "aws-chunked"}};
  ask.body.clear();
  for (int i = 0; i < 5; ++i) ask.body += "100000\r\n" + body.substr(0, 1 << 20) + "\r\n";
  ask.body += std::string(4 << 20, '!');
  for (int i = 0; i < 5; ++i) {
    const Answer broken = rig.ask(ask);
    CHECK(broken.status == 400);
    CHECK(rig.get("/photos/k").code() == "NoSuchKey");
  }
  rig.files.set_capacity(rig.files.used_bytes() + (3 << 20));
  rig.clock.advance_ms(1000);
  CHECK(rig.put("/photos/k", body).status == 503);
  rig.files.set_capacity(1ull << 40);
  rig.clock.advance_ms(1000);
  CHECK(rig.put("/photos/k", body).status == 200);
  CHECK((rig.get("/photos/k").body == body));
}

TEST_CASE("copies: the table of conditions, row by row") {
  using enum Is;
  const CopyCase cases[] = {
      {yes, no, absent, absent, ""},
      {yes, yes, yes, yes, ""},
      {no, yes, yes, yes, "x-amz-copy-source-If-Match"},
      {no, absent, absent, absent, "x-amz-copy-source-If-Match"},
      {absent, no, absent, absent, "x-amz-copy-source-If-Unmodified-Since"},
      {absent, no, yes, yes, "x-amz-copy-source-If-Unmodified-Since"},
      {absent, absent, no, yes, "x-amz-copy-source-If-None-Match"},
      {absent, yes, no, yes, "x-amz-copy-source-If-None-Match"},
      {absent, yes, no, no, "x-amz-copy-source-If-None-Match"},
      {absent, absent, yes, no, ""},
      {absent, absent, absent, no, "x-amz-copy-source-If-Modified-Since"},
      {absent, absent, absent, yes, ""},
      {absent, absent, absent, absent, ""},
  };
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  REQUIRE(rig.put("/photos/k", "abc").status == 200);
  const std::string etag = "\"" + to_hex(md5("abc")) + "\"";
  const std::string before = format_http_date(rig.clock.unix_ms() - 60'000);
  const std::string now = format_http_date(rig.clock.unix_ms());
  rig.clock.advance_ms(120'000);
  const std::string id = rig.post("/photos/up?uploads", "", {}).text("UploadId");
  for (const CopyCase& c : cases) {
    Fields fields = {{"x-amz-copy-source", "/photos/k"}};
    const auto add = [&](Is is, const char* name, const std::string& yes_value,
                         const std::string& no_value) {
      if (is != absent)
        fields.emplace_back(std::string("x-amz-copy-source-") + name,
                            is == yes ? yes_value : no_value);
    };
    add(c.if_match, "if-match", etag, "\"x\"");
    add(c.if_unmodified_since, "if-unmodified-since", now, before);
    add(c.if_none_match, "if-none-match", "\"x\"", etag);
    add(c.if_modified_since, "if-modified-since", before, now);
    for (const std::string& target :
         {std::string("/photos/copy"), "/photos/up?partNumber=1&uploadId=" + id}) {
      CAPTURE(target);
      CAPTURE(c.failed);
      const Answer answer = rig.put(target, "", fields);
      CHECK(answer.status == (*c.failed == '\0' ? 200 : 412));
      if (*c.failed != '\0') CHECK(answer.text("Condition") == c.failed);
    }
  }
}

// Rows of parts that say they are larger than what lies there: no disk has to hold 5 TiB.
void pretend_sizes(ServiceRig& rig, const std::string& id,
                   const std::function<std::uint64_t(int)>& size_of) {
  rig.restart({}, [&] {
    auto kv = objectstore::RocksKv::open(rig.files, "/data/objects/meta", {});
    REQUIRE(kv.ok());
    const std::uint64_t upload = *objectstore::upload_serial(id);
    const std::string first = objectstore::part_prefix(upload);
    objectstore::KvBatch batch;
    {
      const auto opened = (*kv)->cursor(objectstore::Table::system, "");
      REQUIRE(opened.ok());
      objectstore::KvCursor* const cursor = opened->get();
      for (cursor->seek(first); cursor->valid(); cursor->next()) {
        if (!cursor->key().starts_with(first)) break;
        auto part = objectstore::decode_part(cursor->key(), cursor->value());
        REQUIRE(part.ok());
        part->part.size_bytes = size_of(part->part.number);
        part->extents.front().size_bytes = part->part.size_bytes;
        batch.put(objectstore::Table::system, std::string(cursor->key()),
                  objectstore::encode_part(part->part, upload, part->extents));
      }
    }
    REQUIRE((*kv)->write(batch).ok());
  });
}

std::string list_of(int parts, const std::string& etag) {
  std::string list = "<CompleteMultipartUpload>";
  for (int number = 1; number <= parts; ++number)
    list += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + etag +
            "</ETag></Part>";
  return list + "</CompleteMultipartUpload>";
}

constexpr std::uint64_t tib_5 = 5'497'558'138'880;

TEST_CASE("boundaries: an object has 5 TiB and not a byte more") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const std::string id = rig.post("/photos/k?uploads", "").text("UploadId");
  constexpr int parts = 1024;  // of 5 GiB
  std::string etag;
  for (int number = 1; number <= parts; ++number)
    etag = rig.put("/photos/k?partNumber=" + std::to_string(number) + "&uploadId=" + id, "x")
               .header("ETag");
  const std::string target = "/photos/k?uploadId=" + id;
  for (const std::uint64_t more : {1, 0}) {
    pretend_sizes(rig, id,
                  [&](int number) { return tib_5 / parts + (number == parts ? more : 0); });
    const Answer done = rig.post(target, list_of(parts, etag),
                                 {{"x-amz-mp-object-size", std::to_string(tib_5 + more)}});
    CHECK(done.status == (more == 0 ? 200 : 400));
    if (more == 0) break;
    CHECK(done.code() == "EntityTooLarge");
    CHECK(done.text("Message") == "Your proposed upload exceeds the maximum allowed size");
    CHECK(done.text("ProposedSize") == "5497558138881");
    CHECK(done.text("MaxSizeAllowed") == "5497558138880");
  }
  CHECK(rig.head("/photos/k").length == tib_5);
  CHECK(rig.get("/photos").text("Contents/Size") == "5497558138880");
  // What is that large is no source of a copy, but for a part of at most 5 GiB.
  const Answer copy = rig.put("/photos/c", "", {{"x-amz-copy-source", "/photos/k"}});
  CHECK(copy.status == 400);
  CHECK(copy.code() == "InvalidRequest");
  CHECK(copy.text("Message") ==
        "The specified copy source is larger than the maximum allowable size for a copy source: "
        "5368709120");
  const std::string other = rig.post("/photos/c?uploads", "").text("UploadId");
  const auto part = [&](const Fields& range) {
    Fields fields = {{"x-amz-copy-source", "/photos/k"}};
    fields.insert(fields.end(), range.begin(), range.end());
    return rig.put("/photos/c?partNumber=1&uploadId=" + other, "", fields);
  };
  CHECK(part({}).code() == "InvalidRequest");
  CHECK(part({{"x-amz-copy-source-range", "bytes=0-5368709120"}}).code() == "InvalidRequest");
  CHECK(part({{"x-amz-copy-source-range", "bytes=5497558138879-5497558138880"}}).code() ==
        "InvalidArgument");
  CHECK(part({{"x-amz-copy-source-range", "bytes=5497558138880-5497558138880"}}).code() ==
        "InvalidRequest");
}

TEST_CASE("boundaries: an upload has 10,000 parts of at least 5 MiB") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  const std::string id = rig.post("/photos/k?uploads", "").text("UploadId");
  constexpr int parts = 10'000;
  constexpr std::uint64_t mib_5 = 5'242'880;
  const std::string target = "/photos/k?uploadId=" + id;
  std::string etag;
  for (int number = 1; number <= parts; ++number) {
    const Answer part =
        rig.put("/photos/k?partNumber=" + std::to_string(number) + "&uploadId=" + id, "x");
    REQUIRE(part.status == 200);
    etag = part.header("ETag");
  }
  const Answer page = rig.get(target + "&part-number-marker=8999");
  CHECK(page.text("IsTruncated") == "true");
  CHECK(page.text("NextPartNumberMarker") == "9999");
  CHECK(rig.get(target + "&part-number-marker=9999").text("IsTruncated") == "false");
  pretend_sizes(rig, id, [&](int number) { return number == 9'999 ? mib_5 - 1 : mib_5; });
  const Answer refused = rig.post(target, list_of(parts, etag));
  CHECK(refused.code() == "EntityTooSmall");
  CHECK(refused.text("PartNumber") == "9999");
  pretend_sizes(rig, id, [&](int number) { return number == parts ? 1 : mib_5; });
  const Answer done = rig.post(target, list_of(parts, etag));
  CHECK(done.status == 200);
  CHECK(done.text("ETag").ends_with("-10000\""));
  CHECK(rig.head("/photos/k").length == mib_5 * (parts - 1) + 1);
  CHECK(rig.head("/photos/k?partNumber=10000").header("x-amz-mp-parts-count") == "10000");
}

}  // namespace
}  // namespace cairn::s3api::boundaries_test
