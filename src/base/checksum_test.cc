// SPDX-License-Identifier: Apache-2.0
// Tests of checksum.h.
#include "base/checksum.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace cairn;

namespace {

// The definition: one bit at a time.
template <class Word>
Word bitwise(std::string_view bytes, Word polynomial) {
  Word state = static_cast<Word>(~Word{0});
  for (const char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
  }
  return ~state;
}

std::string random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

constexpr std::uint32_t iso_hdlc = 0xEDB88320;
constexpr std::uint32_t castagnoli = 0x82F63B78;
constexpr std::uint64_t nvme = 0x9A6C9329AC4BC9B5;

}  // namespace

TEST_CASE("checksum: check values") {
  CHECK(crc32("123456789") == 0xCBF43926);
  CHECK(crc32c("123456789") == 0xE3069283);
  CHECK(crc64nvme("123456789") == 0xAE8B14860A799888);
  CHECK(crc32("") == 0);
  CHECK(crc32c("") == 0);
  CHECK(crc64nvme("") == 0);
}

TEST_CASE("checksum: every version equals the bitwise definition at every length to 1,300") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  const std::string bytes = random_bytes(1300 + 7, seed);
  for (std::size_t n = 0; n <= 1300; ++n) {
    const std::string_view part = std::string_view(bytes).substr(n % 7, n);  // unaligned too
    const std::uint64_t expected = bitwise(part, nvme);
    for (const Crc64Version& version : crc64nvme_versions()) {
      INFO(version.name, " ", n);
      REQUIRE(version.run(part, 0) == expected);
    }
    if (n % 13 == 0) {
      REQUIRE(crc32(part) == bitwise(part, iso_hdlc));
      REQUIRE(crc32c(part) == bitwise(part, castagnoli));
    }
  }
}

TEST_CASE("checksum: every version equals the definition at lengths around its block sizes") {
  const std::string bytes = random_bytes(70000, 5);
  for (const std::size_t base : {2048u, 4096u, 16384u, 65536u}) {
    for (std::size_t n = base - 17; n <= base + 17; ++n) {
      const std::string_view part = std::string_view(bytes).substr(0, n);
      const std::uint64_t expected = crc64nvme_versions().front().run(part, 0);
      if (n == base) REQUIRE(expected == bitwise(part, nvme));
      for (const Crc64Version& version : crc64nvme_versions()) {
        REQUIRE(version.run(part, 0) == expected);
      }
    }
  }
}

TEST_CASE("checksum: the value after a prefix goes on to the value of the whole") {
  const std::string bytes = random_bytes(5000, 11);
  const std::string_view all = bytes;
  for (std::size_t cut = 0; cut <= all.size(); cut += 311) {
    CHECK(crc32(all.substr(cut), crc32(all.substr(0, cut))) == crc32(all));
    CHECK(crc32c(all.substr(cut), crc32c(all.substr(0, cut))) == crc32c(all));
    for (const Crc64Version& version : crc64nvme_versions()) {
      CHECK(version.run(all.substr(cut), version.run(all.substr(0, cut), 0)) == crc64nvme(all));
    }
  }
}
