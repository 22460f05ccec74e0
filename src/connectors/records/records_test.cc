// SPDX-License-Identifier: Apache-2.0
#include "connectors/records/records.h"

#include <doctest/doctest.h>

#include "connectors/new_index.h"
#include "connectors/sources/files/directory.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace records_test {

using namespace cairn;
using namespace cairn::connectors;

namespace {

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  SourceTypes types = [] {
    SourceTypes out;
    out["directory"] = directory_source({"/usr/share"});
    return out;
  }();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Records records{*store, types, clock, *random};
  os::Deadline deadline = os::Deadline::in_ms(10'000);

  std::string status_of(const std::string& id) {
    return records.get(id, false, deadline)->string_or("status");
  }
};

}  // namespace

TEST_CASE("connector: created with a given or a generated id, then replaced as a whole") {
  Fixture f;
  const auto made =
      f.records.put("one", {.index_name = "i", .name = "n", .service_type = "other"}, f.deadline);
  REQUIRE(made.ok());
  CHECK(made->id == "one");
  CHECK(made->created);
  CHECK(f.status_of("one") == "created");
  const auto generated = f.records.put(std::nullopt, {}, f.deadline);
  REQUIRE(generated.ok());
  CHECK(generated->id.size() == 20);
  const auto replaced = f.records.put("one", {.description = "d"}, f.deadline);
  REQUIRE(replaced.ok());
  CHECK_FALSE(replaced->created);
  const auto doc = f.records.get("one", false, f.deadline);
  CHECK(doc->find("index_name")->is_null());
  CHECK(doc->string_or("name", "-") == "");
  CHECK(doc->string_or("description") == "d");
}

TEST_CASE("connector: ticks of a pause are forgotten with its end") {
  Fixture f;
  REQUIRE(f.records.put("a", {.index_name = "i", .service_type = "directory"}, f.deadline).ok());
  const Json every_second = *parse_json(
      R"({"full": {"enabled": true, "interval": "* * * * * ?"},
          "incremental": {"enabled": true, "interval": "0 0 0 * * ?"}})");
  REQUIRE(*f.records.set_scheduling("a", every_second, f.deadline));
  const auto tick = [&](const std::string& type) {
    return f.records.claim_tick("a", type, 0, f.deadline).value();
  };
  f.clock.advance_ms(2'000);
  const auto first = tick("full");
  REQUIRE(first);
  CHECK(tick("full") == first);  // until somebody made its job
  CHECK_FALSE(f.records.get("a", false, f.deadline)->bool_or("paused", true));
  CHECK(*f.records.set_paused("a", true, f.deadline));
  CHECK(f.records.get("a", false, f.deadline)->bool_or("paused"));
  f.clock.advance_ms(3 * 86'400'000);
  CHECK(*f.records.set_paused("a", false, f.deadline));
  CHECK_FALSE(*f.records.set_paused("a", false, f.deadline));
  CHECK_FALSE(tick("full"));
  CHECK_FALSE(tick("incremental"));
  f.clock.advance_ms(2'000);
  const auto next = tick("full");
  REQUIRE(next);
  CHECK(next != first);
  CHECK_FALSE(tick("incremental"));
}

TEST_CASE("connector: one per index, freed by a change, a replacement or a deletion") {
  Fixture f;
  REQUIRE(f.records.put("a", {.index_name = "i"}, f.deadline).ok());
  const auto second = f.records.put("b", {.index_name = "i"}, f.deadline);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().message == "Index name [i] is used by another connector.");
  CHECK(f.records.put("a", {.index_name = "i"}, f.deadline).ok());
  REQUIRE(f.records.set_index_name("a", "j", f.deadline).ok());
  CHECK(f.records.put("b", {.index_name = "i"}, f.deadline).ok());
  REQUIRE(f.records.remove("b", false, f.deadline).ok());
  CHECK(f.records.put("c", {.index_name = "i"}, f.deadline).ok());
}

TEST_CASE("connector: bad index names are refused by rule") {
  for (const char* name : {"", "A", "-a", "_a", "+a", ".", "..", "a b", "a*", "a/b", "a:b", "a,b"})
    CHECK_FALSE(check_index_name(name).ok());
  CHECK_FALSE(check_index_name(std::string(256, 'a')).ok());
  CHECK(check_index_name("content-1.x").ok());
}

