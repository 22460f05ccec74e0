// SPDX-License-Identifier: Apache-2.0
#include "app/table_upkeep.h"

#include <doctest/doctest.h>

#include <string>

#include "objectstore/core/inventory.h"
#include "objectstore/journal/table_key.h"
#include "os/fake_files.h"

namespace cairn::app::table_upkeep_test {
namespace {

const os::Deadline never = os::Deadline::never();

struct TablesHost {
  os::FakeFiles files;
  os::FakeClock clock{1'700'000'000'000};
  std::unique_ptr<objectstore::Engine> engine;

  explicit TablesHost(const std::string& expiration) {
    auto opened =
        objectstore::Engine::open({.data_dir = "/data", .files = &files, .clock = &clock});
    REQUIRE(opened.ok());
    engine = std::move(*opened);
    const auto table = objectstore::table_document(nullptr, {});
    REQUIRE(table.ok());
    const std::string configuration =
        "<MetadataConfiguration><JournalTableConfiguration><RecordExpiration>" + expiration +
        "</RecordExpiration></JournalTableConfiguration></MetadataConfiguration>";
    REQUIRE(engine
                ->create_bucket(
                    {.name = "books"}, never,
                    {{std::string(s3::document::metadata_configuration), configuration},
                     {std::string(objectstore::document::journal_table), *table},
                     {std::string(objectstore::document::inventory_table), *table}})
                .ok());
  }
  void put(const std::string& key) { REQUIRE(engine->put({"books", key}, "x", {}, never).ok()); }
  std::size_t journal_rows() {
    const auto page = engine->journal("books", 0, 1000, never);
    REQUIRE(page.ok());
    return page->rows.size();
  }
  std::size_t inventory_rows() {
    const auto inventory = objectstore::Inventory::find(*engine, "books");
    REQUIRE(inventory.ok());
    const auto page = inventory->read("", 1000, never);
    REQUIRE(page.ok());
    return page->rows.size();
  }
};

TEST_CASE("table upkeep: inventories follow, and rows of the journal go after their days") {
  TablesHost host("<Expiration>ENABLED</Expiration><Days>7</Days>");
  host.put("a");
  CHECK(keep_tables(*host.engine, host.clock.unix_ms(), never).ok());
  CHECK(host.inventory_rows() == 1);
  host.clock.advance_ms(5 * s3::day_ms);
  host.put("b");
  CHECK(keep_tables(*host.engine, host.clock.unix_ms(), never).ok());
  CHECK(host.inventory_rows() == 2);
  CHECK(host.journal_rows() == 2);
  host.clock.advance_ms(2 * s3::day_ms + 1);
  CHECK(keep_tables(*host.engine, host.clock.unix_ms(), never).ok());
  CHECK(host.journal_rows() == 1);
  CHECK(host.inventory_rows() == 2);
}

TEST_CASE("table upkeep: rows that do not expire stay") {
  TablesHost host("<Expiration>DISABLED</Expiration>");
  host.put("a");
  host.clock.advance_ms(4000 * s3::day_ms);
  CHECK(keep_tables(*host.engine, host.clock.unix_ms(), never).ok());
  CHECK(host.journal_rows() == 1);
}

}  // namespace
}  // namespace cairn::app::table_upkeep_test
