// SPDX-License-Identifier: Apache-2.0
#include "index/mapping/mapping.h"

#include <doctest/doctest.h>

#include <cmath>

#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/testing.h"

namespace cairn::index::mapping_test {
namespace {

Json json(std::string_view text) { return Fixture::json(text); }

std::shared_ptr<const Mapping> parse(std::string_view text) {
  auto made = Mapping::parse(json(text), 1000);
  INFO((made.ok() ? std::string() : made.error().message));
  REQUIRE(made.ok());
  return *made;
}

Error parse_error(std::string_view text) {
  auto made = Mapping::parse(json(text), 1000);
  REQUIRE(!made.ok());
  return std::move(made).error();
}

TEST_CASE("mapping: what is read is written back") {
  const char* text = R"({"dynamic":"strict","_meta":{"a":1},"properties":{)"
                     R"("a":{"properties":{"b":{"type":"long"}}},)"
                     R"("t":{"type":"text","analyzer":"english",)"
                     R"("fields":{"raw":{"type":"keyword","ignore_above":20}}},)"
                     R"("v":{"type":"dense_vector","dims":3,"similarity":"l2_norm"}}})";
  const auto mapping = parse(text);
  CHECK(mapping->to_json().dump() == text);
  CHECK(mapping->find("a.b")->type == FieldType::long_);
  CHECK(mapping->find("t.raw")->is_multi_field);
  CHECK(mapping->find("t.raw")->value_path() == "t");
  CHECK(*mapping->find("t.raw")->ignore_above == 20);
  CHECK(mapping->find("v")->dims == 3);
  CHECK(mapping->dynamic_of("a") == Dynamic::strict);
  CHECK(parse(mapping->to_json().dump())->to_json() == mapping->to_json());
}

TEST_CASE("mapping: search_as_you_type comes with fields of its runs of words") {
  const char* text = R"({"properties":{"t":{"type":"text","fields":{)"
                     R"("say":{"type":"search_as_you_type","max_shingle_size":4}}}}})";
  const auto mapping = parse(text);
  CHECK(mapping->to_json().dump() == text);
  const auto terms = [&](const char* field, const text::Analyzer& analyzer, const char* words) {
    CAPTURE(field);
    return text::terms_of(analyzer, words);
  };
  using Terms = std::vector<std::string>;
  for (const char* name : {"t.say", "t.say._2gram", "t.say._4gram", "t.say._index_prefix"}) {
    REQUIRE(mapping->find(name) != nullptr);
    CHECK(mapping->find(name)->declared_type() == FieldType::search_as_you_type);
    CHECK(mapping->find(name)->value_path() == "t");
  }
  const Field& pairs = *mapping->find("t.say._2gram");
  CHECK(terms("pairs", *pairs.index_analysis, "The quick fox") == Terms{"the quick", "quick fox"});
  CHECK(terms("pairs", *pairs.search_analysis, "quick").empty());
  const Field& begin = *mapping->find("t.say._index_prefix");
  CHECK(terms("begin", *begin.index_analysis, "a fo") ==
        Terms{"a", "a ", "a f", "a fo", "f", "fo"});
  CHECK(mapping->multi_fields(*mapping->find("t")).size() == 5);
  // A change that says the same makes nothing new; another size is none.
  CHECK(mapping->merged(json(text), 1000)->get() == mapping.get());
  const auto other = mapping->merged(
      json(
          R"({"properties":{"t":{"type":"text","fields":{"say":{"type":"search_as_you_type"}}}}})"),
      1000);
  REQUIRE(!other.ok());
  CHECK(other.error().message.find("[max_shingle_size] from [4] to [default]") !=
        std::string::npos);
  CHECK(parse_error(R"({"properties":{"t":{"type":"search_as_you_type","max_shingle_size":5}}})")
            .message == "[max_shingle_size] must be at least [2] and at most [4], got [5]");
  CHECK(parse(R"({"properties":{"t":{"type":"search_as_you_type","index":false}}})")
            ->find("t._2gram") == nullptr);
}

TEST_CASE("mapping: semantic_text without an endpoint has dense vectors, and keeps saying so") {
  const auto mapping = parse(R"({"properties": {"s": {"type": "semantic_text"}}})");
  CHECK(mapping->find("s")->inference_id == ".cairn-dense");
  CHECK(mapping->to_json().find_path("properties.s.inference_id")->as_string() == ".cairn-dense");
}

TEST_CASE("mapping: names with dots are objects") {
  const auto mapping = parse(R"({"properties": {"a.b.c": {"type": "long"}}})");
  CHECK(mapping->find("a.b.c") != nullptr);
  CHECK(mapping->to_json().dump() ==
        R"({"properties":{"a":{"properties":{"b":{"properties":{"c":{"type":"long"}}}}}}})");
}

TEST_CASE("mapping: mistakes are named as the platform names them") {
  CHECK(parse_error(R"({"properties": {"a": {"type": "nosuch"}}})").message ==
        "No handler for type [nosuch] declared on field [a]");
  CHECK(parse_error(R"({"properties": {"a": {"type": "long", "analyzer": "x"}}})").message ==
        "unknown parameter [analyzer] on mapper [a] of type [long]");
  CHECK(parse_error(R"({"foo": 1})").code == "mapper_parsing_exception");
  CHECK(parse_error(R"({"properties": {"a": {"type": "text", "analyzer": "nosuch"}}})").message ==
        "analyzer [nosuch] has not been configured in mappings");
  CHECK(parse_error(R"({"properties": {"v": {"type": "dense_vector", "dims": 5000}}})")
            .message.find("[1, 4096]") != std::string::npos);
  CHECK(parse_error(R"({"properties": {"": {"type": "long"}}})").code ==
        "illegal_argument_exception");
  CHECK(parse_error(R"({"properties": {"a": {"enabled": "maybe"}}})").code ==
        "mapper_parsing_exception");
  for (const char* wrong : {R"({"properties": 1})", R"({"properties": {"a": 1}})", R"([])",
                            R"({"properties": {"a": {"type": 1}}})",
                            R"({"properties": {"a": {"type": "text", "fields": {"b": {}}}}})"})
    CHECK(!Mapping::parse(json(wrong), 1000).ok());
}

TEST_CASE("mapping: a change adds fields and keeps to what cannot change") {
  const auto mapping = parse(
      R"({"properties": {"a": {"type": "long"}, "t": {"type": "text", "analyzer": "english"},
                         "o": {"properties": {"x": {"type": "keyword"}}}}})");
  const auto same = mapping->merged(json(R"({"properties": {"a": {"type": "long"}}})"), 1000);
  REQUIRE(same.ok());
  CHECK(*same == mapping);
  const auto more = mapping->merged(
      json(R"({"properties": {"o": {"properties": {"y": {"type": "date"}}}}})"), 1000);
  REQUIRE(more.ok());
  CHECK((*more)->find("o.x") != nullptr);
  CHECK((*more)->find("o.y") != nullptr);
  CHECK(mapping->find("o.y") == nullptr);