TEST_CASE("connector: soft deletion hides, hard deletion removes") {
  Fixture f;
  REQUIRE(f.records.put("a", {}, f.deadline).ok());
  REQUIRE(f.records.remove("a", false, f.deadline).ok());
  CHECK_FALSE(f.records.get("a", false, f.deadline).ok());
  CHECK(f.records.get("a", true, f.deadline).ok());
  CHECK_FALSE(f.records.remove("a", false, f.deadline).ok());
  CHECK(f.records.remove("a", true, f.deadline).ok());
  CHECK_FALSE(f.records.get("a", true, f.deadline).ok());
  CHECK(f.records.put("a", {}, f.deadline)->created);
}

TEST_CASE("connector: listing filters, orders by index name, and pages") {
  Fixture f;
  REQUIRE(f.records.put("1", {.index_name = "c", .name = "Red wine"}, f.deadline).ok());
  REQUIRE(f.records.put("2", {.index_name = "a", .service_type = "x"}, f.deadline).ok());
  REQUIRE(f.records.put("3", {.index_name = "b", .description = "WINE"}, f.deadline).ok());
  const auto all = f.records.list({}, f.deadline);
  REQUIRE(all->count == 3);
  CHECK(all->results[0].string_or("index_name") == "a");
  CHECK(f.records.list({.query = "wine"}, f.deadline)->count == 2);
  CHECK(f.records.list({.service_types = {"x", "y"}}, f.deadline)->count == 1);
  const auto page = f.records.list({.from = 1, .size = 1}, f.deadline);
  CHECK(page->count == 3);
  REQUIRE(page->results.size() == 1);
  CHECK(page->results[0].string_or("id") == "3");
  CHECK_FALSE(f.records.list({.index_names = {"A"}}, f.deadline).ok());
}

TEST_CASE("connector: configuration values touch registered fields only") {
  Fixture f;
  REQUIRE(f.records.put("a", {.service_type = "directory"}, f.deadline).ok());
  CHECK(f.status_of("a") == "needs_configuration");
  const Json unknown = Json::object({{"nope", 1}, {"path", "/usr/share"}});
  const auto refused = f.records.set_configuration("a", nullptr, &unknown, f.deadline);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("Unknown [configuration] fields") == 0);
  const Json outside = Json::object({{"path", "/etc"}});
  CHECK_FALSE(f.records.set_configuration("a", nullptr, &outside, f.deadline).ok());
  CHECK(f.status_of("a") == "needs_configuration");
  const Json values = Json::object({{"path", "/usr/share"}});
  CHECK(*f.records.set_configuration("a", nullptr, &values, f.deadline));
  CHECK(f.status_of("a") == "configured");
  CHECK_FALSE(f.records.set_configuration("a", nullptr, nullptr, f.deadline).ok());
}

TEST_CASE("connector: a path is refused with the setting's name while no root is configured") {
  const auto closed = directory_source(std::vector<std::string>());
  Json configuration = closed->configuration_schema();
  configuration.find("path")->set("value", "/usr/share");
  const auto status = closed->validate(configuration);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message.find("connectors.directory.roots") != std::string::npos);
}

TEST_CASE("connector: a folder is allowed from the moment on that its root is there") {
  const os::TestFolder folder;
  folder.write("one/file.txt", "text");
  folder.write("two/file.txt", "text");
  const auto roots = std::make_shared<FolderRoots>(std::vector<std::string>{folder / "one"});
  const auto type = directory_source(roots);
  const auto allowed = [&](const char* name) {
    Json configuration = type->configuration_schema();
    configuration.find("path")->set("value", folder / name);
    return type->open(configuration).ok();
  };
  CHECK(allowed("one"));
  CHECK_FALSE(allowed("two"));
  roots->set({.roots = {folder / "two"}});
  CHECK_FALSE(allowed("one"));
  CHECK(allowed("two"));
}

TEST_CASE("connector: every source has the entries of the index that a sync makes") {
  Fixture f;
  REQUIRE(f.records.put("a", {.service_type = "directory"}, f.deadline).ok());
  const auto configuration = [&] {
    return *f.records.get("a", false, f.deadline)->find("configuration");
  };
  CHECK_FALSE(new_index_of(configuration(), "").semantic);
  const Json word = Json::object({{"path", "/usr/share"}, {"semantic", "yes"}});
  const auto refused = f.records.set_configuration("a", nullptr, &word, f.deadline);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("[semantic] must be true or false") != std::string::npos);
  const Json yes = Json::object({{"path", "/usr/share"}, {"semantic", true}});
  CHECK(*f.records.set_configuration("a", nullptr, &yes, f.deadline));
  CHECK(new_index_of(configuration(), "de").semantic);
  CHECK(new_index_of(configuration(), "de").language == "de");
}

