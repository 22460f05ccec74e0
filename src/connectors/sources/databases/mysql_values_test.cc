// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/mysql_values.h"

#include <doctest/doctest.h>

#include "base/encode.h"

namespace cairn::connectors::mysql_values_test {
namespace {

std::string json_of(MysqlKind kind, std::string_view text) {
  std::string out;
  JsonWriter json(out);
  append_mysql_value(json, kind, text);
  return out;
}

/// A geometry as the server sends it: the reference system, then well-known binary in digits.
std::string shape(const std::string& digits) {
  return json_of(MysqlKind::geometry, std::string(4, '\0') + from_hex(digits).value());
}

const std::string point_1_2 = "0101000000000000000000f03f0000000000000040";
const std::string pair_1_2 = "000000000000f03f0000000000000040";

}  // namespace

TEST_CASE("mysql values: numbers keep their digits and lose their fill") {
  CHECK(json_of(MysqlKind::number, "18446744073709551615") == "18446744073709551615");
  CHECK(json_of(MysqlKind::number, "00042") == "42");
  CHECK(json_of(MysqlKind::number, "000") == "0");
  CHECK(json_of(MysqlKind::number, "0000.50") == "0.50");
  CHECK(json_of(MysqlKind::number, "-12345678901234567890.1234567890") ==
        "-12345678901234567890.1234567890");
  CHECK(json_of(MysqlKind::floating, "1.5e-7") == "1.5e-7");
  CHECK(json_of(MysqlKind::year, "2026") == "2026");
  CHECK(json_of(MysqlKind::year, "0000") == "null");
  for (const auto* text : {"nan", "inf", "-inf", "", "1 2", "1e309"})
    CHECK(json_of(MysqlKind::floating, text) == "null");
  CHECK(json_of(MysqlKind::bits, std::string_view("\x01\x02", 2)) == "258");
  CHECK(json_of(MysqlKind::bits, std::string(8, '\xff')) == "18446744073709551615");
  CHECK(json_of(MysqlKind::bits, "") == "null");
  CHECK(json_of(MysqlKind::bits, std::string(9, '\1')) == "null");
}

TEST_CASE("mysql values: moments are ISO 8601, and zero dates are null") {
  CHECK(json_of(MysqlKind::date, "2026-01-02") == "\"2026-01-02\"");
  CHECK(json_of(MysqlKind::datetime, "2026-01-02 03:04:05.678") == "\"2026-01-02T03:04:05.678\"");
  CHECK(json_of(MysqlKind::instant, "2026-01-02 03:04:05") == "\"2026-01-02T03:04:05Z\"");
  for (const auto* text : {"0000-00-00", "2026-00-00", "2026-01-00", "0000-01-01", "", "2026-1-2"})
    CHECK(json_of(MysqlKind::date, text) == "null");
  for (const auto* text : {"0000-00-00 00:00:00", "2026-01-02", "2026-01-02T03:04:05"}) {
    CHECK(json_of(MysqlKind::datetime, text) == "null");
    CHECK(json_of(MysqlKind::instant, text) == "null");
  }
  CHECK(json_of(MysqlKind::text, "-838:59:59") == "\"-838:59:59\"");
}

TEST_CASE("mysql values: documents, bytes and texts") {
  CHECK(json_of(MysqlKind::json, R"({"a": [1, null]})") == R"({"a":[1,null]})");
  CHECK(json_of(MysqlKind::json, R"({"a)") == R"("{\"a")");
  CHECK(json_of(MysqlKind::bytes, "abc") == "\"YWJj\"");
  CHECK(json_of(MysqlKind::choice, "a,b") == "\"a,b\"");
}

TEST_CASE("mysql values: shapes are well-known text, and base64 where they are none") {
  CHECK(shape(point_1_2) == "\"POINT (1 2)\"");
  CHECK(shape("00000000013ff00000000000004000000000000000") == "\"POINT (1 2)\"");
  CHECK(shape("010200000002000000" + pair_1_2 + pair_1_2) == "\"LINESTRING (1 2, 1 2)\"");
  CHECK(shape("01030000000100000001000000" + pair_1_2) == "\"POLYGON ((1 2))\"");
  CHECK(shape("010400000001000000" + point_1_2) == "\"MULTIPOINT ((1 2))\"");
  CHECK(shape("010700000002000000" + point_1_2 + "010200000000000000") ==
        "\"GEOMETRYCOLLECTION (POINT (1 2), LINESTRING EMPTY)\"");
  const std::string refused[] = {"",
                                 "01",
                                 "0101000000",
                                 point_1_2 + "00",
                                 "0201000000" + pair_1_2,
                                 "0108000000" + pair_1_2,
                                 "0102000000ffffffff" + pair_1_2,
                                 "010400000001000000010200000000000000",
                                 "0101000000000000000000f07f0000000000000040"};
  for (const auto& digits : refused) CHECK(shape(digits).find(' ') == std::string::npos);
  CHECK(json_of(MysqlKind::geometry, "abc") == "\"YWJj\"");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "010700000001000000";
  CHECK(shape(deep + point_1_2).find(' ') == std::string::npos);
}

TEST_CASE("mysql values: kinds by what the server tells of a column") {
  CHECK(mysql_kind({.type = 8}) == MysqlKind::number);
  CHECK(mysql_kind({.type = 246, .is_binary = true}) == MysqlKind::number);
  CHECK(mysql_kind({.type = 7, .is_binary = true}) == MysqlKind::instant);
  CHECK(mysql_kind({.type = 252, .is_binary = true}) == MysqlKind::bytes);
  CHECK(mysql_kind({.type = 252}) == MysqlKind::text);
  CHECK(mysql_kind({.type = 252, .is_json = true}) == MysqlKind::json);
  CHECK(mysql_kind({.type = 254, .is_choice = true}) == MysqlKind::choice);
  CHECK(mysql_kind({.type = 999}) == MysqlKind::text);
}

TEST_CASE("mysql values: literals have nothing that a session's mode could change") {
  CHECK(mysql_literal(MysqlKind::number, "042") == "42");
  CHECK(mysql_literal(MysqlKind::number, "1 OR 1=1") == "NULL");
  CHECK(mysql_literal(MysqlKind::text, "a'\\") == "_utf8mb4 x'61275c'");
  CHECK(mysql_literal(MysqlKind::bytes, "\xff") == "x'ff'");
  CHECK(mysql_literal(MysqlKind::bits, "\2") == "2");
  CHECK(mysql_key_part(MysqlKind::bytes, "\xff") == "ff");
  CHECK(mysql_key_part(MysqlKind::text, "a/b") == "a/b");
  CHECK(is_ordered_by_literal(MysqlKind::text));
  CHECK_FALSE(is_ordered_by_literal(MysqlKind::choice));
  CHECK_FALSE(is_ordered_by_literal(MysqlKind::floating));
}

}  // namespace cairn::connectors::mysql_values_test
