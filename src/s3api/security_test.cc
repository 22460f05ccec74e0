// SPDX-License-Identifier: Apache-2.0
// What attackers of services like this one have tried: bodies that are not what was signed, side
// doors to objects of others, and fields that only a service itself may write.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "gate/audit.h"
#include "os/files/test_folder.h"
#include "s3/signing/chunked.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::security_test {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Spoil = std::string (*)(std::string);

std::string as_it_is(std::string body) { return body; }

// A PUT in one of the forms of a body; `spoil` changes what is sent after it was signed.
Answer put_as(ServiceRig& rig, s3::Payload payload, const std::string& secret, Spoil spoil) {
  const std::string text(100'000, 'x');
  const bool chunked = s3::is_chunked(payload);
  const bool trailer = payload == s3::Payload::chunked_signed_trailer ||
                       payload == s3::Payload::chunked_unsigned_trailer;
  net::Headers headers;
  headers.add("Host", "127.0.0.1:9000");
  if (chunked) headers.add("x-amz-decoded-content-length", std::to_string(text.size()));
  if (trailer) headers.add("x-amz-trailer", "x-amz-checksum-crc32");
  const std::string hash =
      payload == s3::Payload::hashed ? to_hex(sha256(text)) : std::string(s3::name_of(payload));
  const s3::Signature signature = s3::sign_headers("PUT", "/bkt/k", "", headers, hash,
                                                   {.credentials = {rig.mine.access_key_id, secret},
                                                    .region = "us-east-1",
                                                    .time_ms = rig.clock.unix_ms()},
                                                   rig.keys);
  std::string body = text;
  if (chunked) {
    net::StringBody inner(text);
    s3::ChunkWriterParams params{.payload = payload};
    if (trailer) params.trailer = s3::ChecksumAlgorithm::crc32;
    if (payload != s3::Payload::chunked_unsigned_trailer)
      params.signing =
          s3::ChunkSigning{.key = rig.keys.key(secret, signature.scope, s3::Dialect::aws),
                           .seed_signature = signature.signature,
                           .time_ms = rig.clock.unix_ms(),
                           .scope = signature.scope};
    s3::ChunkedWriter writer(inner, params);
    auto encoded = net::read_all(writer, SIZE_MAX);
    REQUIRE(encoded.ok());
    body = std::move(*encoded);
  }
  Fields fields;
  for (const auto& [name, value] : headers.fields())
    if (name != "Host") fields.emplace_back(name, value);
  return rig.ask({.method = "PUT",
                  .target = "/bkt/k",
                  .headers = std::move(fields),
                  .body = spoil(std::move(body)),
                  .sign = false});
}

std::string change_at(std::string body, std::string_view mark) {
  const std::size_t at = body.rfind(mark);
  REQUIRE(at != std::string::npos);
  char& c = body[at + mark.size()];
  c = c == '0' ? '1' : '0';
  return body;
}

TEST_CASE("security: no form of a body leaves an object where anything of it is not as signed") {
  using enum s3::Payload;
  const Spoil wrong_byte = [](std::string body) {
    body[50'000] = 'y';
    return body;
  };
  const Spoil wrong_chunk = [](std::string body) {
    return change_at(std::move(body), "chunk-signature=");
  };
  const Spoil wrong_trailer = [](std::string body) {
    return change_at(std::move(body), "x-amz-checksum-crc32:");
  };
  const Spoil no_trailer = [](std::string body) {
    const std::size_t at = body.rfind("x-amz-checksum-crc32:");
    return body.substr(0, at) + "\r\n";
  };
  const Spoil wrong_trailer_signature = [](std::string body) {
    return change_at(std::move(body), "x-amz-trailer-signature:");
  };
  const Spoil no_trailer_signature = [](std::string body) {
    const std::size_t at = body.rfind("x-amz-trailer-signature:");
    return body.substr(0, at) + "\r\n";
  };
  const Spoil more = [](std::string body) { return body + "more"; };
  const Spoil cut = [](std::string body) { return body.substr(0, body.size() - 3); };
  const struct {
    s3::Payload payload;
    std::vector<Spoil> spoils;
  } forms[] = {
      {hashed, {wrong_byte, more, cut}},
      {unsigned_, {}},
      {chunked_signed, {wrong_byte, wrong_chunk, more, cut}},
      {chunked_signed_trailer,
       {wrong_byte, wrong_chunk, wrong_trailer, no_trailer, wrong_trailer_signature,
        no_trailer_signature, more, cut}},
      {chunked_unsigned_trailer, {wrong_byte, wrong_trailer, no_trailer, more, cut}},
  };
  for (const auto& form : forms) {
    CAPTURE(s3::name_of(form.payload));
    ServiceRig rig;
    REQUIRE(rig.put("/bkt").status == 200);
    const std::string& secret = rig.mine.secret_access_key;
    CHECK(put_as(rig, form.payload, secret + "x", as_it_is).code() == "SignatureDoesNotMatch");
    CHECK_FALSE(rig.body_was_read);
    for (std::size_t i = 0; i < form.spoils.size(); ++i) {
      CAPTURE(i);
      const Answer answer = put_as(rig, form.payload, secret, form.spoils[i]);
      CHECK((answer.status == 400 || answer.status == 403));
      CHECK(rig.get("/bkt/k").status == 404);
    }
    CHECK(put_as(rig, form.payload, secret, as_it_is).status == 200);
    CHECK(rig.get("/bkt/k").body == std::string(100'000, 'x'));
  }
}

TEST_CASE("security: every way to read asks for the right, and none reads a byte before") {
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt/k", std::string(1 << 20, 's')).status == 200);
  REQUIRE(rig.ask({.method = "PUT", .target = "/own", .credentials = rig.theirs}).status == 200);
  const std::string id =
      rig.ask({.method = "POST", .target = "/own/up?uploads", .credentials = rig.theirs})
          .text("UploadId");
  const Fields source = {{"x-amz-copy-source", "bkt/k"}};
  const Fields version = {{"x-amz-copy-source", "bkt/k?versionId=null"}};
  const std::string part = "/own/up?partNumber=1&uploadId=" + id;
  const struct {
    const char* method;
    std::string target;
    Fields fields;
  } ways[] = {
      {"GET", "/bkt/k", {}},
      {"HEAD", "/bkt/k", {}},
      {"GET", "/bkt/k?versionId=null", {}},
      {"GET", "/bkt/k?partNumber=1", {}},
      {"GET", "/bkt/k", {{"Range", "bytes=0-9"}}},
      {"GET", "/bkt/k?attributes", {{"x-amz-object-attributes", "ETag"}}},
      {"GET", "/bkt/k?tagging", {}},
      {"GET", "/bkt/k?acl", {}},
      {"GET", "/bkt/none", {}},
      {"PUT", "/own/copy", source},
      {"PUT", "/own/copy", version},
      {"PUT", part, source},
      {"PUT", part, version},
      {"PUT", part, {source.front(), {"x-amz-copy-source-range", "bytes=0-9"}}},
  };
  rig.restart();
  int reads = 0;
  rig.files.on_call([&](std::string_view call, const std::string& path) {
    if (call.starts_with("read") && path.find("extents") != std::string::npos) ++reads;
    return ok_status();
  });
  for (const auto& way : ways) {
    CAPTURE(way.method);
    CAPTURE(way.target);
    const Answer answer = rig.ask({.method = way.method,
                                   .target = way.target,
                                   .headers = way.fields,
                                   .credentials = rig.theirs});
    CHECK(answer.status == 403);
    CHECK(reads == 0);
  }
  CHECK(rig.ask({.target = "/own/copy", .credentials = rig.theirs}).status == 404);
  CHECK(rig.get("/bkt/k").body.size() == 1 << 20);
  CHECK(reads > 0);
}

TEST_CASE("security: fields that only services write among themselves change nothing") {
  const Fields hostile = {
      {"x-amz-replication-status", "REPLICA"},
      {"x-amz-restore", "ongoing-request=\"false\""},
      {"x-amz-delete-marker", "true"},
      {"x-amz-version-id", "0123456789abcdef0123456789abcdef"},
      {"x-amz-mp-parts-count", "5"},
      {"x-amz-missing-meta", "1"},
      {"x-amz-expiration", "never"},
      {"x-amz-archive-status", "DEEP_ARCHIVE_ACCESS"},
      {"x-amz-object-size", "1"},
      {"x-amz-checksum-type", "COMPOSITE"},
      {"x-amz-request-id", "mine"},
      {"x-amz-id-2", "mine"},
      {"x-amz-bucket-region", "elsewhere"},
      {"x-minio-source-replication-request", "true"},
      {"x-minio-replication-server-side-encryption-sealed-key", "AAAA"},
      {"x-minio-replication-server-side-encryption-seal-algorithm", "DAREv2-HMAC-SHA256"},
      {"x-minio-internal-actual-size", "1"},
      {"x-rgw-quota-bytes", "1"},
      {"x-rgw-replicated-from", "elsewhere"},
      {"x-cairn-owner", std::string(64, '2')},
      {"x-cairn-sealed-key", "AAAA"},
      {"ETag", "\"00000000000000000000000000000000\""},
      {"Last-Modified", "Mon, 13 Nov 2023 22:13:20 GMT"},
  };
  ServiceRig rig;
  REQUIRE(rig.put("/bkt").status == 200);
  REQUIRE(rig.put("/bkt/clean", "bytes").status == 200);
  const Answer clean = rig.get("/bkt/clean");
  for (const auto& [name, value] : hostile) {
    CAPTURE(name);
    const Answer put = rig.put("/bkt/k", "bytes", {{name, value}});
    CHECK((put.status == 200 || put.status == 400 || put.status == 501));
    if (put.status != 200) continue;
    const Answer got = rig.get("/bkt/k");
    CHECK(got.status == 200);
    CHECK(got.body == "bytes");
    CHECK(got.headers.fields() == clean.headers.fields());
    // As metadata it is a word of the client's, and no more.
    REQUIRE(rig.put("/bkt/meta", "bytes", {{"x-amz-meta-" + lower_ascii(name), "word"}}).status ==
            200);
    const Answer meta = rig.get("/bkt/meta");
    CHECK(meta.body == "bytes");
    CHECK(meta.header("x-amz-meta-" + lower_ascii(name)) == "word");
    CHECK(meta.header("ETag") == clean.header("ETag"));
  }
}

TEST_CASE("audit: who has the answer finds its line") {
  ServiceRig rig;
  const os::TestFolder folder;
  const auto audit = gate::AuditLog::open(os::system_files(), rig.clock, {.folder = folder.path});
  REQUIRE(audit.ok());
  const auto key = std::make_shared<const auth::ObjectKey>(
      auth::ObjectKey{.access_key_id = rig.mine.access_key_id,
                      .secret = rig.mine.secret_access_key,
                      .account_id = std::string(12, '1'),
                      .canonical_id = std::string(64, '1'),
                      .user = "alice",
                      .active = true,
                      .creation_ms = 0});
  rig.service = std::make_unique<Service>(ServiceParams{
      .engine = *rig.engine,
      .find_key = [key](std::string_view id) { return id == key->access_key_id ? key : nullptr; },
      .clock = rig.clock,
      .audit = audit->get()});
  std::string lines;
  rig.before_reply = [&] {
    lines = os::read_file(os::system_files(), folder / "audit.jsonl", 1 << 20).value_or("");
  };
  const auto last_line = [&] {
    const std::size_t before = lines.size() < 2 ? std::string::npos
                                                : lines.rfind('\n', lines.size() - 2);
    return lines.substr(before == std::string::npos ? 0 : before + 1);
  };
  CHECK(rig.put("/bkt").status == 200);
  CHECK(last_line().find(R"("action":"CreateBucket")") != std::string::npos);
  CHECK(last_line().find(R"("http.status":200)") != std::string::npos);
  CHECK(rig.ask({.target = "/bkt", .sign = false}).status == 403);
  CHECK(last_line().find(R"("event.action":"access_denied")") != std::string::npos);
  CHECK(rig.put("/bkt/k", "bytes").status == 200);  // objects are not written down
  CHECK(rig.ask({.target = "/bkt", .credentials = rig.theirs}).status == 403);
  CHECK(last_line().find(R"("event.action":"authentication_failed")") != std::string::npos);
  CHECK(rig.remove("/bkt/k").status == 204);
  CHECK(rig.remove("/bkt").status == 204);
  CHECK(last_line().find(R"("action":"DeleteBucket")") != std::string::npos);
  CHECK(last_line().find(R"("http.status":204)") != std::string::npos);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 4);
}

}  // namespace
}  // namespace cairn::s3api::security_test
