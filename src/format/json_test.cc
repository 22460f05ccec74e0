// SPDX-License-Identifier: Apache-2.0
// Tests of json.h: the fast parser against the strict one, errors, limits, and the writer.
#include "format/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "format/json_strict.h"
#include "format/ndjson.h"

using namespace cairn;

namespace {

// Both parsers must agree; gives what they say.
Result<Json> parse_both(std::string_view text, JsonLimits limits = {}) {
  auto fast = parse_json(text, limits);
  const auto strict = parse_json_strictly(text, limits);
  INFO(text);
  REQUIRE(fast.ok() == strict.ok());
  if (fast.ok()) {
    REQUIRE(*fast == *strict);
  } else {
    REQUIRE(fast.error().message == strict.error().message);
  }
  return fast;
}

Json random_json(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 9 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return static_cast<std::int64_t>(random()) - (1LL << 31);
    case 3:
      return UINT64_MAX - random();
    case 4:
      return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 100);
    case 5:
    case 6: {
      std::string text;
      constexpr const char* pieces[] = {
          "a", "\"", "\\", "\n", "\x01", "\xC3\xA4", "\xF0\x9F\x98\x80", "/", "\x7F", " "};
      for (auto n = random() % 12; n > 0; --n) text += pieces[random() % std::size(pieces)];
      return text;
    }
    case 7: {
      Json::Array elements;
      for (auto n = random() % 6; n > 0; --n) elements.push_back(random_json(random, depth - 1));
      return elements;
    }
    default: {
      Json out = Json::object();
      for (auto n = random() % 24; n > 0; --n) {
        out.set("k" + std::to_string(random() % 30), random_json(random, depth - 1));
      }
      return out;
    }
  }
}

}  // namespace

TEST_CASE("json: every kind of value is read and written") {
  for (const std::string text :
       {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "18446744073709551615", "1.5", "-0.25", "1e+300", "\"\"", "\"x\"",
        "[]", "{}", "[1,[2,[3]],{\"a\":{\"b\":null}}]",
        "\"\\u0000\\u001f\\\"\\\\\\n\\r\\t\\b\\f/\"", "\"\xE2\x82\xAC\xF0\x9F\x98\x80\""}) {
    const auto value = parse_both(text);
    REQUIRE(value.ok());
    CHECK(value->dump() == text);
  }
  CHECK(parse_both(" \t\r\n[ 1 , 2 ] \n")->dump() == "[1,2]");
  CHECK(parse_both("\xEF\xBB\xBF{}")->is_object());
  CHECK(parse_both("\"\\ud83d\\ude00\\u20ac\\/\"")->as_string() == "\xF0\x9F\x98\x80\xE2\x82\xAC/");
  CHECK(parse_both("-0")->is_integer());
  CHECK(parse_both("0")->is_count());
  CHECK(parse_both("18446744073709551615")->is_count());
  for (const auto* text : {"-1", "1.0", "\"1\"", "null"}) CHECK_FALSE(parse_both(text)->is_count());
  CHECK(parse_both("1E2")->as_double() == 100.0);
  CHECK(parse_both("1e-400")->as_double() == 0.0);
}

TEST_CASE("json: integers beyond 64 bits become the nearest double") {
  CHECK(parse_both("18446744073709551616")->as_double() == 18446744073709551616.0);
  CHECK(parse_both("-9223372036854775809")->as_double() == -9223372036854775808.0);
  CHECK(parse_both("[123456789012345678901234567890]")->as_array()[0].type() == Json::Type::number);
}

TEST_CASE("json: half of a surrogate pair becomes U+FFFD") {
  CHECK(parse_json("\"\\ud83d\"")->as_string() == "\xEF\xBF\xBD");
  CHECK(parse_json("\"\\ude00x\"")->as_string() == "\xEF\xBF\xBDx");
  CHECK(parse_json("\"\\ud83d\\u0041\"")->as_string() ==
        "\xEF\xBF\xBD"
        "A");
  CHECK(parse_json("\"\\ud83d\\ud83d\\ude00\"")->as_string() == "\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST_CASE("json: names that come twice are told, where they may not") {
  for (const char* text : {R"({"a":1,"b":2})", R"([{"a":1},{"a":2}])", R"({"a":{"a":1}})"})
    CHECK(parse_json(text, {.unique_names = true}).ok());
  const auto twice =
      parse_json("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}", {.unique_names = true});
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.error().message == "[2:16] Duplicate field 'c'");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"f" + std::to_string(i) + "\":1,";
  CHECK(parse_json(many + "\"g\":1}", {.unique_names = true}).ok());
  CHECK_FALSE(parse_json(many + "\"f7\":1}", {.unique_names = true}).ok());
}