TEST_CASE("connector: entries that an older version did not know are there when values are set") {
  Fixture f;
  REQUIRE(f.records.put("a", {.service_type = "directory"}, f.deadline).ok());
  const Json old = Json::object({{"path", Json::object({{"value", "/usr/share"}})}});
  REQUIRE(f.records.set_configuration("a", &old, nullptr, f.deadline).ok());
  const Json yes = Json::object({{"semantic", true}});
  CHECK(*f.records.set_configuration("a", nullptr, &yes, f.deadline));
  CHECK(new_index_of(*f.records.get("a", false, f.deadline)->find("configuration"), "").semantic);
}

TEST_CASE("connector: what lies outside the roots is not told from what is not there") {
  const os::TestFolder folder;
  folder.write("root/file.txt", "text");
  folder.write("elsewhere/file.txt", "text");
  const auto type = directory_source({folder / "root"});
  const auto reason = [&](const std::string& path) {
    Json configuration = type->configuration_schema();
    configuration.find("path")->set("value", path);
    const auto status = type->validate(configuration);
    return status.ok() ? std::string() : status.error().message;
  };
  const std::string beneath_none = "it lies beneath none of the folders";
  for (const char* outside : {"elsewhere", "none", "root/../none", "root/../elsewhere"})
    CHECK_MESSAGE(reason(folder / outside).find(beneath_none) != std::string::npos, outside);
  CHECK(reason("none").find(beneath_none) != std::string::npos);
  CHECK(reason(folder / "root/none").ends_with("/none does not exist"));
  CHECK(reason(folder / "root/file.txt").ends_with("it is no folder"));
  CHECK(reason(folder / "root").empty());
}

TEST_CASE("connector: status moves, row by row") {
  struct Case {
    const char *from, *to;
    bool allowed;
  };
  const Case cases[] = {{"created", "needs_configuration", true},
                        {"created", "error", true},
                        {"needs_configuration", "configured", true},
                        {"needs_configuration", "connected", false},
                        {"configured", "connected", true},
                        {"configured", "created", false},
                        {"connected", "configured", true},
                        {"connected", "needs_configuration", false},
                        {"error", "connected", true},
                        {"error", "created", false},
                        {"connected", "connected", true}};
  for (const auto& c : cases) {
    CAPTURE(c.from);
    CAPTURE(c.to);
    Fixture f;
    REQUIRE(f.records.put("a", {}, f.deadline).ok());
    REQUIRE(f.records.set_members("a", Json::object({{"status", c.from}}), f.deadline).ok());
    CHECK(f.records.set_status("a", c.to, f.deadline).ok() == c.allowed);
  }
  Fixture f;
  REQUIRE(f.records.put("a", {}, f.deadline).ok());
  CHECK_FALSE(f.records.set_status("a", "sleeping", f.deadline).ok());
}

TEST_CASE("connector: updates say whether something changed, and miss what is not there") {
  Fixture f;
  REQUIRE(f.records.put("a", {}, f.deadline).ok());
  const Json name = Json::object({{"name", "x"}});
  CHECK(*f.records.set_name("a", name, f.deadline));
  CHECK_FALSE(*f.records.set_name("a", name, f.deadline));
  CHECK(f.records.set_name("b", name, f.deadline).error().code == "resource_not_found_exception");
  CHECK(f.records.set_name("b", name, f.deadline).error().message == "connector [b] not found");
  const Json schedule =
      Json::object({{"full", Json::object({{"enabled", true}, {"interval", "0 0 1 * * ?"}})}});
  CHECK(*f.records.set_scheduling("a", schedule, f.deadline));
  const Json bad = Json::object({{"full", Json::object({{"enabled", true}, {"interval", "x"}})}});
  CHECK_FALSE(f.records.set_scheduling("a", bad, f.deadline).ok());
  CHECK_FALSE(f.records.set_scheduling("a", Json::object(), f.deadline).ok());
}

}  // namespace records_test