  const auto error = [&](const char* change) {
    auto made = mapping->merged(json(change), 1000);
    REQUIRE(!made.ok());
    return made.error().message;
  };
  CHECK(error(R"({"properties": {"a": {"type": "text"}}})") ==
        "mapper [a] cannot be changed from type [long] to [text]");
  CHECK(error(R"({"properties": {"t": {"type": "text", "analyzer": "german"}}})") ==
        "Mapper for [t] conflicts with existing mapper:\n\tCannot update parameter [analyzer] from "
        "[english] to [german]");
  CHECK(error(R"({"properties": {"a": {"properties": {"b": {"type": "long"}}}}})") ==
        "mapper [a] cannot be changed from type [long] to [ObjectMapper]");
  CHECK(error(R"({"properties": {"o": {"type": "long"}}})") ==
        "can't merge a non object mapping [o] with an object mapping");
  CHECK(!mapping->merged(json(R"({"properties": {"z": {"type": "long"}}})"), 3).ok());
}

std::string dynamic(const char* mapping, const char* document) {
  const auto base = parse(mapping);
  auto doc = parse_document("1", document, {}, base, {});
  if (!doc) return doc.error().code + ": " + doc.error().message;
  return doc->mapping->to_json().dump();
}

TEST_CASE("dynamic mapping: types are guessed from values") {
  CHECK(dynamic("{}", R"({"s": "x"})") ==
        R"({"properties":{"s":{"type":"text","fields":{"keyword":)"
        R"({"type":"keyword","ignore_above":256}}}}})");
  CHECK(dynamic("{}", R"({"i": 1, "f": 1.5, "b": true, "d": "2026-01-31"})") ==
        R"({"properties":{"b":{"type":"boolean"},"d":{"type":"date"},)"
        R"("f":{"type":"float"},"i":{"type":"long"}}})");
  CHECK(dynamic("{}", R"({"n": null, "e": [], "o": {"p": {"q": 1}}})") ==
        R"({"properties":{"o":{"properties":{"p":{"properties":{"q":{"type":"long"}}}}}}})");
  CHECK(dynamic("{}", R"({"a": [{"b": 1}, {"c": "2026"}]})").find(R"("c":{"type":"text")") !=
        std::string::npos);
  CHECK(dynamic(R"({"date_detection": false})", R"({"d": "2026-01-31"})").find("date\"") ==
        std::string::npos);
  CHECK(dynamic(R"({"dynamic": false})", R"({"s": "x"})") == R"({"dynamic":false})");
  CHECK(dynamic(R"({"dynamic": "strict"})", R"({"s": "x"})") ==
        "strict_dynamic_mapping_exception: [1:7] mapping set to strict, dynamic introduction of "
        "[s] within [_doc] is not allowed");
  CHECK(dynamic(R"({"dynamic_templates": [{"k": {"match_mapping_type": "string",
                   "match": "k_*", "mapping": {"type": "keyword"}}}]})",
                R"({"k_a": "x"})")
            .find(R"("k_a":{"type":"keyword"})") != std::string::npos);
  std::string vector = "[0.5";
  for (int i = 1; i < 128; ++i) vector += ",0.5";
  CHECK(dynamic("{}", (R"({"v": )" + vector + "]}").c_str()) ==
        R"({"properties":{"v":{"type":"dense_vector","dims":128}}})");
}

