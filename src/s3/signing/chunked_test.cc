// SPDX-License-Identifier: Apache-2.0
#include "s3/signing/chunked.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/encode.h"
#include "base/hash.h"
#include "format/time.h"
#include "s3/signing/asymmetric.h"

namespace cairn::s3::chunked_test {
namespace {

// A body in memory that comes in pieces of at most `step` bytes.
class TextBody final : public net::BodyReader {
 public:
  explicit TextBody(std::string text, std::size_t step = SIZE_MAX)
      : text_(std::move(text)), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), step_, text_.size() - at_});
    std::memcpy(into.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }
  std::optional<std::uint64_t> length() const override { return text_.size(); }
  const net::Headers& trailers() const override { return none_; }

 private:
  std::string text_;
  std::size_t step_, at_ = 0;
  net::Headers none_;
};

struct Outcome {
  std::string text;  // what came before the end or the fault
  std::string code;  // empty: read to the end
  std::string trailer;
};

Outcome decode(const std::string& encoded, const ChunkedParams& params,
               std::size_t step = SIZE_MAX) {
  TextBody inner(encoded, step);
  ChunkedReader reader(inner, params);
  Outcome out;
  char buffer[1000];
  while (true) {
    const auto count = reader.read(buffer);
    if (!count.ok()) {
      out.code = count.error().code;
      CHECK_FALSE(reader.read(buffer).ok());  // a fault stays
      return out;
    }
    if (*count == 0) break;
    out.text.append(buffer, *count);
  }
  if (!params.trailer_name.empty())
    out.trailer = std::string(reader.trailers().find(params.trailer_name).value_or(""));
  return out;
}

