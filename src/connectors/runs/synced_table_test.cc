// SPDX-License-Identifier: Apache-2.0
#include "connectors/runs/synced_table.h"

#include <doctest/doctest.h>

namespace cairn::connectors::synced_table_test {

TEST_CASE("synced table: of several entries the last counts, and what is gone is not there") {
  SyncedTable table;
  table.add("a", {.version = 1, .documents = 1});
  table.add("b", {.version = 2, .documents = 3});
  table.add("a", {.version = 4, .documents = 2});
  table.add("c", {.version = 5, .documents = 1});
  table.add("c", {});
  table.settle();
  REQUIRE(table.size() == 2);
  CHECK(table.find("a")->version == 4);
  CHECK(table.find("b")->documents == 3);
  CHECK(table.find("c") == nullptr);
  CHECK(table.find("") == nullptr);
}

TEST_CASE("synced table: counts what is not marked") {
  SyncedTable table;
  for (int i = 0; i < 100; ++i) table.add(std::to_string(i), {.documents = 1});
  table.settle();
  CHECK(table.mark("7"));
  CHECK_FALSE(table.mark("7"));
  CHECK_FALSE(table.mark("none"));
  CHECK(table.is_marked("7"));
  CHECK_FALSE(table.is_marked("8"));
  CHECK(table.unmarked() == 99);
}

TEST_CASE("fingerprint: of nothing it is nothing, and of something it is something") {
  CHECK(fingerprint("") == 0);
  CHECK(fingerprint("1") != 0);
  CHECK(fingerprint("1") == fingerprint("1"));
  CHECK(fingerprint("1") != fingerprint("2"));
}

}  // namespace cairn::connectors::synced_table_test
