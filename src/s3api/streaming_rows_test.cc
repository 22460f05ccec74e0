// SPDX-License-Identifier: Apache-2.0
// Bodies in chunks that are signed as SigV4A signs; and what names a body's form wrongly.
#include <doctest/doctest.h>

#include <algorithm>

#include "base/encode.h"
#include "base/hash.h"
#include "base/strings.h"
#include "format/time.h"
#include "s3/signing/asymmetric.h"
#include "s3/signing/canonical.h"
#include "s3/signing/chunked.h"
#include "s3api/service_rig.h"

namespace cairn::s3api::streaming_rows_test {
namespace {

struct Streamed {
  s3::Payload payload = s3::Payload::chunked_ecdsa_signed;
  bool with_trailer = false;
  s3::Dialect dialect = s3::Dialect::aws;
  std::string region_set = "us-east-1,eu-*";
  bool spoilt = false;
};

// A request whose head and chunks are signed with the pair of keys of the rig's account.
Answer put_streamed(ServiceRig& rig, const std::string& text, const Streamed& how) {
  const auto name = [&](const char* aws) { return s3::header_name(aws, how.dialect); };
  const s3::Scope scope{.date = format_basic_iso8601(rig.clock.unix_ms()).substr(0, 8),
                        .region = ""};
  const std::string hash = s3::value_name(s3::name_of(how.payload), how.dialect);
  std::vector<std::pair<std::string, std::string>> fields = {
      {"Host", "127.0.0.1:9000"},
      {name("x-amz-content-sha256"), hash},
      {name("x-amz-date"), format_basic_iso8601(rig.clock.unix_ms())},
      {name("x-amz-decoded-content-length"), std::to_string(text.size())},
      {name("x-amz-region-set"), how.region_set}};
  if (how.with_trailer) fields.emplace_back(name("x-amz-trailer"), name("x-amz-checksum-crc32"));
  net::Headers headers;
  std::vector<std::string> names;
  for (const auto& [field, value] : fields) {
    headers.add(field, value);
    names.push_back(lower_ascii(field));
  }
  std::sort(names.begin(), names.end());
  const auto pair = rig.keys.pair(rig.mine.access_key_id, rig.mine.secret_access_key, how.dialect);
  REQUIRE(pair.ok());
  const std::string canonical = s3::canonical_request({.method = "PUT",
                                                       .path = "/photos/k",
                                                       .query = "",
                                                       .headers = headers,
                                                       .signed_headers = names,
                                                       .payload_hash = hash});
  const std::string seed = to_hex((*pair)->sign(
      s3::string_to_sign(canonical, rig.clock.unix_ms(), scope, how.dialect, s3::ecdsa_algorithm)));
  fields.erase(fields.begin());  // the rig's own
  fields.emplace_back("Authorization",
                      s3::value_name(s3::ecdsa_algorithm, how.dialect) +
                          " Credential=" + rig.mine.access_key_id + "/" + scope.text(how.dialect) +
                          ", SignedHeaders=" + join(names, ";") + ", Signature=" + seed);
  net::StringBody inner(text);
  s3::ChunkedWriter writer(
      inner,
      {.payload = how.payload,
       .trailer = how.with_trailer ? std::optional(s3::ChecksumAlgorithm::crc32) : std::nullopt,
       .signing = s3::ChunkSigning{.seed_signature = seed,
                                   .time_ms = rig.clock.unix_ms(),
                                   .scope = scope,
                                   .dialect = how.dialect,
                                   .pair = *pair}});
  auto encoded = net::read_all(writer, SIZE_MAX);
  REQUIRE(encoded.ok());
  if (how.spoilt) (*encoded)[300] ^= 1;
  return rig.ask({.method = "PUT",
                  .target = "/photos/k",
                  .headers = std::move(fields),
                  .body = std::move(*encoded),
                  .sign = false});
}

TEST_CASE("streaming rows: chunks signed with SigV4A, with and without a signed trailer") {
  ServiceRig rig(Options{.accept_any_region = false});
  REQUIRE(rig.put("/photos").status == 200);
  const std::string text(100'000, 'c');
  for (const s3::Dialect dialect : {s3::Dialect::aws, s3::Dialect::svc})
    for (const bool with_trailer : {false, true}) {
      Streamed how{.payload = with_trailer ? s3::Payload::chunked_ecdsa_signed_trailer
                                           : s3::Payload::chunked_ecdsa_signed,
                   .with_trailer = with_trailer,
                   .dialect = dialect};
      CHECK(put_streamed(rig, text, how).status == 200);
      CHECK((rig.get("/photos/k").body == text));
      REQUIRE(rig.remove("/photos/k").status == 204);
      how.spoilt = true;
      CHECK(put_streamed(rig, text, how).code() == "SignatureDoesNotMatch");
      CHECK(rig.head("/photos/k").status == 404);
      how.spoilt = false;
      how.region_set = "ap-south-1";
      const Answer elsewhere = put_streamed(rig, text, how);
      CHECK(elsewhere.code() == "AuthorizationHeaderMalformed");
      CHECK(elsewhere.text("Region") == "us-east-1");
    }
}

TEST_CASE("streaming rows: head and chunks are signed by one algorithm") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  CHECK(put_streamed(rig, "abc", {.payload = s3::Payload::chunked_signed}).code() ==
        "InvalidArgument");
  const Answer answer = rig.ask({.method = "PUT",
                                 .target = "/photos/k",
                                 .headers = {{"x-amz-decoded-content-length", "3"}},
                                 .body = "0\r\n\r\n",
                                 .payload_hash = "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD"});
  CHECK(answer.status == 400);
  CHECK(answer.code() == "InvalidArgument");
  CHECK(answer.text("ArgumentName") == "x-amz-content-sha256");
}

TEST_CASE("streaming rows: a clock that is off by more than a quarter of an hour") {
  ServiceRig rig;
  REQUIRE(rig.put("/photos").status == 200);
  for (const std::int64_t off_s : {-901, 901, -900, 900}) {
    CAPTURE(off_s);
    const std::int64_t server_ms = rig.clock.unix_ms();
    Ask ask{.target = "/photos"};
    ask.clock_off_ms = off_s * 1000;
    const Answer answer = rig.ask(ask);
    if (off_s == 900 || off_s == -900) {
      CHECK(answer.status == 200);
      continue;
    }
    CHECK(answer.status == 403);
    CHECK(answer.code() == "RequestTimeTooSkewed");
    CHECK(answer.text("Message") ==
          "The difference between the request time and the current time is too large.");
    CHECK(answer.text("RequestTime") == format_basic_iso8601(server_ms + off_s * 1000));
    CHECK(parse_iso8601(answer.text("ServerTime")) == server_ms / 1000 * 1000);
    CHECK(answer.text("MaxAllowedSkewMilliseconds") == "900000");
  }
}

}  // namespace
}  // namespace cairn::s3api::streaming_rows_test
