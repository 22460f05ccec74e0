// SPDX-License-Identifier: Apache-2.0
// Tests of bytes.h.
#include "base/bytes.h"

#include <doctest/doctest.h>

#include <random>

using namespace cairn;

TEST_CASE("bytes: fixed numbers are little-endian, and keys big-endian") {
  std::string out;
  put_u32le(out, 0x01020304);
  put_u32be(out, 0x01020304);
  put_u16le(out, 0xFFFE);
  CHECK(out == std::string("\x04\x03\x02\x01\x01\x02\x03\x04\xFE\xFF", 10));
  ByteReader reader(out);
  CHECK(reader.u32le() == 0x01020304);
  CHECK(reader.u32be() == 0x01020304);
  CHECK(reader.u16le() == 0xFFFE);
  CHECK(reader.at_end());
}

TEST_CASE("bytes: varints at every border") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t off : {0u, 1u}) {
      const std::uint64_t v = (std::uint64_t{1} << bit) - off;
      std::string out;
      put_varint(out, v);
      CHECK(out.size() == std::max<std::size_t>(1, (64 - std::countl_zero(v) + 6) / 7));
      ByteReader reader(out);
      REQUIRE(reader.varint() == v);
      REQUIRE(reader.at_end());
      for (const std::int64_t s :
           {static_cast<std::int64_t>(v), -static_cast<std::int64_t>(v >> 1)}) {
        std::string signed_out;
        put_zigzag(signed_out, s);
        REQUIRE(ByteReader(signed_out).zigzag() == s);
      }
    }
  }
  std::string lowest;
  put_zigzag(lowest, INT64_MIN);
  CHECK(ByteReader(lowest).zigzag() == INT64_MIN);
}

TEST_CASE("bytes: varints of more than 64 bits are refused") {
  CHECK(ByteReader(std::string(9, '\xFF') + '\x01').varint() == UINT64_MAX);
  CHECK(!ByteReader(std::string(9, '\xFF') + '\x02').varint());
  CHECK(!ByteReader(std::string(11, '\x80')).varint());
  CHECK(!ByteReader(std::string(5, '\x80')).varint());
}

TEST_CASE("bytes: after the first read that does not fit nothing is given") {
  std::string out;
  put_string(out, "abc");
  put_f64le(out, 1.5);
  ByteReader reader(out);
  CHECK(reader.string() == "abc");
  CHECK(reader.position() == 4);
  CHECK(!reader.bytes(9));
  CHECK(reader.failed());
  CHECK(!reader.u8());
  CHECK(!reader.at_end());
  CHECK(!ByteReader(out).bytes(UINT64_MAX));
}

TEST_CASE("bytes: every cut of a record fails without reading past it") {
  std::string out;
  put_u64le(out, 7);
  put_string(out, "some text");
  put_varint(out, 1u << 20);
  put_f32le(out, 2.5f);
  for (std::size_t cut = 0; cut <= out.size(); ++cut) {
    const std::string part = out.substr(0, cut);  // its own allocation, for the sanitizer
    ByteReader reader(part);
    reader.u64le();
    reader.string();
    reader.varint();
    const auto last = reader.f32le();
    CHECK(last.has_value() == (cut == out.size()));
    CHECK(reader.failed() == (cut < out.size()));
  }
}
