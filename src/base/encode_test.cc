// SPDX-License-Identifier: Apache-2.0
// Tests of encode.h.
#include "base/encode.h"

#include <doctest/doctest.h>

#include <random>

using namespace cairn;

TEST_CASE("encode: hexadecimal") {
  CHECK(to_hex(std::string_view("\x00\x0F\xFF", 3)) == "000fff");
  CHECK(from_hex("000fFf") == std::string("\x00\x0F\xFF", 3));
  CHECK(from_hex("") == "");
  for (const std::string bad : {"0", "0g", "g0", " 00", "0x"}) CHECK(!from_hex(bad));
}

TEST_CASE("encode: base64, the vectors of RFC 4648 section 10") {
  constexpr std::pair<const char*, const char*> cases[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, encoded] : cases) {
    CHECK(to_base64(plain) == encoded);
    CHECK(from_base64(encoded) == plain);
  }
  CHECK(to_base64("\xFB\xFF") == "+/8=");
  CHECK(to_base64url("\xFB\xFF") == "-_8");
  CHECK(from_base64url("-_8") == "\xFB\xFF");
  CHECK(from_base64url("-_8=") == "\xFB\xFF");
}

TEST_CASE("encode: base64 has one text for each bytes, and refuses all others") {
  for (const std::string bad : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm9v\n",
                                "-_8=", "Zg==Zg==", "Z g="}) {
    INFO(bad);
    CHECK(!from_base64(bad));
  }
  for (const std::string bad : {"Z", "Zh", "+/8", "-_8==", "-_9", "Zg=", "="}) {
    INFO(bad);
    CHECK(!from_base64url(bad));
  }
  const std::string good = "AAAABBBBCC==";
  for (std::size_t at = 0; at < 10; ++at) {
    for (const char c : {'-', '=', '\0', '\xFF', ' '}) {
      std::string bad = good;
      bad[at] = c;
      INFO(at);
      CHECK(!from_base64(bad));
    }
  }
}

TEST_CASE("encode: percent-encoding") {
  CHECK(percent_encode("a b/\xC3\xA4~-._") == "a%20b%2F%C3%A4~-._");
  CHECK(percent_encode("a/b c", "/") == "a/b%20c");
  CHECK(percent_decode("a%20b%2f%C3%a4+") == "a b/\xC3\xA4+");
  CHECK(percent_decode("a+b%2B", true) == "a b+");
  CHECK(percent_decode("%00") == std::string(1, '\0'));
  for (const std::string bad : {"%", "%2", "%2g", "%g2", "a%"}) CHECK(!percent_decode(bad));
}

TEST_CASE("encode: random bytes come back from every form") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 70, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    REQUIRE(from_hex(to_hex(bytes)) == bytes);
    REQUIRE(from_base64(to_base64(bytes)) == bytes);
    REQUIRE(from_base64url(to_base64url(bytes)) == bytes);
    REQUIRE(percent_decode(percent_encode(bytes)) == bytes);
  }
}