TEST_CASE("json: of members with one name the last counts, in the place of the first") {
  CHECK(parse_both(R"({"a":1,"b":2,"a":3,"c":4,"a":5})")->dump() == R"({"a":5,"b":2,"c":4})");
  std::string many = "{";
  std::string expected = "{";
  for (int i = 0; i < 40; ++i) {
    many += "\"k" + std::to_string(i % 20) + "\":" + std::to_string(i) + (i < 39 ? "," : "}");
    if (i < 20) {
      expected += "\"k" + std::to_string(i) + "\":" + std::to_string(i + 20) + (i < 19 ? "," : "}");
    }
  }
  CHECK(parse_both(many)->dump() == expected);
}

TEST_CASE("json: errors name line, column and what was wrong") {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  constexpr Case cases[] = {
      {"", "[1:1] Unexpected end-of-input: expected a value"},
      {" \n ", "[2:2] Unexpected end-of-input: expected a value"},
      {"{\"a\":1,\n \"b\" 2}",
       "[2:6] Unexpected character ('2' (code 50)): was expecting a colon to separate field name "
       "and "
       "value"},
      {"{\"a\":1\r\n\r\n \"b\":2}",
       "[3:2] Unexpected character ('\"' (code 34)): was expecting comma to separate Object "
       "entries"},
      {"{\"a\":1,}",
       "[1:8] Unexpected character ('}' (code 125)): was expecting double-quote to start field "
       "name"},
      {"[1,]", "[1:4] Unexpected character (']' (code 93)): expected a value"},
      {"[1 2]",
       "[1:4] Unexpected character ('2' (code 50)): was expecting comma to separate Array entries"},
      {"[1", "[1:3] Unexpected end-of-input: was expecting comma to separate Array entries"},
      {"{a:1}",
       "[1:2] Unexpected character ('a' (code 97)): was expecting double-quote to start field "
       "name"},
      {"tru", "[1:1] Unrecognized token 'tru': was expecting ('true', 'false' or 'null')"},
      {"[NaN]", "[1:2] Unrecognized token 'NaN': was expecting ('true', 'false' or 'null')"},
      {"{} x",
       "[1:4] Unexpected character ('x' (code 120)): expected the end of the text after the value"},
      {"01", "[1:2] Invalid numeric value: Leading zeroes not allowed"},
      {"-", "[1:2] Unexpected end-of-input: expected a digit after the minus sign"},
      {"1.", "[1:3] Unexpected end-of-input: Decimal point not followed by a digit"},
      {"1.e3",
       "[1:3] Unexpected character ('e' (code 101)): Decimal point not followed by a digit"},
      {"1e+", "[1:4] Unexpected end-of-input: Exponent indicator not followed by a digit"},
      {"[1e400]", "[1:2] Numeric value (1e400) out of range of double"},
      {"\"abc", "[1:5] Unexpected end-of-input: was expecting closing quote for a string value"},
      {"\"a\nb\"",
       "[1:3] Illegal unquoted character ((CTRL-CHAR, code 10)): has to be escaped using backslash "
       "to be included in string value"},
      {"\"\\x\"", "[1:3] Unrecognized character escape 'x' (code 120)"},
      {"\"\\u12g4\"",
       "[1:6] Unexpected character ('g' (code 103)): expected a hex-digit for character escape "
       "sequence"},
      {"[\"a\xFFz\"]", "[1:4] Invalid UTF-8 byte 0xff"},
      {"\xFF", "[1:1] Unexpected character ((code 255)): expected a value"},
      {"'a'", "[1:1] Unexpected character (''' (code 39)): expected a value"},

  };
  for (const Case& c : cases) {
    const auto value = parse_both(c.text);
    REQUIRE(!value.ok());
    CHECK(value.error().message == c.message);
    CHECK(value.error().kind == ErrorKind::invalid_argument);
    CHECK(value.error().code == "x_content_parse_exception");
  }
  const auto error = parse_json("[\n1 2]").error();
  REQUIRE(error.details.size() == 2);
  CHECK(error.details[0] == std::pair<std::string, std::string>("line", "2"));
  CHECK(error.details[1] == std::pair<std::string, std::string>("col", "3"));
}

