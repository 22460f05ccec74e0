// SPDX-License-Identifier: Apache-2.0
#include "tables/tables.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/cipher.h"
#include "objectstore/core/inventory.h"
#include "objectstore/engine_store.h"
#include "objectstore/journal/table_key.h"
#include "os/fake/fake_files.h"
#include "store/memory_store.h"

namespace cairn::tables::tables_test {
namespace {

const os::Deadline never = os::Deadline::never();
const std::string journal_index = ".objects-journal-books";
const std::string inventory_index = ".objects-inventory-books";

template <class T>
T must(Result<T> result) {
  REQUIRE_MESSAGE(result.ok(), result.error().code << " " << result.error().message);
  return std::move(*result);
}

/// A ring whose keys can be taken away.
class CutRing final : public objectstore::KeyRing {
 public:
  bool disabled = false;
  Result<std::string> seal(const s3::Encryption&, std::string_view key) override {
    if (disabled) return refused();
    return ring_.seal(one_key, key);
  }
  Result<std::string> unseal(const s3::Encryption&, std::string_view sealed) override {
    if (disabled) return refused();
    return ring_.unseal(one_key, sealed);
  }

 private:
  static Error refused() {
    return {.kind = ErrorKind::permission_denied, .message = "the key is disabled"};
  }
  const s3::Encryption one_key{.method = s3::EncryptionMethod::aes256};
  objectstore::MasterKeyRing ring_{std::string(32, 'k')};
};

struct Host {
  os::FakeFiles files;
  os::FakeClock clock{1'700'000'000'000};
  CutRing ring;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  os::Pool pool{{.name = "test", .threads = 1}};
  std::unique_ptr<store::Store> platform = store::memory_store();
  std::unique_ptr<objectstore::Engine> engine;
  std::unique_ptr<index::Indices> shown;
  std::unique_ptr<Tables> tables;

  Host() { start(); }
  ~Host() { stop(); }
  /// As the program ends.
  void stop() {
    if (tables != nullptr) tables->flush(never);
    kill_tables();
  }
  void kill_tables() {
    tables.reset();
    shown.reset();
    engine.reset();
  }
  void start() {
    stop();
    open();
  }
  void kill() {
    kill_tables();
    open();
  }
  void open() {
    engine = must(objectstore::Engine::open(
        {.data_dir = "/data", .key_ring = &ring, .files = &files, .clock = &clock}));
    index::Options options;
    options.background = false;
    options.reserved_prefix = ".objects-";
    shown = must(index::Indices::open(*platform, pool, clock, *random, options, never));
    tables = std::make_unique<Tables>(
        Ground{.engine = *engine, .cpu = pool, .clock = clock, .random = *random}, *shown);
    REQUIRE(tables->open_all(never).ok());
  }
  void make_bucket(const s3::Encryption& how = {}, bool inventory = true) {
    const std::string table = must(objectstore::table_document(&ring, how));
    std::map<std::string, std::string> documents = {
        {std::string(objectstore::document::journal_table), table}};
    if (inventory) documents[std::string(objectstore::document::inventory_table)] = table;
    must(engine->create_bucket({.name = "books"}, never, documents));
  }
  void change_document(std::string_view name, std::optional<std::string> text) {
    objectstore::BucketChange change;
    change.documents[std::string(name)] = std::move(text);
    must(engine->change_bucket("books", change, never));
  }
  void put(const std::string& key, const std::string& tag = {}) {
    objectstore::PutParams params;
    if (!tag.empty()) params.tags["kind"] = tag;
    params.attributes.metadata["color.of it"] = "red";
    must(engine->put({"books", key}, "body of " + key, params, never));
  }
  void keep_inventory() {
    auto inventory = must(objectstore::Inventory::find(*engine, "books"));
    while (must(inventory.step(100, never))) {
    }
  }
  /// As the program's thread does, until there is nothing more to do.
  Followed follow() {
    for (;;) {
      const Followed followed = must(tables->follow("books", never));
      if (followed == Followed::more) continue;
      REQUIRE(tables->sweep(never).ok());
      return followed;
    }
  }
  std::vector<std::string> values(const std::string& index, const std::string& column,
                                  const std::string& sort = "sequence_number") {
    const auto found = must(shown->find(index));
    const auto view = found->view();
    index::SearchParams params;
    params.size = 10'000;
    params.sort = {{.by = index::SortKey::By::field, .field = sort}};
    const auto top = must(view->search({}, params, never));
    std::vector<std::string> out;
    for (const auto& hit : top.hits) {
      const Json row = must(parse_json(must(view->source(hit.doc, never))));
      const Json* value = row.find(column);
      REQUIRE(value != nullptr);
      out.push_back(value->is_string() ? value->as_string() : value->dump());
    }
    return out;
  }
  std::uint64_t count(const std::string& index, const std::string& field, Json value) {
    const auto found = must(shown->find(index));
    index::TermQuery term{.field = field, .value = std::move(value)};
    return must(found->view()->count({.node = std::move(term)}, never));
  }
  std::size_t kept_objects() {
    const auto store = must(objectstore::reserved_store(*engine, ".cairn-tables"));
    return must(store->list({}, never)).objects.size();
  }
  std::string disk(const std::string& folder = "/data") {
    std::string all;
    for (const std::string& name : must(files.list(folder))) {
      const std::string path = folder + "/" + name;
      all += must(files.info(path)).is_directory ? disk(path)
                                                 : must(os::read_file(files, path, 64u << 20));
    }
    return all;
  }
};

using Texts = std::vector<std::string>;

TEST_CASE("tables: the journal is searched, each change once and in order") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.put("b", "tale");
  must(host.engine->remove({"books", "a"}, never));
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"a", "b", "a"});
  CHECK(host.values(journal_index, "record_type") == Texts{"CREATE", "CREATE", "DELETE"});
  CHECK(host.count(journal_index, "record_type", "DELETE") == 1);
  CHECK(host.count(journal_index, "object_tag_list", "kind=tale") == 1);
  CHECK(host.count(journal_index, "user_metadata_list", "color.of it=red") == 2);
  CHECK(host.values(journal_index, "object_tags")[1] == R"({"kind":"tale"})");
  host.put("c");
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"a", "b", "a", "c"});
}