std::string refused(const char* mapping, const char* document) {
  const auto base = parse(mapping);
  auto doc = parse_document("1", document, {}, base, {});
  REQUIRE(!doc.ok());
  CHECK(doc.error().code == "document_parsing_exception");
  return doc.error().message +
         (doc.error().cause ? " | " + doc.error().cause->message : std::string());
}

TEST_CASE("documents: values that do not fit are named") {
  CHECK(refused(R"({"properties": {"a": {"type": "long"}}})", R"({"a":"abc"})") ==
        "[1:6] failed to parse field [a] of type [long] in document with id '1'. Preview of "
        "field's value: 'abc' | For input string: \"abc\"");
  CHECK(refused(R"({"properties": {"a": {"type": "byte"}}})", R"({"a":300})")
            .ends_with("Value [300] is out of range for a byte"));
  CHECK(refused(R"({"properties": {"a": {"type": "boolean"}}})", R"({"a":"yes"})")
            .ends_with("Failed to parse value [yes] as only [true] or [false] are allowed."));
  CHECK(refused(R"({"properties": {"a": {"type": "date"}}})", R"({"a":"yesterday"})")
            .ends_with("failed to parse date field [yesterday] with format "
                       "[strict_date_optional_time||epoch_millis]"));
  CHECK(refused(R"({"properties": {"a": {"properties": {"b": {"type": "long"}}}}})", R"({"a":1})")
            .find("object mapping for [a] tried to parse field [a] as object, but found a "
                  "concrete value") != std::string::npos);
  CHECK(refused(R"({"properties": {"v": {"type": "dense_vector", "dims": 3}}})", R"({"v":[1,2]})")
            .ends_with("The [dense_vector] field [v] in doc [document with id '1'] has a different "
                       "number of dimensions [2] than defined in the mapping [3]"));
  CHECK(refused(R"({"properties": {"v": {"type": "dense_vector", "dims": 2}}})", R"({"v":[0,0]})")
            .find("The [cosine] similarity does not support vectors with zero magnitude") !=
        std::string::npos);
  CHECK(refused(R"({"properties": {"v": {"type": "dense_vector", "dims": 2,
                    "element_type": "byte"}}})",
                R"({"v":[1,128]})")
            .find("[byte] vectors only support integers between [-128, 127]") != std::string::npos);
  CHECK(refused(R"({"properties": {"s": {"type": "sparse_vector"}}})", R"({"s":{"a":-1}})")
            .find("only support positive values") != std::string::npos);
  CHECK(refused("{}", "[1]").find("must be an object") != std::string::npos);
  CHECK(refused("{}", "{\"a\":").find("failed to parse") != std::string::npos);
}

