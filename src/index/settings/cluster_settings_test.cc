// SPDX-License-Identifier: Apache-2.0
#include "index/settings/cluster_settings.h"

#include <doctest/doctest.h>

#include <string>

#include "base/strings.h"
#include "index/errors.h"
#include "index/faulty_store.h"
#include "store/memory_store.h"

namespace cairn::index::cluster_settings_test {
namespace {

using Fault = FaultyStore::Fault;

/// A store, the settings in it, and what the one setting with an effect was told last.
struct SettingsFixture {
  std::unique_ptr<store::Store> inside = store::memory_store();
  FaultyStore store{*inside};
  std::string told = {};
  std::unique_ptr<ClusterSettings> settings = {};

  SettingsFixture() { reopen(); }
  void reopen() {
    store.set(0, Fault::none, false);
    settings = std::make_unique<ClusterSettings>(
        store,
        std::vector<ClusterSetting>{
            {.name = "search.most",
             .fallback = [] { return std::string("10"); },
             .check = [](const std::string& text) -> Status {
               if (parse_number<int>(text)) return ok_status();
               return illegal_argument("no number: " + text);
             },
             .take = [this](const std::optional<std::string>& text) {
               told = text.value_or("10");
             }},
            {.name = "notes.*"}},
        std::vector<std::string>{"node.name", "limits.*"});
    REQUIRE(settings->load(os::Deadline::never()).ok());
  }
  /// "" or what was wrong.
  std::string change(const std::string& persistent, const std::string& transient = "{}") const {
    ClusterChange change;
    auto kept = read_cluster_settings(*parse_json(persistent));
    if (!kept.ok()) return kept.error().message;
    change.persistent = *std::move(kept);
    change.transient = *read_cluster_settings(*parse_json(transient));
    const Status done = settings->change(change, os::Deadline::never());
    return done.ok() ? "" : done.error().message;
  }
  std::string persistent(bool flat = true) const {
    return shown_cluster_settings(settings->values()->persistent, flat).dump();
  }
  std::string transient() const {
    return shown_cluster_settings(settings->values()->transient, true).dump();
  }
};

TEST_CASE("cluster settings: transient ones go first and end with the process") {
  SettingsFixture fixture;
  CHECK(fixture.told == "10");
  CHECK(fixture.change(R"({"search": {"most": 20}, "notes.a.b": "x"})").empty());
  CHECK(fixture.told == "20");
  CHECK(fixture.persistent(false) == R"({"notes":{"a":{"b":"x"}},"search":{"most":"20"}})");
  CHECK(fixture.change("{}", R"({"search.most": "30"})").empty());
  CHECK(fixture.told == "30");
  CHECK(fixture.settings->defaults().empty());
  fixture.reopen();
  CHECK(fixture.told == "20");
  CHECK(fixture.transient() == "{}");
  CHECK(fixture.change(R"({"search.most": null, "notes.*": null})").empty());
  CHECK(fixture.told == "10");
  CHECK(fixture.persistent() == "{}");
  CHECK(fixture.settings->defaults().at("search.most") == "10");
}

TEST_CASE("cluster settings: a change with one that cannot be changes nothing") {
  SettingsFixture fixture;
  CHECK(fixture.change(R"({"search.most": 5})").empty());
  struct Row {
    std::string_view persistent, transient, fault;
  };
  const Row rows[] = {
      {R"({"search.most": 6, "search.least": 1})", "{}",
       "persistent setting [search.least], not recognized"},
      {R"({"search.most": 6})", R"({"a": null})", "transient setting [a], not recognized"},
      {R"({"search.most": 6, "node.name": "b"})", "{}",
       "persistent setting [node.name], not dynamically updateable"},
      {R"({"limits.a.b": 1})", "{}", "persistent setting [limits.a.b], not dynamically updateable"},
      {R"({"search.most": "many"})", "{}", "no number: many"},
      {R"({"search": {"most": [1]}})", "{}", "setting [search.most] is one value, and not a list"},
      {R"({"search.most": 1, "search": {"most": 2}})", "{}", "setting [search.most] comes twice"},
      {R"({"notes.": "a"})", "{}", "persistent setting [notes.], not recognized"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.persistent);
    CHECK(fixture.change(std::string(row.persistent), std::string(row.transient)) == row.fault);
    CHECK(fixture.persistent() == R"({"search.most":"5"})");
    CHECK(fixture.told == "5");
  }
  CHECK(fixture.change(R"({"notes.a": ")" + std::string(5'000, 'x') + R"("})")
            .find("longer than 4096 bytes") != std::string::npos);
}

TEST_CASE("cluster settings: a process that ends at any call leaves the old ones or the new") {
  for (const Fault fault : {Fault::lost_call, Fault::lost_answer})
    for (std::size_t at = 0; at < 4; ++at) {
      SettingsFixture fixture;
      CHECK(fixture.change(R"({"search.most": 1})").empty());
      fixture.store.set(at, fault, true);
      const bool acknowledged = fixture.change(R"({"search.most": 2, "notes.a": "b"})").empty();
      fixture.reopen();
      CAPTURE(at);
      const std::string old = R"({"search.most":"1"})";
      const std::string fresh = R"({"notes.a":"b","search.most":"2"})";
      if (acknowledged)
        CHECK(fixture.persistent() == fresh);
      else
        CHECK((fixture.persistent() == old || fixture.persistent() == fresh));
      CHECK(fixture.told == (fixture.persistent() == old ? "1" : "2"));
    }
}

TEST_CASE("cluster settings: after a lost answer the next change finds out what is kept") {
  for (std::size_t at = 0; at < 3; ++at) {
    SettingsFixture fixture;
    CHECK(fixture.change(R"({"search.most": 1})").empty());
    fixture.store.set(at, Fault::lost_answer, false);
    const bool first = fixture.change(R"({"search.most": 2})").empty();
    fixture.store.set(0, Fault::none, false);
    CHECK(fixture.change(R"({"notes.a": "b"})").empty());
    CAPTURE(at);
    CAPTURE(first);
    CHECK(fixture.persistent() == R"({"notes.a":"b","search.most":"2"})");
    CHECK(fixture.told == "2");
  }
}

TEST_CASE("cluster settings: what is kept and not known any more stays without effect") {
  SettingsFixture fixture;
  REQUIRE(fixture.inside
              ->put("index/cluster-settings",
                    R"({"persistent": {"gone": "1", "search.most": "many"}})",
                    os::Deadline::never(), {})
              .ok());
  fixture.reopen();
  CHECK(fixture.told == "10");
  CHECK(fixture.change(R"({"search.most": 3})").empty());
  CHECK(fixture.persistent() == R"({"gone":"1","search.most":"3"})");
}

TEST_CASE("cluster settings: a damaged record is told, and not replaced") {
  SettingsFixture fixture;
  REQUIRE(fixture.inside->put("index/cluster-settings", "{", os::Deadline::never(), {}).ok());
  fixture.reopen();
  CHECK(fixture.told == "10");
  CHECK(fixture.change(R"({"search.most": 3})").find("cannot be read") != std::string::npos);
}

}  // namespace
}  // namespace cairn::index::cluster_settings_test
