// SPDX-License-Identifier: Apache-2.0
// Templates: which applies, what several say together, and what is kept.
#include "index/templates/templates.h"

#include <functional>
#include <string>

#include "index/errors.h"
#include "index/faulty_store.h"
#include "index/templates/merged_definition.h"
#include "index/testing.h"

namespace cairn::index::templates_test {
namespace {

IndexTemplate index_template(std::string_view body) {
  auto read = read_index_template(Fixture::json(body));
  INFO((read.ok() ? std::string() : read.error().message));
  REQUIRE(read.ok());
  return std::move(*read);
}
ComponentTemplate component(std::string_view body) {
  auto read = read_component_template(Fixture::json(body));
  INFO((read.ok() ? std::string() : read.error().message));
  REQUIRE(read.ok());
  return std::move(*read);
}

std::string text_of(const Status& status) {
  return status.ok() ? "ok" : status.error().code + ": " + status.error().message;
}

Status put(Fixture& house, const std::string& name, std::string_view body, bool only_new = false) {
  return house.indices().put_template(name, index_template(body), only_new, {}, house.soon());
}
Status put_component(Fixture& house, const std::string& name, std::string_view body) {
  return house.indices().put_template(name, component(body), false, {}, house.soon());
}

TEST_CASE("templates: two patterns overlap where a name matches both") {
  struct Row {
    const char* a;
    const char* b;
    bool overlap;
  };
  const Row rows[] = {
      {"logs", "logs", true},         {"logs", "log", false},       {"logs-*", "logs-app-*", true},
      {"logs-*", "metrics-*", false}, {"*", "x", true},             {"*", "*", true},
      {"*-a", "*-b", false},          {"*-a", "b-*", true},         {"a*b*c", "ab*bc", true},
      {"a*c", "ab", false},           {"a*", "ab", true},           {"ab*", "a*", true},
      {"a*x", "*yx", true},           {"logs-*-x", "logs-y", false}};
  for (const Row& row : rows) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    CHECK(patterns_overlap(row.a, row.b) == row.overlap);
    CHECK(patterns_overlap(row.b, row.a) == row.overlap);
  }
}

TEST_CASE("templates: a field above replaces one below as a whole, fields of objects come together") {
  struct Row {
    const char* below;
    const char* above;
    const char* wanted;
  };
  const Row rows[] = {
      {"null", R"({"dynamic":false})", R"({"dynamic":false})"},
      {R"({"properties":{"a":{"type":"keyword","ignore_above":5}}})",
       R"({"properties":{"a":{"type":"text"}}})", R"({"properties":{"a":{"type":"text"}}})"},
      {R"({"properties":{"o":{"properties":{"a":{"type":"long"}}}}})",
       R"({"properties":{"o":{"dynamic":false,"properties":{"b":{"type":"long"}}}}})",
       R"({"properties":{"o":{"dynamic":false,"properties":{"a":{"type":"long"},"b":{"type":"long"}}}}})"},
      {R"({"properties":{"o.a":{"type":"long"}}})", R"({"properties":{"o":{"properties":{"b":{"type":"long"}}}}})",
       R"({"properties":{"o":{"properties":{"a":{"type":"long"},"b":{"type":"long"}}}}})"},
      {R"({"properties":{"o":{"type":"keyword"}}})", R"({"properties":{"o.a":{"type":"long"}}})",
       R"({"properties":{"o":{"properties":{"a":{"type":"long"}}}}})"},
      {R"({"properties":{"o":{"properties":{"a":{"type":"long"}}}}})",
       R"({"properties":{"o":{"type":"keyword"}}})", R"({"properties":{"o":{"type":"keyword"}}})"},
      {R"({"_meta":{"a":1,"b":1}})", R"({"_meta":{"b":2}})", R"({"_meta":{"a":1,"b":2}})"},
      {R"({"dynamic_templates":[{"x":{"mapping":{}}},{"y":{}}]})",
       R"({"dynamic_templates":[{"z":{}},{"x":{"match":"a"}}]})",
       R"({"dynamic_templates":[{"x":{"match":"a"}},{"y":{}},{"z":{}}]})"},
      // Nothing of what is wrong is lost: a mapping refuses it later.
      {R"({"properties":{"a":5}})", R"({"properties":{"a":{"type":"long"}}})",
       R"({"properties":{"a":{"type":"long"}}})"},
      {R"({"properties":{"a":{"type":"long"}}})", R"({"properties":{"a":5}})",
       R"({"properties":{"a":5}})"}};
  for (const Row& row : rows) {
    CAPTURE(row.below);
    CHECK(merged_mappings(Fixture::json(row.below), Fixture::json(row.above)).dump() ==
          Fixture::json(row.wanted).dump());
  }
  // Objects in objects are walked once, not once more at each level.
  std::string nested = R"({"type":"long"})";
  for (int i = 0; i < 40; ++i) nested = R"({"properties":{"a":)" + nested + "}}";
  const Json many = Fixture::json(nested);
  CHECK(merged_mappings(many, many) == many);
  // A path of very many pieces is one name, which no mapping takes.
  std::string deep;
  for (int i = 0; i < 300'000; ++i) deep += "a.";
  Json fields = Json::object();
  fields.set(deep + "a", Json::object({{"type", "long"}}));
  const Json above = Json::object({{"properties", std::move(fields)}});
  CHECK(merged_mappings(Fixture::json(R"({"properties":{"b":{"type":"long"}}})"), above)
            .find("properties")
            ->as_object()
            .size() == 2);
  CHECK(merged_mappings({}, above).dump().size() > 600'000);
}

TEST_CASE("templates: the one with the highest priority applies, below it its components") {
  Fixture house;
  REQUIRE(put_component(house, "base", R"({"template": {
      "settings": {"number_of_replicas": 2, "refresh_interval": "9s"},
      "mappings": {"properties": {"host": {"type": "keyword"}, "n": {"type": "long"}}},
      "aliases": {"all": {}}}})")
              .ok());
  REQUIRE(put_component(house, "more", R"({"template": {
      "settings": {"index": {"refresh_interval": "5s"}},
      "mappings": {"properties": {"n": {"type": "double"}}}}})")
              .ok());
  REQUIRE(put(house, "logs", R"({"index_patterns": ["logs-*"], "composed_of": ["base", "more"],
      "priority": 5, "template": {"mappings": {"properties": {"n": {"type": "integer"}}}}})")
              .ok());
  REQUIRE(put(house, "rest", R"({"index_patterns": "*", "priority": 1,
      "template": {"settings": {"max_result_window": 7}}})")
              .ok());
  const auto made = house.indices().templated(
      "logs-1", {.settings = Fixture::json(R"({"refresh_interval": "1s"})")});
  REQUIRE(made.ok());
  CHECK(made->template_name == "logs");
  CHECK(made->definition.settings.dump() ==
        R"({"index":{"number_of_replicas":"2","refresh_interval":"1s"}})");
  CHECK(made->definition.mappings.find_path("properties.n")->dump() == R"({"type":"integer"})");
  CHECK(made->definition.mappings.find_path("properties.host")->dump() == R"({"type":"keyword"})");
  REQUIRE(made->definition.aliases.size() == 1);
  CHECK(made->definition.aliases[0].first == "all");
  CHECK(house.indices().templated("other", {})->template_name == "rest");
  // What is hidden is of no template for everything.
  CHECK(house.indices()
            .templated("other", {.settings = Fixture::json(R"({"index.hidden": true})")})
            ->template_name.empty());
  CHECK(house.reopen()->templated("logs-1", {})->definition.mappings ==
        made->definition.mappings);
}