TEST_CASE("tables: the inventory is copied once it is filled, and then follows") {
  Host host;
  host.make_bucket();
  for (int i = 0; i < 3; ++i) host.put("k" + std::to_string(i));
  CHECK(host.follow() == Followed::all);
  CHECK_FALSE(host.tables->state("books", "inventory")->filled);
  host.keep_inventory();
  host.put("k3");
  must(host.engine->remove({"books", "k0"}, never));
  CHECK(host.follow() == Followed::all);
  CHECK(host.tables->state("books", "inventory")->filled);
  CHECK(host.values(inventory_index, "key", "key") == Texts{"k1", "k2", "k3"});
  host.put("k1", "new");
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(inventory_index, "key", "key") == Texts{"k1", "k2", "k3"});
  CHECK(host.count(inventory_index, "object_tag_list", "kind=new") == 1);
}

TEST_CASE("tables: versions and markers are rows of their own") {
  Host host;
  host.make_bucket();
  objectstore::BucketChange change;
  change.versioning = s3::Versioning::enabled;
  must(host.engine->change_bucket("books", change, never));
  host.put("a");
  host.put("a");
  must(host.engine->remove({"books", "a"}, never));
  host.keep_inventory();
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(inventory_index, "key", "key") == Texts{"a", "a", "a"});
  CHECK(host.count(inventory_index, "is_delete_marker", true) == 1);
}

TEST_CASE("tables: more rows than a step takes, and a restart between any two") {
  Host host;
  host.make_bucket();
  constexpr std::size_t rows = 4'500;
  for (std::size_t i = 0; i < rows; ++i) host.put(std::to_string(i));
  host.keep_inventory();
  int steps = 0;
  while (must(host.tables->follow("books", never)) == Followed::more) {
    host.start();
    ++steps;
  }
  CHECK(steps >= 2);
  CHECK(must(host.shown->find(journal_index))->view()->document_count() == rows);
  CHECK(must(host.shown->find(inventory_index))->view()->document_count() == rows);
  const Texts all = host.values(journal_index, "key");
  REQUIRE(all.size() == rows);
  for (std::size_t i = 0; i < rows; ++i) REQUIRE(all[i] == std::to_string(i));
}

TEST_CASE("tables: what a process that was killed had not kept is taken again, once") {
  for (const bool kept_between : {false, true}) {
    CAPTURE(kept_between);
    Host host;
    host.make_bucket();
    host.put("a");
    host.keep_inventory();
    host.follow();
    if (kept_between) host.tables->flush(never);
    host.put("b");
    must(host.engine->remove({"books", "a"}, never));
    host.follow();
    host.kill();
    CHECK(host.follow() == Followed::all);
    CHECK(host.values(journal_index, "key") == Texts{"a", "b", "a"});
    CHECK(host.values(inventory_index, "key", "key") == Texts{"b"});
    CHECK(host.tables->state("books", "inventory")->filled);
  }
}