std::string encode(const std::string& text, const ChunkWriterParams& params,
                   std::size_t step = SIZE_MAX) {
  TextBody inner(text);
  ChunkedWriter writer(inner, params);
  std::string out;
  std::string buffer(std::min<std::size_t>(step, 100'000), '\0');
  while (true) {
    const auto count = writer.read(buffer);
    REQUIRE(count.ok());
    if (*count == 0) break;
    out.append(buffer, 0, *count);
  }
  CHECK(writer.length() == out.size());
  return out;
}

ChunkSigning example_signing(std::string seed) {
  SigningKeys keys;
  const Scope scope{.date = "20130524", .region = "us-east-1"};
  return {.key = keys.key("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", scope, Dialect::aws),
          .seed_signature = std::move(seed),
          .time_ms = *parse_basic_iso8601("20130524T000000Z"),
          .scope = scope};
}

const std::string a66560(66'560, 'a');

TEST_CASE("chunked: the worked example of signed chunks") {
  const auto signing =
      example_signing("4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9");
  const std::string encoded =
      "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n" +
      std::string(65'536, 'a') +
      "\r\n400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"
      "\r\n" +
      std::string(1024, 'a') +
      "\r\n0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"
      "\r\n\r\n";
  CHECK(encode(a66560, {.payload = Payload::chunked_signed, .signing = signing}) == encoded);
  CHECK(encoded.size() == 66'824);
  const ChunkedParams params{
      .payload = Payload::chunked_signed, .decoded_length = 66'560, .signing = signing};
  for (const std::size_t step : {SIZE_MAX, std::size_t{1}, std::size_t{17}, std::size_t{8192}}) {
    const Outcome out = decode(encoded, params, step);
    CHECK(out.code.empty());
    CHECK(out.text == a66560);
  }
}

TEST_CASE("chunked: the worked example of signed chunks with a trailer") {
  const auto signing =
      example_signing("106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e");
  const std::string encoded = encode(a66560, {.payload = Payload::chunked_signed_trailer,
                                              .trailer = ChecksumAlgorithm::crc32c,
                                              .signing = signing});
  CHECK(encoded.ends_with(
      "\r\n0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
      "x-amz-checksum-crc32c:sOO8/Q==\r\n"
      "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435"
      "\r\n\r\n"));
  const ChunkedParams params{.payload = Payload::chunked_signed_trailer,
                             .decoded_length = 66'560,
                             .trailer_name = "x-amz-checksum-crc32c",
                             .signing = signing};
  const Outcome out = decode(encoded, params);
  CHECK(out.code.empty());
  CHECK(out.text == a66560);
  CHECK(out.trailer == "sOO8/Q==");
  std::string forged = encoded;
  forged[forged.size() - 5] ^= 1;
  CHECK(decode(forged, params).code == "SignatureDoesNotMatch");
  forged = encoded;
  forged.replace(forged.find("sOO8"), 4, "sOO9");
  CHECK(decode(forged, params).code == "SignatureDoesNotMatch");
}

TEST_CASE("chunked: signed as SigV4A signs, with signatures that are filled up") {
  ChunkSigning signing{.seed_signature = "3045",
                       .time_ms = *parse_basic_iso8601("20130524T000000Z"),
                       .scope = {.date = "20130524", .region = ""}};
  for (const Dialect dialect : {Dialect::aws, Dialect::svc}) {
    signing.dialect = dialect;
    auto pair = AsymmetricKey::derive("AKID", "secret", dialect);
    REQUIRE(pair.ok());
    signing.pair = std::make_shared<const AsymmetricKey>(std::move(*pair));
    const std::string encoded = encode(a66560, {.payload = Payload::chunked_ecdsa_signed_trailer,
                                                .trailer = ChecksumAlgorithm::crc32c,
                                                .signing = signing});
    CHECK(encoded.starts_with("10000;chunk-signature=30"));
    CHECK(encoded.find("\r\n") == 5 + 17 + 144);
    const ChunkedParams params{.payload = Payload::chunked_ecdsa_signed_trailer,
                               .decoded_length = 66'560,
                               .trailer_name = header_name("x-amz-checksum-crc32c", dialect),
                               .signing = signing};
    const Outcome out = decode(encoded, params);
    CHECK(out.code.empty());
    CHECK(out.text == a66560);
    CHECK(out.trailer == "sOO8/Q==");
    std::string forged = encoded;
    forged[300] = 'b';
    CHECK(decode(forged, params).code == "SignatureDoesNotMatch");
    forged = encoded;
    forged[23] = 'x';
    CHECK(decode(forged, params).code == "SignatureDoesNotMatch");
    forged = encoded;
    forged.replace(forged.find("sOO8"), 4, "sOO9");
    CHECK(decode(forged, params).code == "SignatureDoesNotMatch");
    ChunkedParams other = params;
    other.signing->seed_signature = "3046";
    CHECK(decode(encoded, other).code == "SignatureDoesNotMatch");
    const std::string plain =
        encode("abc", {.payload = Payload::chunked_ecdsa_signed, .signing = signing});
    CHECK(
        decode(plain,
               {.payload = Payload::chunked_ecdsa_signed, .decoded_length = 3, .signing = signing})
            .text == "abc");
    CHECK(
        decode("3\r\nabc\r\n0\r\n\r\n",
               {.payload = Payload::chunked_ecdsa_signed, .decoded_length = 3, .signing = signing})
            .code == "InvalidRequest");
  }
}

TEST_CASE("chunked: any changed byte of a signed body is noticed") {
  const auto signing = example_signing(std::string(64, '0'));
  const std::string text(9000, 'x');
  const std::string encoded =
      encode(text, {.payload = Payload::chunked_signed, .chunk_bytes = 8192, .signing = signing});
  const ChunkedParams params{
      .payload = Payload::chunked_signed, .decoded_length = text.size(), .signing = signing};
  REQUIRE(decode(encoded, params).code.empty());
  for (std::size_t i = 0; i < encoded.size(); i += i < 200 || i > 8200 ? 1 : 97) {
    std::string changed = encoded;
    changed[i] = changed[i] == '7' ? '8' : '7';
    CAPTURE(i);
    CHECK_FALSE(decode(changed, params).code.empty());
  }
  for (std::size_t cut = 0; cut < encoded.size(); cut += 61) {
    CAPTURE(cut);
    CHECK_FALSE(decode(encoded.substr(0, cut), params).code.empty());
  }
}

TEST_CASE("chunked: unsigned with a trailing checksum, any size and step") {
  for (const std::size_t size : {0u, 1u, 8191u, 8192u, 65'536u, 65'537u, 200'000u}) {
    const std::string text(size, 'z');
    for (const auto algorithm : all_checksum_algorithms) {
      const std::string encoded =
          encode(text, {.payload = Payload::chunked_unsigned_trailer, .trailer = algorithm});
      const ChunkedParams params{.payload = Payload::chunked_unsigned_trailer,
                                 .decoded_length = size,
                                 .trailer_name = std::string(header_of(algorithm))};
      const Outcome out = decode(encoded, params, 4000);
      CHECK(out.code.empty());
      CHECK(out.text == text);
      CHECK(out.trailer == to_base64(checksum(algorithm, text)));
    }
  }
}

TEST_CASE("chunked: framing faults have their errors") {
  const auto fault = [](std::string encoded, std::uint64_t length, std::string trailer = {}) {
    return decode(encoded, {.payload = Payload::chunked_unsigned_trailer,
                            .decoded_length = length,
                            .trailer_name = std::move(trailer)})
        .code;
  };
  CHECK(fault("3\r\nabc\r\n0\r\n\r\n", 3).empty());
  CHECK(fault("3\r\nabc\r\n0\r\n", 3).empty());  // some clients leave the last line out
  CHECK(fault("0\r\n\r\n", 0).empty());
  CHECK(fault("3\r\nabc\r\n0\r\n\r\n", 4) == "IncompleteBody");
  CHECK(fault("3\r\nabc\r\n0\r\n\r\n", 2) == "InvalidRequest");
  CHECK(fault("3\r\nab", 3) == "IncompleteBody");
  CHECK(fault("", 0) == "IncompleteBody");
  CHECK(fault("x\r\nabc\r\n0\r\n\r\n", 3) == "InvalidRequest");
  CHECK(fault("-3\r\nabc\r\n0\r\n\r\n", 3) == "InvalidRequest");
  CHECK(fault("3\nabc\n0\n\n", 3) == "InvalidRequest");
  CHECK(fault("3\r\nabcd\r\n0\r\n\r\n", 3) == "InvalidRequest");
  CHECK(fault("3\r\nabc\r\n0\r\n\r\nmore", 3) == "InvalidRequest");
  CHECK(fault("ffffffffffffffff\r\nabc", UINT64_MAX - 1) == "InvalidRequest");
  CHECK(fault("fffffffffffffffff\r\nabc", 3) == "InvalidRequest");
  CHECK(fault(std::string(20'000, '1'), 3) == "InvalidRequest");
  CHECK(fault("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n", 6) == "InvalidChunkSizeError");
  const std::string name = "x-amz-checksum-crc32";
  CHECK(fault("0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 0, name).empty());
  CHECK(fault("0\r\nX-Amz-Checksum-CRC32 : AAAAAA==\r\n\r\n", 0, name).empty());
  CHECK(fault("0\r\nx-amz-checksum-sha1:AAAAAA==\r\n\r\n", 0, name) == "MalformedTrailerError");
  CHECK(fault("0\r\nnonsense\r\n\r\n", 0, name) == "MalformedTrailerError");
  CHECK(fault("0\r\n\r\n", 0, name) == "MalformedTrailerError");
  CHECK(fault("0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", 0) == "MalformedTrailerError");
}

}  // namespace
}  // namespace cairn::s3::chunked_test
