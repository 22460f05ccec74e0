// SPDX-License-Identifier: Apache-2.0
// The inventory of a bucket: what is there when it begins, and what the journal tells from then on.
#include "objectstore/core/inventory.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "objectstore/engine_rig_test.h"
#include "objectstore/journal/table_key.h"

namespace inventory_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct InventoryRig : EngineRig {
  explicit InventoryRig(s3::Versioning versioning = s3::Versioning::off)
      : EngineRig(versioning) {}
  void begin() {
    const std::string text = must(table_document(nullptr, {}));
    must(engine->change_bucket("bucket",
                               {.documents = {{std::string(document::journal_table), text},
                                              {std::string(document::inventory_table), text}}},
                               never));
  }
  Inventory inventory() { return must(Inventory::find(*engine, "bucket")); }
  bool step(std::size_t most = 1000) { return must(inventory().step(most, never)); }
  void finish(std::size_t most = 1000) {
    while (step(most)) {}
  }
  InventoryPhase phase() { return must(inventory().state()).phase; }
  /// What the bucket holds and what the inventory says, as text.
  static std::string row(const s3::Object& object) {
    std::string text = object.key + " " + object.version_id + " " + object.etag;
    for (const auto& [name, value] : object.tags) text += " " + name + "=" + value;
    return text + (object.delete_marker ? " marker" : "");
  }
  std::vector<std::string> told(std::size_t page = 1000) {
    std::vector<std::string> all;
    std::string next;
    do {
      const InventoryPage part = must(inventory().read(next, page, never));
      for (const InventoryRow& one : part.rows) all.push_back(row(one.record.object));
      next = part.next;
    } while (!next.empty());
    std::sort(all.begin(), all.end());
    return all;
  }
  std::vector<std::string> there() {
    std::vector<std::string> all;
    const auto page = must(engine->list_versions("bucket", {.limit = 100'000}, never));
    for (const s3::Object& one : page.versions) all.push_back(row(one));
    std::sort(all.begin(), all.end());
    return all;
  }
};

}  // namespace

TEST_CASE("inventory: versions and markers are listed, over restarts between the steps") {
  InventoryRig rig(s3::Versioning::enabled);
  for (int i = 0; i < 20; ++i) rig.put("k" + std::to_string(i % 7), std::to_string(i));
  must(rig.engine->remove({"bucket", "k1"}, RemoveParams{}, never));
  rig.begin();
  CHECK(rig.phase() == InventoryPhase::creating);
  CHECK(rig.step(4));
  CHECK(rig.phase() == InventoryPhase::backfilling);
  for (int i = 0; i < 3; ++i) {
    rig.start();
    CHECK(must(rig.inventory().state()).listed == 4u * static_cast<unsigned>(i + 1));
    CHECK(rig.step(4));
  }
  rig.finish(4);
  CHECK(rig.phase() == InventoryPhase::active);
  CHECK(rig.told() == rig.there());
  CHECK(rig.told(3) == rig.there());
  CHECK(rig.told().size() == 21);
}

TEST_CASE("inventory: what changes during the backfill and after it comes right") {
  for (const auto versioning :
       {s3::Versioning::off, s3::Versioning::enabled, s3::Versioning::suspended}) {
    CAPTURE(static_cast<int>(versioning));
    InventoryRig rig(versioning);
    for (int i = 0; i < 9; ++i) rig.put("k" + std::to_string(i), "first");
    rig.begin();
    CHECK(rig.step(5));  // k0 to k4
    rig.put("k1", "second");
    rig.put("k8", "second");
    must(rig.engine->remove({"bucket", "k0"}, RemoveParams{}, never));
    must(rig.engine->remove({"bucket", "k7"}, RemoveParams{}, never));
    rig.put("new", "");
    rig.finish(2);
    CHECK(rig.told() == rig.there());
    must(rig.engine->change_object({"bucket", "k2"}, {.tags = s3::Tags{{"a", "b"}}}, never));
    must(rig.engine->remove({"bucket", "k3", "null"}, RemoveParams{}, never));
    rig.put("k4", "third");
    must(rig.engine->remove_batch("bucket", std::vector<std::string>{"k5", "k6"}, never));
    rig.finish();
    CHECK(rig.told() == rig.there());
    CHECK_FALSE(rig.step());
  }
}

TEST_CASE("inventory: without one there is nothing to read; what is left of one is swept") {
  InventoryRig rig;
  CHECK(outcome(Inventory::find(*rig.engine, "bucket")) == "not_found");
  rig.put("k", "");
  rig.begin();
  rig.finish();
  must(rig.engine->change_bucket(
      "bucket", {.documents = {{std::string(document::inventory_table), std::nullopt}}}, never));
  CHECK(outcome(Inventory::find(*rig.engine, "bucket")) == "not_found");
  while (must(rig.engine->sweep_tables(10, never))) {}
  const auto cursor = must(rig.engine->core().kv().cursor(Table::system, ""));
  cursor->seek(inventory_rows);
  CHECK((!cursor->valid() || !cursor->key().starts_with("inventory")));
}

TEST_CASE("inventory state: what is cut or longer is corrupt") {
  const std::string row = encode(InventoryState{.phase = InventoryPhase::backfilling,
                                                .applied = 300,
                                                .listed = 7,
                                                .key_marker = "k",
                                                .version_marker = "v"});
  const auto state = must(decode_inventory_state(row));
  CHECK(state.applied == 300);
  CHECK(state.version_marker == "v");
  for (std::size_t cut = 0; cut < row.size(); ++cut)
    CHECK_FALSE(decode_inventory_state(row.substr(0, cut)).ok());
  CHECK_FALSE(decode_inventory_state(row + 'x').ok());
}

}  // namespace inventory_test