TEST_CASE("documents: values are taken as the fields want them") {
  const auto mapping = parse(R"({"properties": {
    "l": {"type": "long"}, "h": {"type": "half_float"}, "f": {"type": "float"},
    "d": {"type": "date", "format": "yyyy/MM/dd||epoch_second"}, "k": {"type": "keyword",
    "ignore_above": 3, "normalizer": "lowercase"}, "m": {"type": "long", "ignore_malformed": true},
    "c": {"type": "keyword", "copy_to": ["all"]}, "all": {"type": "text"},
    "n": {"type": "keyword", "null_value": "none"}}})");
  const auto doc =
      parse_document("1", R"({"l": ["5", 6.9, -7], "h": 0.1, "f": 0.1, "d": ["2026/01/31", 86400],
               "k": ["ABC", "abcd"], "m": "x", "c": "Two Words", "n": null})",
                     {}, mapping, {});
  INFO((doc.ok() ? std::string() : doc.error().message));
  REQUIRE(doc.ok());
  const auto values = [&](std::string_view name) -> const FieldValues* {
    for (const FieldValues& v : doc->fields)
      if (v.field->name == name) return &v;
    return nullptr;
  };
  CHECK(values("l")->numbers == std::vector<std::int64_t>{5, 6, -7});
  CHECK(key_double(values("h")->numbers[0]) == 0.0999755859375);
  CHECK(key_double(values("f")->numbers[0]) == static_cast<double>(0.1f));
  CHECK(values("d")->numbers == std::vector<std::int64_t>{1'769'817'600'000, 86'400'000});
  CHECK(values("k")->terms == std::vector<std::string>{"abc"});
  CHECK(values("m") == nullptr);
  CHECK(values("all")->tokens.list.size() == 2);
  CHECK(values("n")->terms == std::vector<std::string>{"none"});
}

TEST_CASE("documents: scaled numbers, counts of words, and bytes") {
  const auto mapping = parse(R"({"properties": {
    "p": {"type": "scaled_float", "scaling_factor": 10}, "q": {"type": "scaled_float",
    "scaling_factor": "3", "null_value": 0.5}, "b": {"type": "binary"},
    "t": {"type": "text", "fields": {"n": {"type": "token_count", "analyzer": "stop"},
    "m": {"type": "token_count", "analyzer": "stop", "enable_position_increments": false}}},
    "c": {"type": "token_count", "analyzer": "standard", "null_value": 7}}})");
  const auto doc = parse_document(
      "1", R"({"p": [0.25, -0.25, "1.04", 1e300], "q": null, "b": "AAE=", "c": [null, 5, "a b"],
               "t": "the ship and the sea of"})",
      {}, mapping, {});
  INFO((doc.ok() ? std::string() : doc.error().message));
  REQUIRE(doc.ok());
  const auto values = [&](std::string_view name) -> const FieldValues* {
    for (const FieldValues& v : doc->fields)
      if (v.field->name == name) return &v;
    return nullptr;
  };
  const auto doubles = [&](std::string_view name) {
    std::vector<double> out;
    for (const std::int64_t key : values(name)->numbers) out.push_back(key_double(key));
    return out;
  };
  CHECK(doubles("p") == std::vector<double>{0.3, -0.2, 1.0, 0x1p63 / 10});
  CHECK(doubles("q") == std::vector<double>{2.0 / 3});
  CHECK(values("b") != nullptr);
  CHECK(values("t.n")->numbers == std::vector<std::int64_t>{6});
  CHECK(values("t.m")->numbers == std::vector<std::int64_t>{2});
  CHECK(values("c")->numbers == std::vector<std::int64_t>{7, 1, 2});
  CHECK(refused(R"({"properties": {"b": {"type": "binary"}}})", R"({"b": "no base64!"})")
            .ends_with("[binary] fields take base64 texts"));

  const auto field = [](std::string_view parameters) {
    return R"({"properties": {"f": {)" + std::string(parameters) + "}}}";
  };
  CHECK(parse_error(field(R"("type": "scaled_float")"))
            .message.find("[scaling_factor] is required") != std::string::npos);
  for (const char* wrong : {"0", "-1", "\"x\"", "true"})
    CHECK(parse_error(field(R"("type": "scaled_float", "scaling_factor": )" + std::string(wrong)))
              .message.find("must be a positive number") != std::string::npos);
  CHECK(parse_error(field(R"("type": "token_count")")).message ==
        "Analyzer must be set for field [f] but wasn't.");
  CHECK(parse_error(field(R"("type": "token_count", "analyzer": "none")"))
            .message.find("[none] has not been configured") != std::string::npos);
  CHECK(parse_error(field(R"("type": "binary", "doc_values": true)"))
            .message.find("cannot be true") != std::string::npos);
  CHECK_FALSE(parse(field(R"("type": "scaled_float", "scaling_factor": 10)"))
                  ->merged(json(field(R"("type": "scaled_float", "scaling_factor": 100)")), 1000)
                  .ok());
  CHECK(parse(field(R"("type": "scaled_float", "scaling_factor": 10)"))
            ->merged(json(field(R"("type": "scaled_float", "scaling_factor": 10.0)")), 1000)
            .ok());
}

