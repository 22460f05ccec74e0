// SPDX-License-Identifier: Apache-2.0
// What each setting of an index takes, and that it is heeded.
#include "index/settings/settings.h"

#include <doctest/doctest.h>

#include "index/testing.h"

namespace cairn::index::settings_test {
namespace {

TEST_CASE("settings: each has one row that says what it takes and what holds without it") {
  Fixture fixture;
  const auto index = fixture.create("i");
  const Json defaults = default_settings(index->settings());
  CHECK(defaults.find_path("index.max_terms_count")->as_string() == "65536");
  CHECK(defaults.find_path("index.refresh_interval")->as_string() == "1s");
  CHECK(defaults.find_path("index.query.default_field")->dump() == R"(["*"])");
  CHECK(defaults.find_path("index.number_of_replicas") == nullptr);  // shown as it is
  // What is said to hold does.
  CHECK(index->setting_number("mapping.total_fields.limit") == MappingLimits().fields);
  CHECK(index->setting_number("mapping.depth.limit") == MappingLimits().depth);
  CHECK(index->setting_number("mapping.field_name_length.limit") == MappingLimits().name_length);
  CHECK(index->setting_number("max_terms_count") == Options().max_terms);
  CHECK(setting_ms(defaults, "search.idle.after") == Options().search_idle_ms);
  CHECK(setting_ms(defaults, "gc_deletes") == Options().tombstone_ms);
  // A default may be set, and then it is no default any more.
  const Json flat = flat_settings(defaults);
  for (const auto& [name, value] : flat.as_object()) {
    const Status set = index->put_settings(Json::object({{name, value}}), fixture.soon());
    const bool fixed = !set.ok() && set.error().message.starts_with("Can't update non dynamic");
    CHECK_MESSAGE((set.ok() || fixed), name);
    if (set.ok()) CHECK(flat_settings(default_settings(index->settings())).find(name) == nullptr);
  }
  for (const char* own : {"uuid", "creation_date", "provided_name", "version.created"}) {
    const auto made =
        fixture.indices().create("j", {}, Fixture::json("{\"" + std::string(own) + "\":1}"),
                                 fixture.soon());
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().message == "Validation Failed: 1: private index setting [index." +
                                      std::string(own) + "] can not be set explicitly;");
  }
  for (const char* unheeded :
       {R"({"max_regex_length": 0})", R"({"max_inner_result_window": 0})",
        R"({"max_rescore_window": 0})", R"({"max_script_fields": 1001})",
        R"({"routing_partition_size": 2})", R"({"soft_deletes.enabled": false})",
        R"({"highlight.max_analyzed_offset": 0})", R"({"max_terms_count": "many"})",
        R"({"hidden": "maybe"})", R"({"gc_deletes": "soon"})",
        R"({"number_of_routing_shards": 0})"})
    CHECK_FALSE_MESSAGE(
        fixture.indices().create("j", {}, Fixture::json(unheeded), fixture.soon()).ok(), unheeded);
}

TEST_CASE("settings: pieces of words and of texts are no further apart than allowed") {
  Fixture fixture;
  const auto made = [&](const std::string& filter, const std::string& more = "") {
    return fixture.indices().create(
        "n" + std::to_string(fixture.indices().all().size()), {},
        Fixture::json(R"({"analysis":{"filter":{"f":)" + filter + "}}" + more + "}"),
        fixture.soon());
  };
  const std::string grams = R"({"type":"ngram","min_gram":2,"max_gram":4})";
  const auto far = made(grams);
  REQUIRE_FALSE(far.ok());
  CHECK(far.error().message ==
        "The difference between max_gram and min_gram in NGram TokenFilter must be less than or "
        "equal to: [1] but was [2]. This limit can be set by changing the [index.max_ngram_diff] "
        "index level setting.");
  CHECK(made(grams, R"(,"max_ngram_diff":2)").ok());
  CHECK(made(R"({"type":"edge_ngram","min_gram":1,"max_gram":9})").ok());
  const std::string shingles = R"({"type":"shingle","max_shingle_size":3})";
  CHECK(made(shingles).ok());
  CHECK_FALSE(made(shingles, R"(,"max_shingle_diff":1)").ok());
  CHECK(made(R"({"type":"shingle","max_shingle_size":3,"output_unigrams":false})",
             R"(,"max_shingle_diff":1)")
            .ok());
}

TEST_CASE("settings: those about searches and deletions are heeded while the index is open") {
  Fixture fixture;
  auto index = fixture.create("i", R"({"properties":{"n":{"type":"long"}}})",
                              R"({"search.idle.after":"5s","gc_deletes":"2s"})");
  TermsQuery many{.field = "n", .values = {}};
  for (int i = 0; i < 3; ++i) many.values.emplace_back(i);
  const auto search = [&] { return index->view()->search({.node = many}, {}, fixture.soon()); };
  CHECK(search().ok());
  const auto set = [&](const char* settings) {
    REQUIRE(index->put_settings(Fixture::json(settings), fixture.soon()).ok());
  };
  set(R"({"max_terms_count":2})");
  const auto refused = search();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "The number of terms [3] used in the Terms Query request has exceeded the allowed maximum "
        "of [2]. This maximum can be set by changing the [index.max_terms_count] index level "
        "setting.");
  set(R"({"max_terms_count":null})");
  CHECK(search().ok());

  // Without a search for five seconds it waits for one.
  fixture.put(*index, "1", R"({"n":1})");
  fixture.clock().advance_ms(4'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.ids(*index, term("n", 1)).size() == 1);
  fixture.put(*index, "2", R"({"n":1})");
  fixture.clock().advance_ms(6'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(index->statistics().segments == 1);
  CHECK(fixture.ids(*index, term("n", 1)).size() == 2);

  // A deleted id keeps its version for two seconds.
  fixture.remove(*index, "1");
  fixture.clock().advance_ms(1'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.put(*index, "1", R"({"n":1})").version == 3);
  fixture.remove(*index, "1");
  fixture.clock().advance_ms(3'000);
  REQUIRE(index->maintain(fixture.soon()).ok());
  CHECK(fixture.put(*index, "1", R"({"n":1})").version == 1);
}

TEST_CASE("settings: patterns pass over hidden indices unless they are asked for") {
  Fixture fixture;
  fixture.create("shown");
  const auto hidden = fixture.create("shy", "null", R"({"hidden":true})");
  const auto names = [&](const char* pattern, bool expand) {
    std::string out;
    const auto found = fixture.indices().resolve(pattern, {.expand_hidden = expand});
    REQUIRE(found.ok());
    for (const auto& index : *found) out += index->name() + " ";
    return out;
  };
  CHECK(names("*", false) == "shown ");
  CHECK(names("sh*", true) == "shown shy ");
  CHECK(names("shy", false) == "shy ");
  REQUIRE(hidden->put_settings(Fixture::json(R"({"hidden":false})"), fixture.soon()).ok());
  CHECK(names("_all", false) == "shown shy ");
}

}  // namespace
}  // namespace cairn::index::settings_test
