// SPDX-License-Identifier: Apache-2.0
#include "index/templates/stored_scripts.h"

#include <doctest/doctest.h>

#include <string>

#include "index/faulty_store.h"
#include "index/testing.h"

namespace cairn::index::stored_scripts_test {
namespace {

StoredScript script(std::string source) { return {.source = std::move(source)}; }

TEST_CASE("scripts: kept, replaced, deleted, and there after a restart") {
  Fixture house;
  auto& scripts = house.indices().scripts();
  CHECK(scripts.put("a", script("one"), house.soon()).ok());
  CHECK(scripts.put("b", script("two"), house.soon()).ok());
  CHECK(scripts.put("a", script("three"), house.soon()).ok());
  CHECK(scripts.remove("b", house.soon()).ok());
  const auto gone = scripts.remove("b", house.soon());
  REQUIRE(!gone.ok());
  CHECK(gone.error().code == "resource_not_found_exception");
  house.reopen();
  const auto kept = house.indices().scripts().find("a");
  REQUIRE(kept.ok());
  CHECK(kept->source == "three");
  CHECK(house.indices().scripts().all()->size() == 1);
}

TEST_CASE("scripts: bodies that are not taken") {
  struct Row {
    std::string_view body, fault;
  };
  const Row rows[] = {
      {R"({})", "must specify [script]"},
      {R"({"script": {"source": "x"}})", "must specify lang"},
      {R"({"script": {"lang": "expression", "source": "x"}})", "[expression]"},
      {R"({"script": {"lang": "painless", "source": "x"}})", "compile error"},
      {R"({"script": {"lang": "painless", "source": {"a": 1}}})", "must be a string"},
      {R"({"script": {"lang": "painless", "source": "1", "options": {"content_type": "text/plain"}}})",
       "no compiler options"},
      {R"({"script": {"lang": "mustache"}})", "must specify source"},
      {R"({"script": {"lang": "mustache", "source": ""}})", "source cannot be empty"},
      {R"({"script": {"lang": "mustache", "source": 1}})", "must be a string or an object"},
      {R"({"script": {"lang": "mustache", "source": "{{x"}})", "a tag is not closed"},
      {R"({"script": {"lang": "mustache", "source": "x", "params": {}}})", "unknown field [params]"},
      {R"({"script": {"lang": "mustache", "source": "x", "options": {"a": "b"}}})", "[a]"},
      {R"({"script": {"lang": "mustache", "source": "x", "options": {"content_type": "text/html"}}})",
       "[text/html]"},
      {R"({"script": {"lang": "mustache", "source": "x"}, "more": 1})", "unexpected field [more]"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    const auto read = read_stored_script("id", *parse_json(row.body));
    REQUIRE(!read.ok());
    CHECK(read.error().message.find(row.fault) != std::string::npos);
  }
  const auto script = read_stored_script(
      "id", *parse_json(R"({"script": {"lang": "painless", "source": "doc['a'].value > params.b"}})"));
  REQUIRE(script.ok());
  CHECK(script->to_json().dump() == R"({"lang":"painless","source":"doc['a'].value > params.b"})");
  const Json long_one = Json::object(
      {{"script", Json::object({{"lang", "mustache"}, {"source", std::string(70'000, 'x')}})}});
  CHECK(read_stored_script("id", long_one).error().message.find("[65535]") != std::string::npos);
}

TEST_CASE("scripts: names and numbers have bounds") {
  Fixture house;
  auto& scripts = house.indices().scripts();
  CHECK(!scripts.put("", script("x"), house.soon()).ok());
  CHECK(!scripts.put("a#b", script("x"), house.soon()).ok());
  CHECK(!scripts.put(std::string(600, 'a'), script("x"), house.soon()).ok());
  // Nearly as many bytes as there may be, in one write.
  const std::string big(60'000, 'x');
  Json many = Json::object();
  for (int i = 0; i < 138; ++i) many.set("s" + std::to_string(i), script(big).to_json());
  REQUIRE(house.store().put("index/scripts", many.dump(), house.soon()).ok());
  house.reopen();
  auto& full = house.indices().scripts();
  REQUIRE(full.all()->size() == 138);
  Status last = ok_status();
  std::size_t kept = 138;
  while (last.ok() && kept < 200)
    last = full.put("s" + std::to_string(kept++), script(big), house.soon());
  REQUIRE(!last.ok());
  CHECK(last.error().message.find("at most [1000] scripts") != std::string::npos);
  CHECK(full.all()->size() == kept - 1);
}

TEST_CASE("scripts: a record that is damaged is told, and indices go on") {
  Fixture house;
  house.create("i", "{}");
  REQUIRE(house.store().put("index/scripts", R"({"a": {"lang": "other"}})", house.soon()).ok());
  house.reopen();
  CHECK(house.indices().find("i").ok());
  const auto found = house.indices().scripts().find("a");
  REQUIRE(!found.ok());
  CHECK(found.error().message.find("index/scripts") != std::string::npos);
  CHECK(!house.indices().scripts().put("b", script("x"), house.soon()).ok());
  CHECK(house.store().get("index/scripts", house.soon())->bytes == R"({"a": {"lang": "other"}})");
}

TEST_CASE("scripts: a crash at any call to the store leaves the old one or the new one") {
  for (const bool for_good : {true, false})
    for (const auto fault : {FaultyStore::Fault::lost_call, FaultyStore::Fault::lost_answer})
      for (std::size_t at = 0;; ++at) {
        CAPTURE(at);
        auto inside = store::memory_store();
        auto owned = std::make_unique<FaultyStore>(*inside);
        FaultyStore& faulty = *owned;
        Fixture house(Fixture::quiet_options(), std::move(owned));
        REQUIRE(house.indices().scripts().put("a", script("old"), house.soon()).ok());
        faulty.set(at, fault, for_good);
        const Status done = house.indices().scripts().put("a", script("new"), house.soon());
        const bool reached = faulty.reached();
        faulty.set(0, FaultyStore::Fault::none, false);
        const auto source = [&] { return house.indices().scripts().find("a")->source; };
        if (done.ok()) CHECK(source() == "new");
        house.reopen();
        CHECK((source() == "new" || (!done.ok() && source() == "old")));
        CHECK(house.indices().scripts().put("b", script("x"), house.soon()).ok());
        if (!reached) break;
      }
}

}  // namespace
}  // namespace cairn::index::stored_scripts_test