TEST_CASE("tables: killed after any step of the copy of an inventory, while objects come and go") {
  Host host;
  host.make_bucket();
  constexpr int rows = 2'300;
  for (int i = 0; i < rows; ++i) host.put("k" + std::to_string(i));
  host.keep_inventory();
  for (int round = 0; round < 8; ++round) {
    for (int step = 0; step <= round; ++step) must(host.tables->follow("books", never));
    must(host.engine->remove({"books", "k" + std::to_string(round)}, never));
    host.put("new" + std::to_string(round));
    if (round % 2 == 0) host.tables->flush(never);
    host.kill();
  }
  host.keep_inventory();
  CHECK(host.follow() == Followed::all);
  const Texts keys = host.values(inventory_index, "key", "key");
  CHECK(keys.size() == rows);
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == rows);
  CHECK(std::find(keys.begin(), keys.end(), "k0") == keys.end());
  CHECK(std::find(keys.begin(), keys.end(), "new7") != keys.end());
  CHECK(must(host.shown->find(journal_index))->view()->document_count() == rows + 16);
}

TEST_CASE("tables: rows of the journal are needed until a copy has kept them") {
  Host host;
  host.make_bucket();
  CHECK(host.tables->needs_behind("books") == UINT64_MAX);
  host.put("a");
  host.keep_inventory();
  host.follow();
  CHECK(host.tables->needs_behind("books") < 1);
  host.tables->flush(never);
  const auto last = must(host.engine->journal("books", 0, 10, never)).rows.back().number;
  CHECK(host.tables->needs_behind("books") == last);
  host.put("b");
  host.follow();
  CHECK(host.tables->needs_behind("books") == last);
  CHECK(host.tables->needs_behind("others") == UINT64_MAX);
}

TEST_CASE("tables: a copy that does not say how far it is is made anew") {
  Host host;
  host.make_bucket({}, false);
  host.follow();
  host.tables.reset();
  const auto all = must(objectstore::reserved_store(*host.engine, ".cairn-tables"));
  const std::string prefix =
      must(all->list({.delimiter = "/"}, never)).prefixes.front();
  const auto store = must(objectstore::reserved_store(*host.engine, ".cairn-tables", prefix));
  {
    const auto copy = must(index::Indices::open(*store, host.pool, host.clock, *host.random,
                                                {.background = false}, never));
    const index::WriteOperation operation{.id = "x", .source = R"({"key":"x"})"};
    must(must(copy->find(journal_index))->write({&operation, 1}, never));
  }
  host.put("a");
  host.start();
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"a"});
}

TEST_CASE("tables: what the journal has lost by its days leaves the index") {
  Host host;
  host.make_bucket({}, false);
  host.put("a");
  host.put("b");
  host.follow();
  host.clock.advance_ms(8 * s3::day_ms);
  host.put("c");
  host.follow();
  CHECK(host.values(journal_index, "key") == Texts{"a", "b", "c"});
  const auto expire = [&] {
    while (must(host.engine->expire_journal("books", host.clock.unix_ms() - 7 * s3::day_ms, UINT64_MAX, 1,
                                            never))) {
    }
  };
  expire();
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"c"});
  host.clock.advance_ms(8 * s3::day_ms);
  expire();
  host.start();
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key").empty());
  host.put("d");
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"d"});
}

TEST_CASE("tables: a table that goes takes its index and all that it kept along") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.keep_inventory();
  host.follow();
  const auto held = must(host.shown->find(journal_index));
  host.change_document(objectstore::document::inventory_table, std::nullopt);
  host.follow();
  CHECK(host.shown->find(inventory_index).error().code == "index_not_found_exception");
  CHECK(host.shown->find(journal_index).ok());
  host.change_document(objectstore::document::journal_table, std::nullopt);
  host.follow();
  CHECK(host.shown->find(journal_index).error().code == "index_not_found_exception");
  CHECK(held->get("x", never).error().code == "index_not_found_exception");
  CHECK_FALSE(host.tables->state("books", "journal"));
  CHECK(host.kept_objects() == 0);
}

TEST_CASE("tables: a bucket that goes, and one that is configured anew") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.follow();
  host.change_document(objectstore::document::journal_table,
                       must(objectstore::table_document(nullptr, {})));
  host.put("b");
  CHECK(host.follow() == Followed::all);
  CHECK(host.values(journal_index, "key") == Texts{"b"});
  must(host.engine->remove({"books", "a"}, never));
  must(host.engine->remove({"books", "b"}, never));
  REQUIRE(host.engine->delete_bucket("books", never).ok());
  host.follow();
  CHECK(host.shown->resolve(".*")->empty());
  CHECK(host.kept_objects() == 0);
}