TEST_CASE("templates: what does not fit is refused and changes nothing") {
  Fixture house;
  REQUIRE(put_component(house, "analysis", R"({"template": {"settings": {"analysis": {"analyzer":
      {"mine": {"type": "custom", "tokenizer": "standard"}}}}}})")
              .ok());
  REQUIRE(put(house, "books", R"({"index_patterns": ["books-*"], "composed_of": ["analysis"],
      "template": {"mappings": {"properties": {"t": {"type": "text", "analyzer": "mine"}}}}})")
              .ok());
  struct Row {
    const char* name;
    const char* body;
    const char* wanted;
  };
  const Row rows[] = {
      {"x", R"({"index_patterns": ["b*"]})",
       "illegal_argument_exception: index template [x] has index patterns [b*] matching patterns "
       "from existing templates [books] with patterns (books => [books-*]) that have the same "
       "priority [0], multiple index templates may not match during index creation, please use a "
       "different priority"},
      {"x", R"({"index_patterns": ["x"], "composed_of": ["none"]})",
       "invalid_index_template_exception: index_template [x] invalid, cause [index template [x] "
       "specifies component templates [none] that do not exist]"},
      {"X", R"({"index_patterns": ["x"]})",
       "invalid_index_template_exception: index_template [X] invalid, cause [name must be lower "
       "cased]"},
      {"x", R"({"index_patterns": ["x"],
          "template": {"mappings": {"properties": {"a": {"type": "no"}}}}})",
       "mapper_parsing_exception: No handler for type [no] declared on field [a]"},
      {"x", R"({"index_patterns": ["x"], "data_stream": {},
          "template": {"mappings": {"properties": {"@timestamp": {"type": "keyword"}}}}})",
       "illegal_argument_exception: data stream timestamp field [@timestamp] is of type [keyword], "
       "but [date,date_nanos] is expected"}};
  for (const Row& row : rows) {
    CAPTURE(row.body);
    CHECK(text_of(put(house, row.name, row.body)) == row.wanted);
  }
  CHECK(text_of(put(house, "books", R"({"index_patterns": ["books"]})", true)) ==
        "illegal_argument_exception: index template [books] already exists");
  CHECK(text_of(put_component(house, "analysis", R"({"template": {}})")) ==
        "illegal_argument_exception: updating component template [analysis] results in invalid "
        "composable template [books] after templates are merged: analyzer "
        "[mine] has not been configured in mappings");
  CHECK(text_of(house.indices().remove_component_templates({"analysis"}, house.soon())) ==
        "illegal_argument_exception: component templates [analysis] cannot be removed as they are "
        "still in use by index templates [books]");
  CHECK(house.indices().templates()->templates().size() == 1);
  REQUIRE(house.indices().remove_index_templates({"books"}, house.soon()).ok());
  REQUIRE(house.indices().remove_component_templates({"analysis"}, house.soon()).ok());
  CHECK(house.reopen()->templates()->components().empty());
}