TEST_CASE("json: what RFC 8259 does not allow is refused") {
  for (const std::string_view text : {"[1,,2]",
                                      "[,1]",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{:1}",
                                      "{1:1}",
                                      "[1}",
                                      "{\"a\":1]",
                                      "nul",
                                      "TRUE",
                                      "+1",
                                      ".5",
                                      "0x1",
                                      "1_000",
                                      "--1",
                                      "1e",
                                      "Infinity",
                                      "\"\\u12\"",
                                      "\"\\",
                                      "// c\n1",
                                      "[1]]",
                                      "{}{}",
                                      "1 2",
                                      "\"\\ud83d\\u\"",
                                      "\"\xC0\x80\"",
                                      "\"\xED\xA0\x80\"",
                                      "\"\t\"",
                                      "\xFE\xFF",
                                      "[\"\x7F\",\"\x1F\"]",
                                      "{\"a\":1,\"a\"}",
                                      "1a",
                                      "1-2",
                                      "[1.2.3]"}) {
    CHECK(!parse_both(text).ok());
  }
  CHECK(!parse_both(std::string_view("1\0", 2)).ok());
  CHECK(!parse_both(std::string_view("\"\0\"", 3)).ok());
}

TEST_CASE("json: nesting is allowed to the limit and refused beyond") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_both(nested(100)).ok());
  CHECK(parse_both(nested(101)).error().message ==
        "[1:101] Arrays and objects are nested too deeply");
  CHECK(!parse_both(std::string(1'000'000, '[')).ok());
  CHECK(!parse_both("{\"a\":{\"a\":{}}}", {.depth = 2}).ok());
  CHECK(parse_both("{\"a\":{\"a\":{}}}", {.depth = 3}).ok());
  CHECK(parse_both(nested(2000), {.depth = 2000}).ok());
  CHECK(parse_both("1", {.depth = 0}).ok());
}

TEST_CASE("json: random trees come back, compact and pretty") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 500; ++i) {
    const Json value = random_json(random, 4);
    REQUIRE(*parse_both(value.dump()) == value);
    REQUIRE(*parse_both(value.dump(true)) == value);
  }
}

TEST_CASE("json: both parsers agree on damaged texts") {
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  constexpr std::string_view alphabet = "{}[]\",:0123456789.eE+-truefalsn \\u\n\xC3\xA4\xFF";
  for (int i = 0; i < 20000; ++i) {
    std::string text = random_json(random, 2).dump();
    for (auto n = random() % 3 + 1; n > 0 && !text.empty(); --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
          break;
        default:
          text[at] = alphabet[random() % alphabet.size()];
      }
    }
    (void)parse_both(text);
  }
}

TEST_CASE("json: the tree") {
  Json value;
  value.set("a", 1);
  value.set("b", Json::array({1, "x", nullptr, true, 2.5}));
  value.set("a", 2);
  value.set("o", Json::object({{"p", Json::object({{"q", 7}})}}));
  CHECK(value.dump() == R"({"a":2,"b":[1,"x",null,true,2.5],"o":{"p":{"q":7}}})");
  CHECK(value.find_path("o.p.q")->as_int() == 7);
  CHECK(value.find_path("o.x.q") == nullptr);
  CHECK(value.find_path("a.b") == nullptr);
  CHECK(value.find("zz") == nullptr);
  CHECK(Json(3).find("a") == nullptr);
  CHECK(value.erase("b"));
  CHECK(!value.erase("b"));
  CHECK(value.int_or("a", 9) == 2);
  CHECK(value.int_or("o", 9) == 9);
  CHECK(value.string_or("a", "none") == "none");
  CHECK(value.bool_or("missing", true));
  CHECK(value.double_or("a") == 2.0);
  Json list;
  list.push(nullptr).set("x", 1);
  list.push("two");
  CHECK(list.dump() == R"([{"x":1},"two"])");
  CHECK(Json::array_of(std::vector<std::string>{"a", "b"}).dump() == R"(["a","b"])");
  CHECK(Json(std::uint64_t{5}) == Json(5));
  CHECK(Json(5) != Json(5.0));
  CHECK(Json(0.5f) == Json(0.5));
  CHECK(Json(UINT64_MAX).as_int() == INT64_MAX);
  CHECK(Json(UINT64_MAX).as_unsigned() == UINT64_MAX);
}

TEST_CASE("json: pretty text") {
  const Json value = Json::object(
      {{"a", Json::array({1, 2})}, {"b", Json::object()}, {"c", Json::array()}, {"d", "x"}});
  CHECK(value.dump(true) ==
        "{\n  \"a\" : [\n    1,\n    2\n  ],\n  \"b\" : { },\n  \"c\" : [ ],\n  \"d\" : \"x\"\n}");
}