TEST_CASE("scaled numbers: bounds between two values become the next one") {
  const Field field{.name = "p", .type = FieldType::scaled_float, .scaling_factor = 10};
  CHECK(scaled_bound(field, 1.23, true, false) == 1.3);
  CHECK(scaled_bound(field, 1.23, false, false) == 1.2);
  CHECK(scaled_bound(field, 1.5, true, false) == 1.5);
  CHECK(scaled_bound(field, 1.5, true, true) == 1.6);
  CHECK(scaled_bound(field, 1.5, false, true) == 1.4);
  CHECK(scaled_bound(field, -1.23, true, true) == -1.2);
}

TEST_CASE("doubles: keys order as the numbers do") {
  const std::vector<double> ascending = {-1e308, -2.5, -1e-300, 0.0, 1e-300, 0.1, 2.5, 1e308};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    CHECK(key_double(double_key(ascending[i])) == ascending[i]);
    if (i > 0) CHECK(double_key(ascending[i - 1]) < double_key(ascending[i]));
  }
  CHECK(double_key(-0.0) == double_key(0.0));
  const Field half{.name = "h", .type = FieldType::half_float};
  CHECK(rounded(half, 65504) == 65504);
  CHECK(std::isinf(rounded(half, 70000)));
}

std::int64_t date(std::string_view format, std::string_view text) {
  const auto parsed = DateFormat::parse(format);
  REQUIRE(parsed.ok());
  const auto ms = parsed->read(text);
  CAPTURE(text);
  REQUIRE(ms.has_value());
  return *ms;
}

TEST_CASE("dates: formats, patterns and what they write") {
  CHECK(date("strict_date_optional_time", "1970-01-02") == 86'400'000);
  CHECK(date("date", "1970-01-02") == 86'400'000);
  CHECK(date("epoch_second", "1.5") == 1500);
  CHECK(date("yyyy-MM-dd HH:mm:ss", "1970-01-01 01:00:01") == 3'601'000);
  CHECK(date("dd MMM yyyy", "02 Jan 1970") == 86'400'000);
  CHECK(date("EEE, dd MMM yyyy HH:mm:ss Z", "Thu, 01 Jan 1970 01:00:00 +0100") == 0);
  CHECK(date("h:mm a", "1:30 PM") == 48'600'000);
  CHECK(date("basic_date_time", "19700101T000000.250Z") == 250);
  CHECK(date("yyyy-MM-dd'T'HH:mm:ssXXX", "1970-01-01T00:00:00-01:30") == 5'400'000);
  CHECK(!DateFormat::parse("yyyy-bb").ok());
  CHECK(!DateFormat::parse("").ok());
  for (const char* wrong : {"1970-13-01", "1970-02-30", "x", "", "1970-01-01 "})
    CHECK(!DateFormat::parse("yyyy-MM-dd")->read(std::string_view(wrong)).has_value());
  CHECK(DateFormat::parse("dd.MM.yyyy HH:mm")->write(0) == "01.01.1970 00:00");
  CHECK(DateFormat::parse("strict_date_optional_time")->write(0) == "1970-01-01T00:00:00.000Z");
}

