// SPDX-License-Identifier: Apache-2.0
#include "format/json_spans.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "format/json.h"

namespace cairn::json_spans_test {

std::vector<std::string> members(std::string_view text) {
  std::vector<std::string> out;
  const Status read =
      for_each_json_member(text, [&](std::string_view name, std::string_view value) {
        out.push_back(std::string(name) + "=" + std::string(value));
        return ok_status();
      });
  if (!read.ok()) return {"error " + read.error().code};
  return out;
}

std::vector<std::string> elements(std::string_view text) {
  std::vector<std::string> out;
  const Status read = for_each_json_element(text, [&](std::string_view value) {
    out.emplace_back(value);
    return ok_status();
  });
  if (!read.ok()) return {"error " + read.error().code};
  return out;
}

using Texts = std::vector<std::string>;

TEST_CASE("json spans: values stand as they were written") {
  CHECK(members(R"( { "a" : 1.50e0 , "b":"x\"}" ,"c":[{"d":"]"},[]],"e":{} } )") ==
        Texts{"a=1.50e0", R"(b="x\"}")", R"(c=[{"d":"]"},[]])", "e={}"});
  CHECK(elements(R"([12345678901234567890123, "a,b", null , {"x":[1,2]}])") ==
        Texts{"12345678901234567890123", R"("a,b")", "null", R"({"x":[1,2]})"});
  CHECK(members("{}").empty());
  CHECK(elements(" [ ] ").empty());
}

TEST_CASE("json spans: what is no object, or not whole, is an error") {
  const Texts broken{"error x_content_parse_exception"};
  for (const auto* text :
       {"", "[]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\":\"",
        "{\"a\":\"\\", "{\"a\":[1}", "{} x", "{a:1}", "{\"a\" 1}"})
    CHECK_MESSAGE(members(text) == broken, text);
  for (const auto* text : {"{}", "[", "[1", "[1 2]", "[,]", "[1,]", "[\"]", "[[]"})
    CHECK_MESSAGE(elements(text) == broken, text);
}

TEST_CASE("json spans: an error of the caller ends it") {
  int seen = 0;
  const Status read = for_each_json_element("[1,2,3]", [&](std::string_view) -> Status {
    if (++seen == 2) return Error{.code = "enough"};
    return ok_status();
  });
  CHECK(read.error().code == "enough");
  CHECK(seen == 2);
}

}  // namespace cairn::json_spans_test