TEST_CASE("json: numbers are the shortest that read back, and never look like integers") {
  constexpr std::pair<double, const char*> cases[] = {
      {0.0, "0.0"},       {-0.0, "-0.0"},
      {1.0, "1.0"},       {100000.0, "100000.0"},
      {0.1, "0.1"},       {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},    {1e-5, "0.00001"},
      {1e-6, "1e-06"},    {1.0 / 3, "0.3333333333333333"},
      {5e-324, "5e-324"}, {1.7976931348623157e308, "1.7976931348623157e+308"}};
  for (const auto& [value, text] : cases) CHECK(Json(value).dump() == text);
  CHECK(Json(0.1f).dump() == "0.1");
  CHECK(Json(16777216.0f).dump() == "16777216.0");
  CHECK(Json(3.4028235e38f).dump() == "3.4028235e+38");
  CHECK(Json(std::nan("")).dump() == "null");
  CHECK(Json(-std::numeric_limits<float>::infinity()).dump() == "null");
  const unsigned seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (!std::isfinite(v)) continue;
    REQUIRE(parse_json(Json(v).dump())->as_double() == v);
    const float f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(f)) continue;
    REQUIRE(static_cast<float>(parse_json(Json(f).dump())->as_double()) == f);
  }
}

TEST_CASE("json writer: commas, keys and bytes that are not UTF-8") {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object().key("a").begin_array().integer(1).begin_object().end_object();
  writer.begin_array().end_array().null().end_array().key("b\"").string("x\xFFy\xC3");
  writer.key("c").raw("[1]").key("d").boolean(false).key("e").unsigned_integer(UINT64_MAX);
  writer.key("f").number(1.5f).end_object();
  CHECK(out ==
        "{\"a\":[1,{},[],null],\"b\\\"\":\"x\xEF\xBF\xBDy\xEF\xBF\xBD\",\"c\":[1],\"d\":false,"
        "\"e\":18446744073709551615,\"f\":1.5}");
  CHECK(parse_json(out).ok());
}

TEST_CASE("json: a large text does not stay in memory and is read right") {
  std::string text = "[";
  for (int i = 0; i < 300'000; ++i) text += "{\"id\":" + std::to_string(i) + "},";
  text += "null]";
  const auto value = parse_json(text);
  REQUIRE(value.ok());
  CHECK(value->as_array().size() == 300'001);
  CHECK(value->as_array()[299'999].int_or("id") == 299'999);
}

TEST_CASE("ndjson: lines with either end, empty ones, and a last one without") {
  NdjsonLines lines("{}\n\r\n[1]\r\nlast");
  CHECK(lines.line_number() == 0);
  CHECK(lines.next() == "{}");
  CHECK(lines.next() == "");
  CHECK(lines.next() == "[1]");
  CHECK(!lines.unterminated());
  CHECK(lines.next() == "last");
  CHECK(lines.unterminated());
  CHECK(lines.line_number() == 4);
  CHECK(!lines.next());
  CHECK(!NdjsonLines("").next());
}TEST_CASE("json: what is escaped is escaped wherever it stands") {
  for (const std::string_view special : {"\"", "\\", "\n", "\x01", "\x1f", "\x7f", " ", "\xc3\xa4", "!", "#"}) {
    for (std::size_t size = 0; size < 40; ++size) {
      for (std::size_t at = 0; at <= size; ++at) {
        std::string text(size, 'x');
        text.insert(at, special);
        std::string whole, pieces = "\"";
        append_json_string(whole, text);
        // Piece by piece nothing is looked at together.
        for (const std::string& piece : {text.substr(0, at), std::string(special), text.substr(at + special.size())}) {
          for (std::size_t i = 0; i < piece.size();) {
            const std::size_t bytes = piece[i] == '\xc3' ? 2 : 1;
            std::string one;
            append_json_string(one, piece.substr(i, bytes));
            pieces += one.substr(1, one.size() - 2);
            i += bytes;
          }
        }
        pieces += '"';
        REQUIRE(whole == pieces);
      }
    }
  }
}

TEST_CASE("json: a value as a part of a text") {
  const auto shown = [](std::string_view text) { return plain_text(*parse_json(text)); };
  CHECK(shown(R"("a b")") == "a b");
  CHECK(shown("1.5") == "1.5");
  CHECK(shown("null") == "null");
  CHECK(shown(R"(["", "a", [1, null]])") == "[, a, [1, null]]");
  CHECK(shown(R"({"k": "v", "l": [true]})") == "{k=v, l=[true]}");
}