TEST_CASE("templates: bodies that cannot be are refused by name") {
  struct Row {
    const char* body;
    const char* wanted;
  };
  const Row rows[] = {
      {R"({})", "index patterns are missing: give [index_patterns] a list"},
      {R"({"index_patterns": []})", "index patterns are missing: give [index_patterns] a list"},
      {R"({"index_patterns": ["A"]})", "index_patterns [A] must be lowercase"},
      {R"({"index_patterns": ["_a"]})", "index_patterns [_a] must not start with '_'"},
      {R"({"index_patterns": [5]})", "[index_patterns] of a template must be a list of texts"},
      {R"({"index_patterns": ["a"], "priority": -1})",
       "[priority] of a template must be a whole number that is not negative"},
      {R"({"index_patterns": ["a"], "order": 1})",
       "[index_template] unknown field [order]; it has index_patterns, composed_of, "
       "ignore_missing_component_templates, template, priority, data_stream, allow_auto_create, "
       "version, _meta, deprecated"},
      {R"({"index_patterns": ["a"], "template": {"lifecycle": {}}})",
       "[template] unknown field [lifecycle]; it has settings, mappings, aliases"},
      {R"({"index_patterns": ["a"], "template": {"settings": {"nonsense": 1}}})",
       "unknown setting [index.nonsense] please check that any required plugins are installed, or "
       "check the breaking changes documentation for removed settings"},
      {R"({"index_patterns": ["a"], "template": {"settings": {"index.public": true}}})",
       "[index.public] cannot be in a template; set it on each index"},
      {R"({"index_patterns": ["a"], "data_stream": {"failure_store": true}})",
       "[data_stream] unknown field [failure_store]; it has hidden, allow_custom_routing"}};
  for (const Row& row : rows) {
    CAPTURE(row.body);
    const auto read = read_index_template(Fixture::json(row.body));
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().message == row.wanted);
  }
}

TEST_CASE("templates: what is shown is what is read again") {
  const char* bodies[] = {
      R"({"index_patterns":["a*","b"],"template":{"settings":{"index":{"refresh_interval":"5s"}},"mappings":{"dynamic":false},"aliases":{"x":{"is_hidden":true}}},"composed_of":["c"],"priority":7,"version":3,"_meta":{"by":"me"},"deprecated":true,"allow_auto_create":false,"ignore_missing_component_templates":["c"]})",
      R"({"index_patterns":["a"],"composed_of":[]})",
      R"({"index_patterns":["a"],"composed_of":[],"data_stream":{"hidden":true,"allow_custom_routing":false}})"};
  for (const char* body : bodies) CHECK(index_template(body).shown.dump() == body);
  const char* part = R"({"template":{"settings":{"index":{"hidden":"true"}}},"version":1})";
  CHECK(component(part).shown.dump() == part);
}

TEST_CASE("templates: a record that is damaged is told, and indices go on") {
  Fixture house;
  house.create("one");
  REQUIRE(put(house, "t", R"({"index_patterns": ["a"]})").ok());
  REQUIRE(house.store().put("index/templates", "{", house.soon()).ok());
  CHECK(house.reopen()->find("one").ok());
  const Status done = put(house, "u", R"({"index_patterns": ["b"]})");
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().kind == ErrorKind::corrupt);
}

TEST_CASE("templates: a crash at any call to the store leaves the old one or the new one") {
  for (const bool for_good : {true, false})
    for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer})
      for (std::size_t at = 0;; ++at) {
        CAPTURE(at);
        auto inside = store::memory_store();
        auto owned = std::make_unique<FaultyStore>(*inside);
        FaultyStore& faulty = *owned;
        Fixture house(Fixture::quiet_options(), std::move(owned));
        REQUIRE(put(house, "t", R"({"index_patterns": ["a"], "version": 1})").ok());
        faulty.set(at, fault, for_good);
        const Status done = put(house, "t", R"({"index_patterns": ["a"], "version": 2})");
        const bool reached = faulty.reached();
        faulty.set(0, FaultyStore::Fault::none, false);
        const auto version = [&] {
          return house.indices().templates()->templates().find("t")->second.shown.int_or("version");
        };
        if (done.ok()) CHECK(version() == 2);
        house.reopen();
        CHECK((version() == 2 || (!done.ok() && version() == 1)));
        REQUIRE(put(house, "u", R"({"index_patterns": ["b"]})").ok());
        if (!reached) break;
      }
}

}  // namespace
}  // namespace cairn::index::templates_test
