// SPDX-License-Identifier: Apache-2.0
#include "connectors/language.h"

#include <doctest/doctest.h>

#include "connectors/ingest_target.h"
#include "os/threads/pool.h"
#include "store/memory_store.h"

namespace cairn::connectors::language_test {

TEST_CASE("language: names and codes, with and without a region, in any case") {
  CHECK(analyzer_of_language("german") == "german");
  CHECK(analyzer_of_language("de") == "german");
  CHECK(analyzer_of_language("De-AT") == "german");
  CHECK(analyzer_of_language("pt_BR") == "brazilian");
  CHECK(analyzer_of_language("pt") == "portuguese");
  CHECK(analyzer_of_language(" English ") == "english");
  for (const auto* none : {"", "pl", "klingon", "-", "_de"}) CHECK(analyzer_of_language(none).empty());
}

TEST_CASE("language: of a connector, is that of the index which a sync makes") {
  const auto deadline = os::Deadline::in_ms(60'000);
  const auto records = store::memory_store();
  const auto random = os::seeded_random(3);
  os::Pool pool{{.name = "test", .threads = 2, .queue = 64}};
  const auto indices =
      index::Indices::open(*records, pool, os::system_clock(), *random, {}, deadline);
  REQUIRE(indices.ok());
  for (const auto* language : {"en", "german", "klingon", ""}) {
    CAPTURE(language);
    CHECK(make_index_for(**indices, std::string("of-") + language, {.language = language}, deadline)
              .ok());
  }
  const auto analyzer = [&](const char* name) {
    const auto index = (*indices)->find(name);
    REQUIRE(index.ok());
    const Json settings = (*index)->settings();
    const Json* type = settings.find_path("index.analysis.analyzer.default.type");
    return type == nullptr ? std::string() : type->as_string();
  };
  CHECK(analyzer("of-en") == "english");
  CHECK(make_index_for(**indices, "of-german", {.language = "french"}, deadline).ok());
  CHECK(analyzer("of-german") == "german");  // what is there stays
  CHECK((*indices)->find("of-klingon").error().kind == ErrorKind::not_found);
}

TEST_CASE("new index: searched by meaning where that is wanted, and refused where it cannot be") {
  const auto deadline = os::Deadline::in_ms(60'000);
  const auto records = store::memory_store();
  const auto random = os::seeded_random(3);
  os::Pool pool{{.name = "test", .threads = 2, .queue = 64}};
  const auto indices =
      index::Indices::open(*records, pool, os::system_clock(), *random, {}, deadline);
  REQUIRE(indices.ok());
  const NewIndex wanted{.language = "german", .semantic = true};
  for (int i = 0; i < 2; ++i) CHECK(make_index_for(**indices, "both", wanted, deadline).ok());
  const auto index = (*indices)->find("both");
  REQUIRE(index.ok());
  const index::Field* meaning = (*index)->mapping()->find("meaning");
  REQUIRE(meaning != nullptr);
  CHECK(meaning->type == index::FieldType::semantic_text);
  for (const auto* name : {"title", "body"})
    CHECK((*index)->mapping()->find(name)->copy_to == std::vector<std::string>{"meaning"});
  CHECK((*index)->settings().find_path("index.analysis.analyzer.default.type")->as_string() ==
        "german");

  CHECK(make_index_for(**indices, "words", {.language = "german"}, deadline).ok());
  const Status refused = make_index_for(**indices, "words", wanted, deadline);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("without a field of type [semantic_text]") !=
        std::string::npos);
}

}  // namespace cairn::connectors::language_test
