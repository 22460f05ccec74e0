// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/runtime_field.h"

#include <doctest/doctest.h>

#include <string>

#include "index/document/document.h"
#include "index/testing.h"

namespace cairn::index::runtime_field_test {
namespace {

Json json(std::string_view text) { return Fixture::json(text); }

std::shared_ptr<const Mapping> parse(std::string_view text, const MappingLimits& limits = {}) {
  auto made = Mapping::parse(json(text), limits);
  INFO((made.ok() ? std::string() : made.error().message));
  REQUIRE(made.ok());
  return *made;
}

std::string fault(std::string_view text, const MappingLimits& limits = {}) {
  const auto made = Mapping::parse(json(text), limits);
  return made.ok() ? "taken" : made.error().code + ": " + made.error().message;
}

TEST_CASE("runtime fields: what is read is written back, and stands before what is mapped") {
  const char* text =
      R"x({"dynamic":"runtime","runtime":{)x"
      R"x("a":{"type":"long","script":{"source":"emit(params.n)","params":{"n":1}}},)x"
      R"x("d":{"type":"date","format":"yyyy","on_script_error":"continue","meta":{"u":"s"}}},)x"
      R"x("properties":{"a":{"type":"keyword"},"b":{"type":"long"}}})x";
  const auto mapping = parse(text);
  CHECK(mapping->to_json().dump() == text);
  CHECK(mapping->find("a")->type == FieldType::long_);
  CHECK(mapping->find_mapped("a")->type == FieldType::keyword);
  CHECK(mapping->find_mapped("d") == nullptr);
  CHECK(mapping->is_runtime("d"));
  CHECK(mapping->find("d")->runtime->goes_on);
  CHECK_FALSE(mapping->find("d")->runtime->has_script);
  const auto names = [](const std::vector<const Field*>& fields) {
    std::string out;
    for (const Field* field : fields) out += field->name + (field->runtime != nullptr ? "! " : " ");
    return out;
  };
  CHECK(names(mapping->fields()) == "a! b d! ");
  CHECK(names(mapping->match("*")) == "a! b d! ");
  CHECK(names(mapping->match("d*")) == "d! ");
  CHECK(parse(mapping->to_json().dump(), MappingLimits::kept())->to_json() == mapping->to_json());
}

TEST_CASE("runtime fields: an update adds, replaces and takes away") {
  const auto mapping = parse(R"({"runtime":{"a":{"type":"long"},"b":{"type":"long"}}})");
  const auto merged = [&](std::string_view change) {
    const auto made = mapping->merged(json(change), 1000);
    return made.ok() ? (*made)->to_json().dump() : made.error().message;
  };
  CHECK(merged(R"({"runtime":{"a":{"type":"keyword"},"c":{"type":"date"},"b":null}})") ==
        R"({"runtime":{"a":{"type":"keyword"},"c":{"type":"date"}}})");
  CHECK(merged(R"({"runtime":{"a":null,"b":null,"none":null}})") == "{}");
  CHECK(*mapping->merged(json(R"({"runtime":{"a":{"type":"long"}}})"), 1000) == mapping);
}

TEST_CASE("runtime fields: what cannot be is refused by its name") {
  const auto of = [](std::string_view definition) {
    return fault(R"({"runtime":{"f":)" + std::string(definition) + "}}");
  };
  for (const char* type : {"ip", "geo_point", "lookup", "composite", "text", "integer", "nothing"})
    CHECK(
        of(R"({"type":")" + std::string(type) + "\"}") ==
        "mapper_parsing_exception: The mapper type [" + std::string(type) +
            "] declared on runtime field [f] is not offered: it is boolean, date, double, keyword "
            "or long");
  CHECK(of("{}") == "mapper_parsing_exception: No type specified for runtime field [f]");
  CHECK(of("[]").find("Expected map for runtime field [f]") != std::string::npos);
  CHECK(of(R"({"type":"long","index":true})") ==
        "mapper_parsing_exception: unknown parameter [index] on runtime field [f] of type [long]");
  CHECK(of(R"({"type":"long","format":"yyyy"})").find("unknown parameter [format]") !=
        std::string::npos);
  CHECK(of(R"({"type":"date","format":"q"})").find("mapper_parsing_exception: [f]: ") == 0);
  CHECK(of(R"({"type":"long","script":{"id":"kept"}})") ==
        "mapper_parsing_exception: stored scripts are not supported for runtime field [f]");
  CHECK(of(R"({"type":"long","script":{"source":"1","lang":"other"}})").find("[other]") !=
        std::string::npos);
  CHECK(of(R"({"type":"long","on_script_error":"wait"})").find("fail or continue") !=
        std::string::npos);
  CHECK(of("null").find("its removal is not supported in this context") != std::string::npos);
  CHECK(fault(R"({"runtime":{"_id":{"type":"long"}}})").find("metadata field") !=
        std::string::npos);
  CHECK(fault(R"({"runtime":{" ":{"type":"long"}}})").find("cannot be empty") != std::string::npos);
  CHECK(fault(R"({"runtime":[]})").find("must be an object") != std::string::npos);
  const auto bad =
      Mapping::parse(json(R"x({"runtime":{"f":{"type":"long","script":"emit('a')"}}})x"), 9);
  REQUIRE_FALSE(bad.ok());
  REQUIRE(bad.error().cause != nullptr);
  CHECK(bad.error().cause->code == "script_exception");
}

TEST_CASE("runtime fields: they count among the fields that there may be") {
  CHECK(fault(R"({"runtime":{"a":{"type":"long"}},"properties":{"b":{"type":"long"}}})", 2) ==
        "taken");
  CHECK(
      fault(
          R"({"properties":{"b":{"type":"long"}},"runtime":{"a":{"type":"long"},"c":{"type":"long"}}})",
          2)
          .find("Limit of total fields [2] has been exceeded") != std::string::npos);
  std::string deep = "a";
  for (int i = 0; i < 30; ++i) deep += ".a";
  CHECK(
      fault(R"({"runtime":{")" + deep + R"(":{"type":"long"}}})").find("Limit of mapping depth") !=
      std::string::npos);
  Json many = Json::object();
  for (int i = 0; i < 257; ++i) many.set("f" + std::to_string(i), Json::object({{"type", "long"}}));
  const auto made = with_runtime_fields(*parse("{}"), many);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message.find("at most [256]") != std::string::npos);
}

