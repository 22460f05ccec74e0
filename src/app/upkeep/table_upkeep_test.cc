// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/table_upkeep.h"

#include <doctest/doctest.h>

#include <string>

#include "objectstore/core/inventory.h"
#include "objectstore/journal/table_key.h"
#include "os/fake/fake_files.h"
#include "store/memory_store.h"

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
  CHECK(keep_tables(*host.engine, nullptr, host.clock.unix_ms(), never).ok());
  CHECK(host.inventory_rows() == 1);
  host.clock.advance_ms(5 * s3::day_ms);
  host.put("b");
  CHECK(keep_tables(*host.engine, nullptr, host.clock.unix_ms(), never).ok());
  CHECK(host.inventory_rows() == 2);
  CHECK(host.journal_rows() == 2);
  host.clock.advance_ms(2 * s3::day_ms + 1);
  CHECK(keep_tables(*host.engine, nullptr, host.clock.unix_ms(), never).ok());
  CHECK(host.journal_rows() == 1);
  CHECK(host.inventory_rows() == 2);
}

TEST_CASE("table upkeep: rows that do not expire stay") {
  TablesHost host("<Expiration>DISABLED</Expiration>");
  host.put("a");
  host.clock.advance_ms(4000 * s3::day_ms);
  CHECK(keep_tables(*host.engine, nullptr, host.clock.unix_ms(), never).ok());
  CHECK(host.journal_rows() == 1);
}

TEST_CASE("table upkeep: rows of the journal stay until their searchable copies have them") {
  TablesHost host("<Expiration>ENABLED</Expiration><Days>7</Days>");
  const auto platform = store::memory_store();
  const auto random = os::seeded_random(3);
  os::Pool pool({.name = "test", .threads = 1});
  index::Options options;
  options.background = false;
  auto shown = index::Indices::open(*platform, pool, host.clock, *random, options, never);
  REQUIRE(shown.ok());
  tables::Tables copies(
      {.engine = *host.engine, .cpu = pool, .clock = host.clock, .random = *random}, **shown);
  const auto keep = [&] {
    for (bool busy = true; busy;) {
      const auto kept = keep_tables(*host.engine, &copies, host.clock.unix_ms(), never);
      REQUIRE(kept.ok());
      busy = *kept;
    }
  };
  const auto searched = [&] {
    const auto index = (*shown)->find(".objects-journal-books");
    return index.ok() ? (*index)->view()->document_count() : 0;
  };
  // Another index has the name: the copy cannot be shown, and does not follow.
  REQUIRE((*shown)->create(".objects-journal-books", {}, {}, never).ok());
  host.put("a");
  host.clock.advance_ms(8 * s3::day_ms);
  keep();
  CHECK(host.journal_rows() == 1);
  CHECK(copies.state("books", "journal")->fault.find("already exists") != std::string::npos);
  REQUIRE((*shown)->remove(".objects-journal-books", never).ok());
  host.put("b");
  keep();
  CHECK(host.journal_rows() == 2);  // a crash would take it from the copy
  copies.flush(never);
  keep();
  CHECK(host.journal_rows() == 1);  // only what has its days before it
  keep();
  CHECK(searched() == 1);
  CHECK(copies.state("books", "journal")->fault.empty());
}

}  // namespace
}  // namespace cairn::app::table_upkeep_test