TEST_CASE("tables: what a process left of tables that are gone is swept at its next start") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.follow();
  host.tables.reset();
  CHECK(host.kept_objects() > 0);
  must(host.engine->remove({"books", "a"}, never));
  REQUIRE(host.engine->delete_bucket("books", never).ok());
  host.start();
  host.follow();
  CHECK(host.kept_objects() == 0);
}

TEST_CASE("tables: encrypted ones have no copy in the clear, plain ones do") {
  for (const bool sealed : {false, true}) {
    CAPTURE(sealed);
    Host host;
    s3::Encryption how;
    if (sealed) how.method = s3::EncryptionMethod::aes256;
    host.make_bucket(how);
    objectstore::PutParams params;
    params.tags["secret-tag-of-it"] = "value";
    // So many that segments are files of their own.
    for (int i = 0; i < 1500; ++i)
      must(host.engine->put({"books", to_hex(sha256(std::to_string(i)))}, "", params, never));
    host.keep_inventory();
    host.follow();
    const auto index = must(host.shown->find(journal_index));
    REQUIRE(index->flush(never).ok());
    CHECK(host.count(journal_index, "object_tag_list", "secret-tag-of-it=value") == 1500);
    // The object itself lies in the bucket's metadata, in the clear; the list of the copy does not.
    host.stop();
    CHECK((host.disk().find("secret-tag-of-it=value") == std::string::npos) == sealed);
    host.start();
    CHECK(host.count(inventory_index, "object_tag_list", "secret-tag-of-it=value") == 1500);
  }
}

TEST_CASE("tables: without its key a table fails, and goes on once it is there again") {
  Host host;
  host.make_bucket({.method = s3::EncryptionMethod::kms, .kms_key_id = "k"});
  host.put("a");
  CHECK(host.follow() == Followed::all);
  host.ring.disabled = true;
  host.start();
  CHECK(host.shown->find(journal_index).error().code == "index_not_found_exception");
  CHECK(host.follow() == Followed::not_all);
  CHECK(host.tables->state("books", "journal")->fault.find("the key is disabled") !=
        std::string::npos);
  host.ring.disabled = false;
  CHECK(host.follow() == Followed::all);
  CHECK(host.tables->state("books", "journal")->fault.empty());
  CHECK(host.values(journal_index, "key") == Texts{"a"});
}

TEST_CASE("tables: a copy that is damaged is made anew") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.keep_inventory();
  host.follow();
  {
    host.tables->flush(never);
    const auto store = must(objectstore::reserved_store(*host.engine, ".cairn-tables"));
    std::size_t damaged = 0;
    for (const auto& object : must(store->list({}, never)).objects)
      if (object.key.ends_with("/CURRENT")) must(store->put(object.key, "?", never)), ++damaged;
    CHECK(damaged == 2);
    host.start();
    CHECK(host.follow() == Followed::all);
    CHECK(host.values(journal_index, "key") == Texts{"a"});
    CHECK(host.values(inventory_index, "key", "key") == Texts{"a"});
  }
}

TEST_CASE("tables: indices are flushed and merged, and searches go on") {
  Host host;
  host.make_bucket({}, false);
  for (int round = 0; round < 20; ++round) {
    host.put(std::to_string(round));
    host.follow();
    host.clock.advance_ms(10 * 60'000);
    REQUIRE(host.tables->maintain(never).ok());
  }
  CHECK(host.values(journal_index, "key").size() == 20);
  CHECK(must(host.shown->find(journal_index))->statistics().segments < 20);
  host.start();
  CHECK(host.values(journal_index, "key").size() == 20);
}

TEST_CASE("tables: only they write their indices") {
  Host host;
  host.make_bucket();
  host.put("a");
  host.follow();
  const auto index = must(host.shown->find(journal_index));
  const index::WriteOperation operation{.id = "x", .source = "{}"};
  CHECK(must(index->write({&operation, 1}, never)).front().error->code ==
        "cluster_block_exception");
  CHECK(host.shown->remove(journal_index, never).error().code == "cluster_block_exception");
  CHECK(host.shown->resolve("*")->empty());
  CHECK(host.shown->resolve(".objects-*")->size() == 2);
}

TEST_CASE("tables: how far an index is can be read back, and what else there is is told") {
  const Progress progress{.began = true, .filled = true, .applied = 1u << 20, .after = "a\0b"};
  CHECK(must(decode_progress(encode(progress))) == progress);
  CHECK(must(decode_progress(encode({}))) == Progress{});
  const std::string bytes = encode(progress);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(decode_progress(bytes.substr(0, size)).error().kind == ErrorKind::corrupt);
  CHECK_FALSE(decode_progress(bytes + "x").ok());
  CHECK_FALSE(decode_progress("\x01\x04\x01\x01").ok());
}

}  // namespace
}  // namespace cairn::tables::tables_test