TEST_CASE("runtime fields: documents do not map what has the name of one") {
  const auto read = [](std::string_view mapping, std::string_view document) {
    const auto made = parse_document("1", std::string(document), {}, parse(mapping), {});
    return made.ok() ? made->mapping_change.dump() : made.error().message;
  };
  CHECK(read(R"({"runtime":{"a":{"type":"long"}}})", R"({"a":1})") == "null");
  CHECK(read(R"({"dynamic":"strict","runtime":{"a":{"type":"long"}}})", R"({"a":1})") == "null");
  CHECK(read(R"({"dynamic":"runtime"})",
             R"({"w":"a","l":[null,2],"d":0.5,"b":true,"t":"2026-01-31","o":{"x":1},"n":null})") ==
        R"({"runtime":{"w":{"type":"keyword"},"l":{"type":"long"},"d":{"type":"double"},)"
        R"("b":{"type":"boolean"},"t":{"type":"date"},"o.x":{"type":"long"}}})");
  const char* rules = R"({"dynamic_templates":[{"r":{"match":"r_*","runtime":{}}},)"
                      R"({"s":{"match":"s_*","runtime":{"type":"keyword"}}}]})";
  CHECK(read(rules, R"({"r_a":1.5,"s_b":1,"c":true})") ==
        R"({"properties":{"c":{"type":"boolean"}},)"
        R"("runtime":{"r_a":{"type":"double"},"s_b":{"type":"keyword"}}})");
}

}  // namespace
}  // namespace cairn::index::runtime_field_test