TEST_CASE("dates: date math") {
  const auto format = DateFormat::parse(default_date_format);
  const std::int64_t now = date("strict_date_optional_time", "2026-03-31T10:20:30Z");
  const auto at = [&](const char* text, bool up = false) {
    const auto ms = resolve_date(Json(text), *format, now, {}, up);
    CAPTURE(text);
    REQUIRE(ms.ok());
    return DateFormat::parse("strict_date_optional_time")->write(*ms);
  };
  CHECK(at("now-1d/d") == "2026-03-30T00:00:00.000Z");
  CHECK(at("now/d", true) == "2026-03-31T23:59:59.999Z");
  CHECK(at("now-1M") == "2026-02-28T10:20:30.000Z");
  CHECK(at("now/w") == "2026-03-30T00:00:00.000Z");
  CHECK(at("2026-01-01||+1y/M") == "2027-01-01T00:00:00.000Z");
  // The platform fills in the clock, and 01 for what is missing of the date.
  CHECK(at("2026-01", true) == "2026-01-01T23:59:59.999Z");
  CHECK(at("2026", true) == "2026-01-01T23:59:59.999Z");
  CHECK(at("2026-01-05T10", true) == "2026-01-05T10:59:59.999Z");
  CHECK(at("2026-01-05T10:20Z", true) == "2026-01-05T10:20:59.999Z");
  CHECK(at("2026-01-05T10:20:30", true) == "2026-01-05T10:20:30.999Z");
  CHECK(at("2026-01-05T10:20:30.5", true) == "2026-01-05T10:20:30.500Z");
  CHECK(at("2026-01-05||+1d", true) == "2026-01-06T00:00:00.000Z");
  CHECK(at("2026-01-05", true) == "2026-01-05T23:59:59.999Z");
  for (const char* wrong : {"now+", "now+1", "now*1d", "now/2d", "nope", "2026-01-01||+1q"})
    CHECK(!resolve_date(Json(wrong), *format, now, {}, false).ok());
}

TEST_CASE("dates: bounds in a format of their own are rounded up too") {
  const auto up = [](const char* format, const Json& value) {
    const auto ms = resolve_date(value, *DateFormat::parse(format), 0, {}, true);
    CAPTURE(format);
    REQUIRE(ms.ok());
    return DateFormat::parse("strict_date_optional_time")->write(*ms);
  };
  CHECK(up("dd/MM/yyyy", "05/01/2024") == "2024-01-05T23:59:59.999Z");
  CHECK(up("yyyy-MM", "2024-02") == "2024-02-01T23:59:59.999Z");
  CHECK(up("yyyyMMdd", 20240105) == "2024-01-05T23:59:59.999Z");
  CHECK(up("dd/MM/yyyy HH:mm", "05/01/2024 10:20") == "2024-01-05T10:20:59.999Z");
  CHECK(up("dd/MM/yyyy hh a", "05/01/2024 10 PM") == "2024-01-05T22:59:59.999Z");
  CHECK(up("dd/MM/yyyy HH:mm:ss.SSS", "05/01/2024 10:20:30.400") == "2024-01-05T10:20:30.400Z");
  CHECK(up("yyyy-DDD", "2024-005") == "2024-01-05T23:59:59.999Z");
  CHECK(up("epoch_second", 1704412800) == "2024-01-05T00:00:00.999Z");
  CHECK(up("epoch_millis", 1704412800000) == "2024-01-05T00:00:00.000Z");
  // Down nothing is filled in but zeros.
  const auto down = resolve_date("05/01/2024", *DateFormat::parse("dd/MM/yyyy"), 0, {}, false);
  REQUIRE(down.ok());
  CHECK(*down == 1704412800000);
}

