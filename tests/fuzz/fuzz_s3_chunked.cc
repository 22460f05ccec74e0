// SPDX-License-Identifier: Apache-2.0
// Bodies in signed or unsigned chunks, read whole and in pieces, which must agree. The first byte
// chooses the form; with its bit 64, one that is signed as SigV4A signs.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "s3/signing/asymmetric.h"
#include "s3/signing/chunked.h"

namespace {

using namespace cairn;

void require(bool holds) {
  if (!holds) std::abort();
}

class Pieces final : public net::BodyReader {
 public:
  Pieces(std::string_view text, std::size_t step) : text_(text), step_(step) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), step_, text_.size()});
    std::memcpy(into.data(), text_.data(), count);
    text_.remove_prefix(count);
    return count;
  }
  std::optional<std::uint64_t> length() const override { return std::nullopt; }
  const net::Headers& trailers() const override { return none_; }

 private:
  std::string_view text_;
  std::size_t step_;
  net::Headers none_;
};

struct Outcome {
  std::string text;
  std::string code;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome decode(std::string_view encoded, const s3::ChunkedParams& params, std::size_t step) {
  Pieces pieces(encoded, step);
  s3::ChunkedReader reader(pieces, params);
  Outcome out;
  std::array<char, 777> buffer{};
  for (;;) {
    const auto count = reader.read(buffer);
    if (!count.ok()) {
      out.code = count.error().code;
      require(!out.code.empty());
      out.text.clear();  // how much came before the fault depends on the pieces
      return out;
    }
    if (*count == 0) return out;
    out.text.append(buffer.data(), *count);
    require(out.text.size() <= params.decoded_length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr s3::Payload payloads[] = {s3::Payload::chunked_signed,
                                      s3::Payload::chunked_signed_trailer,
                                      s3::Payload::chunked_unsigned_trailer};
  constexpr s3::Payload asymmetric[] = {s3::Payload::chunked_ecdsa_signed,
                                        s3::Payload::chunked_ecdsa_signed_trailer};
  static const auto pair = std::make_shared<const s3::AsymmetricKey>(
      s3::AsymmetricKey::derive("AKID", "secret", s3::Dialect::aws).value());
  const bool by_pair = (data[0] & 64) != 0;
  s3::ChunkedParams params{.payload = by_pair ? asymmetric[data[0] % 2] : payloads[data[0] % 3],
                           .decoded_length = data[1]};
  if (data[0] >= 128) params.trailer_name = "x-amz-checksum-crc32";
  params.signing = s3::ChunkSigning{.key = "key",
                                    .seed_signature = std::string(64, '0'),
                                    .time_ms = 1'369'353'600'000,
                                    .scope = {.date = "20130524", .region = "us-east-1"},
                                    .pair = by_pair ? pair : nullptr};
  const std::string_view encoded(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = decode(encoded, params, SIZE_MAX);
  require(decode(encoded, params, 1) == whole);
  require(decode(encoded, params, 13) == whole);
  return 0;
}
