// SPDX-License-Identifier: Apache-2.0
#include "text/encoding.h"

#include <doctest/doctest.h>

namespace cairn::text::encoding_test {

TEST_CASE("encodings: by a name, of any case, with a replacement for what is none") {
  CHECK(from_encoding("caf\xe9", "iso-8859-1") == "café");
  CHECK(from_encoding("\xcf\xf0\xe8\xe2\xe5\xf2", "WINDOWS-1251") == "Привет");
  CHECK(from_encoding("\x82\xb1\x82\xf1", "Shift_JIS") == "こん");
  CHECK(from_encoding("a\xff", "utf-8") == "a\xEF\xBF\xBD");
  CHECK_FALSE(from_encoding("a", "no such thing").has_value());
  CHECK_FALSE(from_encoding("a", "").has_value());
  CHECK_FALSE(from_encoding("+AGE-", "utf-7").has_value());
}

TEST_CASE("encodings: marks at the beginning tell, and are left out") {
  CHECK(any_encoding("\xEF\xBB\xBFhe") == "he");
  CHECK(any_encoding(std::string_view("\xFF\xFEh\0\xe9\0", 6)) == "hé");
  CHECK(any_encoding(std::string_view("\xFE\xFF\0h\0\xe9", 6)) == "hé");
  CHECK(any_encoding(std::string_view("\xFF\xFE\0\0h\0\0\0", 8)) == "h");
  CHECK(any_encoding(std::string_view("\0\0\xFE\xFF\0\0\0h", 8)) == "h");
}

TEST_CASE("encodings: UTF-16 without a mark is known by its zeros") {
  CHECK(any_encoding(std::string_view("w\0o\0r\0d\0", 8)) == "word");
  CHECK(any_encoding(std::string_view("\0w\0o\0r\0d", 8)) == "word");
}

TEST_CASE("encodings: statistics tell the alphabet of a longer text") {
  const char* russian =
      "\xcc\xee\xf1\xea\xe2\xe0 \x97 \xf1\xf2\xee\xeb\xe8\xf6\xe0 \xd0\xee\xf1\xf1\xe8\xe8, "
      "\xe3\xee\xf0\xee\xe4 \xed\xe0 \xf0\xe5\xea\xe5 \xcc\xee\xf1\xea\xe2\xe5.";
  CHECK(any_encoding(russian)->find("столица России") != std::string::npos);
  CHECK(any_encoding("une tr\xe8s belle cafeti\xe8re \xe0 moiti\xe9 pleine") ==
        "une très belle cafetière à moitié pleine");
  CHECK(any_encoding("caf\xe9") == "café");
}

TEST_CASE("encodings: what is likely goes before statistics, and after valid UTF-8") {
  CHECK(any_encoding("\xe9", "windows-1251") == "й");
  CHECK(any_encoding("é", "windows-1251") == "é");
  CHECK(any_encoding("\xe9", "unheard of") == "é");
}

TEST_CASE(
    "encodings: those in seven bits are read where they are named, and their shifts are there") {
  const std::string japanese = "\x1B$BF|K\\\x1B(B end";
  CHECK(any_encoding(japanese, "ISO-2022-JP") == "日本 end");
  CHECK(any_encoding("~{<:Ky2;~} end", "HZ-GB-2312") == "己所不 end");
  CHECK(any_encoding("plain ~ words", "HZ-GB-2312") == "plain ~ words");
  CHECK(any_encoding("café", "ISO-2022-JP") == "café");
  CHECK(any_encoding(japanese, "unheard of") == japanese);
}

TEST_CASE("encodings: bytes that programs write for themselves are no text") {
  CHECK_FALSE(any_encoding(std::string_view("a\0b", 3)).has_value());
  CHECK_FALSE(any_encoding("\x01\x02\x03\x04\x05\x06").has_value());
  CHECK_FALSE(any_encoding(std::string_view("\x7f"
                                            "ELF\2\1\1\0\0\0\0\0",
                                            12))
                  .has_value());
  CHECK(any_encoding("").has_value());
}

}  // namespace cairn::text::encoding_test
