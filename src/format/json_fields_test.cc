// SPDX-License-Identifier: Apache-2.0
// Tests of json_fields.h: what each accessor takes, and what is refused with which words.
#include "format/json_fields.h"

#include <doctest/doctest.h>

namespace cairn::json_fields_test {
namespace {

class Fields final : public JsonFields {
 public:
  explicit Fields(const Json& object) : JsonFields(object, {}) {}
  Fields(const Json& object, bool) : JsonFields(object, everything()) {}

  Error fault(std::string_view name, std::string text) const override {
    return {ErrorKind::invalid_argument, "c", "<" + std::string(name) + "> " + text};
  }

 private:
  static Taking everything() {
    return {.null_as_absent = true,
            .quoted = true,
            .whole_as_integer = true,
            .scalars_as_strings = true,
            .empty_strings = false};
  }
};

constexpr bool lenient = true;

const Json& sample() {
  static const Json object = *parse_json(
      R"({"text":"a","empty":"","null":null,"yes":true,"quoted":"true","maybe":"yes","twelve":12,
          "half":0.5,"whole":12.0,"digits":"12","fraction":"1.5","endless":"inf",
          "huge":18446744073709551615,"list":["a","b"],"mixed":["a",1],"holes":["a",null],
          "object":{"x":1}})");
  return object;
}

std::string refusal(const Status& status) { return status.ok() ? "" : status.error().message; }
template <class T>
std::string refusal(const Result<T>& result) {
  return result.ok() ? "" : result.error().message;
}

std::string type_refused(std::string_view name, std::string_view token) {
  return "<" + std::string(name) + "> " + std::string(name) +
         " doesn't support values of type: " + std::string(token);
}

}  // namespace

TEST_CASE("json fields: an absent member is nothing, and has its fallback") {
  Fields in(sample());
  CHECK(in.any("none") == nullptr);
  CHECK(!in.has("none"));
  CHECK(*in.string("none") == std::nullopt);
  CHECK(*in.boolean("none") == std::nullopt);
  CHECK(*in.integer("none") == std::nullopt);
  CHECK(*in.number("none") == std::nullopt);
  CHECK(*in.strings("none") == std::nullopt);
  CHECK(*in.object("none") == nullptr);
  CHECK(*in.array("none") == nullptr);
  CHECK(*in.string_or("none", "b") == "b");
  CHECK(*in.string_or("text", "b") == "a");
  CHECK(*in.boolean_or("none", true));
  CHECK(*in.integer_or("none", 3) == 3);
  CHECK(refusal(in.required_string("none")) == "<none> Required [none]");
  CHECK(refusal(in.required_object("none")) == "<none> Required [none]");
  CHECK(*in.required_string("text") == "a");
  CHECK((*in.required_object("object"))->int_or("x") == 1);
}

TEST_CASE("json fields: without leniency only the plain types are taken") {
  Fields in(sample());
  CHECK(*in.string("text") == "a");
  CHECK(*in.string("empty") == "");
  CHECK(*in.boolean("yes") == true);
  CHECK(*in.integer("twelve") == 12);
  CHECK(*in.number("half") == 0.5);
  CHECK(*in.number("twelve") == 12);
  CHECK(*in.strings("text") == std::vector<std::string>{"a"});
  CHECK(*in.strings("list") == std::vector<std::string>{"a", "b"});
  CHECK((*in.array("list"))->as_array().size() == 2);
  CHECK(in.has("null"));
  CHECK(refusal(in.string("null")) == type_refused("null", "VALUE_NULL"));
  CHECK(refusal(in.string("twelve")) == type_refused("twelve", "VALUE_NUMBER"));
  CHECK(refusal(in.boolean("quoted")) == type_refused("quoted", "VALUE_STRING"));
  CHECK(refusal(in.integer("digits")) == type_refused("digits", "VALUE_STRING"));
  CHECK(refusal(in.integer("whole")) == type_refused("whole", "VALUE_NUMBER"));
  CHECK(refusal(in.number("fraction")) == type_refused("fraction", "VALUE_STRING"));
  CHECK(refusal(in.strings("yes")) == type_refused("yes", "VALUE_BOOLEAN"));
  CHECK(refusal(in.strings("mixed")) == type_refused("mixed", "VALUE_NUMBER"));
  CHECK(refusal(in.object("list")) == type_refused("list", "START_ARRAY"));
  CHECK(refusal(in.array("object")) == type_refused("object", "START_OBJECT"));
}

TEST_CASE("json fields: leniency takes what says the same") {
  Fields in(sample(), lenient);
  CHECK(in.any("null") == nullptr);
  CHECK(*in.string("null") == std::nullopt);
  CHECK(*in.string("twelve") == "12");
  CHECK(*in.string("yes") == "true");
  CHECK(*in.boolean("quoted") == true);
  CHECK(*in.integer("digits") == 12);
  CHECK(*in.integer("whole") == 12);
  CHECK(*in.number("fraction") == 1.5);
  CHECK(*in.strings("mixed") == std::vector<std::string>{"a", "1"});
}

TEST_CASE("json fields: leniency ends where the meaning does") {
  Fields in(sample(), lenient);
  CHECK(refusal(in.string("empty")) == type_refused("empty", "VALUE_STRING"));
  CHECK(refusal(in.string("list")) == type_refused("list", "START_ARRAY"));
  CHECK(refusal(in.boolean("maybe")) == type_refused("maybe", "VALUE_STRING"));
  CHECK(refusal(in.boolean("twelve")) == type_refused("twelve", "VALUE_NUMBER"));
  CHECK(refusal(in.integer("half")) == type_refused("half", "VALUE_NUMBER"));
  CHECK(refusal(in.integer("fraction")) == type_refused("fraction", "VALUE_STRING"));
  CHECK(refusal(in.number("endless")) == type_refused("endless", "VALUE_STRING"));
  CHECK(refusal(in.strings("holes")) == type_refused("holes", "VALUE_NULL"));
  CHECK(refusal(in.strings("twelve")) == type_refused("twelve", "VALUE_NUMBER"));
}

TEST_CASE("json fields: an integer keeps to its bounds") {
  Fields in(sample());
  CHECK(*in.integer("twelve", 12, 12) == 12);
  CHECK(!in.integer("twelve", 13, 20).ok());
  CHECK(!in.integer("twelve", 0, 11).ok());
  CHECK(*in.integer("huge") == std::numeric_limits<std::int64_t>::max());
  CHECK(!in.integer("huge", 0, 0xffff'ffff).ok());
}

TEST_CASE("json fields: what nobody asked for is refused with the nearest name") {
  const Json object = Json::object({{"size", 1}, {"form", 2}, {"other", 3}});
  Fields in(object);
  CHECK(in.unknown().size() == 3);
  CHECK(in.integer("size").ok());
  CHECK(in.integer("from").ok());
  CHECK(refusal(in.finish()) == "<form> unknown field [form] did you mean [from]?");
  CHECK(in.has("form"));
  CHECK(refusal(in.finish()) == "<other> unknown field [other]");
  CHECK(in.unknown().front()->second == Json(3));
  CHECK(in.has("other"));
  CHECK(in.finish().ok());
}

TEST_CASE("json fields: what is no object reads as an empty one") {
  const Json list = Json::array({1});
  Fields in(list);
  CHECK(in.any("x") == nullptr);
  CHECK(in.unknown().empty());
  CHECK(in.finish().ok());
}

}  // namespace cairn::json_fields_test
