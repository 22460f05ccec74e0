// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/databases/postgres_values.h"

#include <doctest/doctest.h>

namespace cairn::connectors::postgres_values_test {
namespace {

std::string json_of(ColumnType type, std::string_view text) {
  std::string out;
  JsonWriter json(out);
  append_column(json, type, text);
  return out;
}

std::string scalar(ColumnKind kind, std::string_view text) { return json_of({.kind = kind}, text); }
std::string array(ColumnKind kind, std::string_view text) {
  return json_of({.kind = kind, .is_array = true}, text);
}

}  // namespace

TEST_CASE("postgres values: numbers keep their digits, and what JSON lacks is null") {
  CHECK(scalar(ColumnKind::number, "42") == "42");
  CHECK(scalar(ColumnKind::number, "-0.50") == "-0.50");
  CHECK(scalar(ColumnKind::number, "12345678901234567890.125") == "12345678901234567890.125");
  CHECK(scalar(ColumnKind::number, "1e+20") == "1e+20");
  for (const auto* text : {"NaN", "Infinity", "-Infinity", "01", "1.", ".5", "1e", "", "-", "1 2"})
    CHECK(scalar(ColumnKind::number, text) == "null");
  const std::string digits(400, '9');
  for (const std::string& text :
       {std::string("1e309"), std::string("-1E+999"), digits, digits + ".5"})
    CHECK(scalar(ColumnKind::number, text) == "null");
  CHECK(scalar(ColumnKind::number, "0." + digits) == "0." + digits);
  CHECK(scalar(ColumnKind::number, "1e-999") == "1e-999");
  CHECK(array(ColumnKind::number, "{1,1e309}") == "[1,null]");
}

TEST_CASE("postgres values: moments are ISO 8601") {
  CHECK(scalar(ColumnKind::moment, "2026-01-02 03:04:05.678+00") == "\"2026-01-02T03:04:05.678Z\"");
  CHECK(scalar(ColumnKind::moment, "2026-01-02 03:04:05") == "\"2026-01-02T03:04:05\"");
  CHECK(scalar(ColumnKind::moment, "2026-01-02") == "\"2026-01-02\"");
  for (const auto* text : {"infinity", "-infinity", "0044-03-15 BC", "", "2026-01-02T03"})
    CHECK(scalar(ColumnKind::moment, text) == "null");
}

TEST_CASE("postgres values: truth, bytes, documents and texts") {
  CHECK(scalar(ColumnKind::boolean, "t") == "true");
  CHECK(scalar(ColumnKind::boolean, "f") == "false");
  CHECK(scalar(ColumnKind::boolean, "maybe") == "\"maybe\"");
  CHECK(scalar(ColumnKind::bytes, "\\x616263") == "\"YWJj\"");
  CHECK(scalar(ColumnKind::bytes, "\\x6") == "\"\\\\x6\"");
  CHECK(scalar(ColumnKind::json, R"({"a": [1, null]})") == R"({"a":[1,null]})");
  CHECK(scalar(ColumnKind::json, R"({"a)") == R"("{\"a")");
  CHECK(scalar(ColumnKind::text, "a \"b\"") == R"("a \"b\"")");
}

TEST_CASE("postgres values: arrays, nested, quoted, with bounds, and what is none") {
  CHECK(array(ColumnKind::number, "{1,2,NULL}") == "[1,2,null]");
  CHECK(array(ColumnKind::number, "{}") == "[]");
  CHECK(array(ColumnKind::number, "{{1,2},{3,4}}") == "[[1,2],[3,4]]");
  CHECK(array(ColumnKind::number, "[0:1]={5,6}") == "[5,6]");
  CHECK(array(ColumnKind::text, R"({a,"b c","d \"e\" \\","NULL"})") ==
        R"(["a","b c","d \"e\" \\","NULL"])");
  CHECK(array(ColumnKind::boolean, "{t,f}") == "[true,false]");
  for (const auto* text : {"{", "{1", "{1,", "{1,}", "{,}", "{\"a}", "{a}b", "{{1},2", "a", "{a\\"})
    CHECK(array(ColumnKind::text, text).front() == '"');
  CHECK(array(ColumnKind::text, std::string(100, '{')).front() == '"');
}

TEST_CASE("postgres values: types by number, and vectors by name") {
  bool known = false;
  CHECK(column_type(1184, known).kind == ColumnKind::moment);
  CHECK(known);
  CHECK(column_type(1007, known).is_array);
  CHECK(column_type(999'999, known).kind == ColumnKind::text);
  CHECK_FALSE(known);
  CHECK(json_of(column_type_of_name("vector", false), "[1,0.5]") == "[1,0.5]");
  CHECK(json_of(column_type_of_name("vector", false), "[1,") == "\"[1,\"");
  CHECK(json_of(column_type_of_name("mood", false), "glad") == "\"glad\"");
  CHECK(json_of(column_type_of_name("_mood", true), "{glad}") == "[\"glad\"]");
}

}  // namespace cairn::connectors::postgres_values_test