TEST_CASE("mapping: parameters that nothing would heed are refused when they are set") {
  const auto reason = [](const std::string& field) {
    return parse_error("{\"properties\":{\"f\":" + field + "}}").message;
  };
  CHECK(parse_error(R"({"_source": {"excludes": ["a"]}})")
            .message.starts_with("[_source.excludes] is not offered"));
  CHECK(parse_error(R"({"_source": {"includes": ["a"]}})").code == "mapper_parsing_exception");
  CHECK(parse(R"({"_source": {"enabled": true, "excludes": []}})") != nullptr);
  CHECK(reason(R"({"type":"date","locale":"fr"})") ==
        "[locale] of [f] cannot be [fr]: dates are read in English; use [en] or [ROOT]");
  CHECK(parse(R"({"properties":{"f":{"type":"date","locale":"ROOT"}}})") != nullptr);
  CHECK(reason(R"({"type":"dense_vector","dims":3,"index_options":{"type":"quick"}})") ==
        "Unknown vector index options type [quick] for field [f]");
  CHECK(reason(R"({"type":"dense_vector","dims":3,"index_options":{"m":3}})") ==
        "[index_options] of [f] requires field [type] to be configured");
  CHECK(reason(R"({"type":"dense_vector","index_options":{"type":"hnsw","x":3}})") ==
        "unknown parameter [x] in [index_options] of field [f]");
  CHECK(parse(R"({"properties":{"f":{"type":"dense_vector","index_options":)"
              R"({"type":"int8_hnsw","m":16,"ef_construction":100}}}})") != nullptr);
  const auto vectors = parse(R"({"properties":{
      "a":{"type":"dense_vector","index_options":{"type":"bbq_flat"}},
      "b":{"type":"dense_vector","index_options":{"type":"bbq_hnsw",
                                                  "rescore_vector":{"oversample":3}}},
      "c":{"type":"dense_vector","index":false},
      "d":{"type":"semantic_text","inference_id":"e",
           "index_options":{"dense_vector":{"type":"int8_flat"}}}}})");
  CHECK(vectors->find("a")->exact_vectors);
  CHECK(!vectors->find("b")->exact_vectors);
  CHECK(vectors->find("b")->oversample == 3);
  CHECK(vectors->find("c")->exact_vectors);
  CHECK(vectors->find("d")->exact_vectors);
  CHECK(reason(R"({"type":"dense_vector","index_options":{"type":"hnsw",)"
               R"("rescore_vector":{"oversample":0.5}}})")
            .ends_with("needs [oversample]: 0, or a number from 1 to 10"));
  CHECK(reason(R"({"type":"long","null_value":"x"})") ==
        "Error parsing [null_value] on field [f] of type [long]: For input string: \"x\"");
  CHECK(reason(R"({"type":"date","null_value":"soon"})")
            .starts_with("Error parsing [null_value] on field [f] of type [date]: failed to parse "
                         "date field [soon]"));
  CHECK(reason(R"({"type":"boolean","null_value":"maybe"})").starts_with("Error parsing"));
  CHECK(reason(R"({"type":"keyword","null_value":["a"]})").starts_with("Error parsing"));
  CHECK(parse(R"({"properties":{"f":{"type":"long","null_value":7}}})") != nullptr);
}

TEST_CASE("mapping: what was taken once is taken again, whatever is refused today") {
  const Json old =
      json(R"({"_source":{"excludes":["a"]},"properties":{)"
           R"("d":{"type":"date","locale":"fr"},"n":{"type":"long","null_value":"x"}}})");
  CHECK(!Mapping::parse(old, 1000).ok());
  CHECK(Mapping::parse(old, MappingLimits::kept()).ok());
}

TEST_CASE("documents: the first value of a new field says what it is") {
  const auto document = parse_document("1", R"({"a":[{"n":1},{"n":2.5}]})", {}, parse("{}"), {});
  REQUIRE(document.ok());
  CHECK(document->mapping->find("a.n")->type == FieldType::long_);
}

}  // namespace
}  // namespace cairn::index::mapping_test
