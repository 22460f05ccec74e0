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
    CHECK(make_index_for(**indices, std::string("of-") + language, language, deadline).ok());
  }
  const auto analyzer = [&](const char* name) {
    const auto index = (*indices)->find(name);
    REQUIRE(index.ok());
    const Json settings = (*index)->settings();
    const Json* type = settings.find_path("index.analysis.analyzer.default.type");
    return type == nullptr ? std::string() : type->as_string();
  };
  CHECK(analyzer("of-en") == "english");
  CHECK(make_index_for(**indices, "of-german", "french", deadline).ok());
  CHECK(analyzer("of-german") == "german");  // what is there stays
  CHECK((*indices)->find("of-klingon").error().kind == ErrorKind::not_found);
}

}  // namespace cairn::connectors::language_test
