// SPDX-License-Identifier: Apache-2.0
// The journal of a bucket: each change once, in order, with what the tables have columns for.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "objectstore/cipher.h"
#include "objectstore/core/lifecycle.h"
#include "objectstore/engine_rig_test.h"
#include "objectstore/journal/table_key.h"
#include "s3/errors.h"

namespace journal_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

constexpr ChangeOrigin somebody{
    .requester = "111122223333", .source_ip = "10.0.0.1", .request_id = "R1"};

struct JournalRig : EngineRig {
  explicit JournalRig(s3::Versioning versioning = s3::Versioning::off, KeyRing* ring = nullptr,
                      const s3::Encryption& how = {})
      : EngineRig(versioning, ring) {
    begin(how);
  }
  void begin(const s3::Encryption& how = {}) {
    const std::string text = must(table_document(options.key_ring, how));
    must(engine->change_bucket(
        "bucket", {.documents = {{std::string(document::journal_table), text}}}, never));
  }
  void end() {
    must(engine->change_bucket(
        "bucket", {.documents = {{std::string(document::journal_table), std::nullopt}}}, never));
  }
  std::vector<JournalRow> rows(std::uint64_t after = 0) {
    return must(engine->journal("bucket", after, 10'000, never)).rows;
  }
  /// "CREATE a", "DELETE a marker", in order.
  std::vector<std::string> told() {
    std::vector<std::string> all;
    for (const JournalRow& row : rows()) {
      std::string text = std::string(name_of(row.record.kind)) + " " + row.record.object.key;
      if (row.record.object.delete_marker) text += " marker";
      if (row.record.gone) text += " gone";
      all.push_back(text);
    }
    return all;
  }
  void tag(const std::string& key, const std::string& value) {
    must(engine->change_object({"bucket", key}, {.tags = s3::Tags{{"t", value}}}, never));
  }
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("journal: every kind of change is told once, in order, over restarts") {
  JournalRig rig;
  rig.put("a", "1");
  rig.put("a", bytes_of(100'000));
  must(rig.engine->copy({"bucket", "a"}, {"bucket", "b"}, {}, never));
  rig.tag("b", "x");
  must(rig.engine->rename("bucket", "b", "c", {}, never));
  must(rig.engine->remove({"bucket", "a"}, never));
  must(rig.engine->remove({"bucket", "none"}, never));
  const auto writer = must(rig.engine->begin_append({"bucket", "d"}, {}, never));
  must(writer->write("body"));
  must(writer->finish({}, never));
  must(rig.engine->remove_batch("bucket", std::vector<std::string>{"c", "d", "c"}, never));
  const Told expected = {"CREATE a",      "CREATE a", "CREATE b", "UPDATE_METADATA b",
                         "DELETE b gone", "CREATE c", "DELETE a gone", "CREATE d",
                         "DELETE c gone", "DELETE d gone"};
  for (int run = 0; run < 2; ++run) {
    CHECK(rig.told() == expected);
    rig.start();
  }
  const std::uint64_t last = rig.rows().back().number;
  rig.put("e", "");
  REQUIRE(rig.rows(last).size() == 1);
  CHECK(rig.rows(last)[0].record.object.key == "e");
}

TEST_CASE("journal: with versions a delete is a marker, and a version that goes is gone") {
  JournalRig rig(s3::Versioning::enabled);
  const auto first = rig.put("a", "1");
  const auto marker = must(rig.engine->remove({"bucket", "a"}, RemoveParams{}, never));
  must(rig.engine->remove({"bucket", "a", *marker.version_id}, RemoveParams{}, never));
  must(rig.engine->remove({"bucket", "a", first.version_id}, RemoveParams{}, never));
  CHECK(rig.told() == Told{"CREATE a", "DELETE a marker", "DELETE a gone", "DELETE a gone"});
  const auto rows = rig.rows();
  CHECK(rows[0].record.object.version_id == first.version_id);
  CHECK(rows[1].record.object.version_id == *marker.version_id);
  CHECK(rows[2].record.object.version_id == *marker.version_id);
  CHECK(rows[3].record.object.version_id == first.version_id);
}

TEST_CASE("journal: a row says what the object is, and who asked") {
  JournalRig rig;
  rig.clock.advance_ms(1000);
  const auto put = rig.put("a", "body",
                           {.attributes = {.storage_class = "GLACIER", .metadata = {{"k", "v"}}},
                            .checksum = s3::Checksum{.algorithm = s3::ChecksumAlgorithm::crc32},
                            .tags = {{"t", "u"}},
                            .origin = somebody});
  const auto rows = rig.rows();
  REQUIRE(rows.size() == 1);
  const JournalRecord& record = rows[0].record;
  CHECK(record.at_ms == rig.clock.unix_ms());
  CHECK(record.object.size_bytes == 4);
  CHECK(record.object.etag == put.etag);
  CHECK(record.object.modified_ms == put.modified_ms);
  CHECK(record.object.attributes.storage_class == "GLACIER");
  CHECK(record.object.attributes.metadata == s3::Metadata{{"k", "v"}});
  CHECK(record.object.tags == s3::Tags{{"t", "u"}});
  CHECK(record.object.checksum->algorithm == s3::ChecksumAlgorithm::crc32);
  CHECK(record.requester == "111122223333");
  CHECK(record.source_ip == "10.0.0.1");
  CHECK(record.request_id == "R1");
  CHECK_FALSE(record.multipart);
}

TEST_CASE("journal: a completed upload is one change, by who completed it") {
  JournalRig rig;
  Uploads& uploads = rig.engine->uploads();
  const ObjectName name{"bucket", "big"};
  const auto upload = must(uploads.create(name, {}, never));
  for (const int number : {1, 2}) {
    const auto part = must(uploads.begin_part(name, upload.upload_id, number, 100, never));
    must(part->write(bytes_of(100)));
    must(part->finish({}, never));
  }
  const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
    return Completed{.etag = "etag-2"};
  };
  must(uploads.complete(name, upload.upload_id,
                        {.numbers = {1, 2}, .judge = judge, .origin = somebody}, never));
  REQUIRE(rig.told() == Told{"CREATE big"});
  CHECK(rig.rows()[0].record.multipart);
  CHECK(rig.rows()[0].record.requester == "111122223333");
  CHECK(rig.rows()[0].record.object.size_bytes == 200);
}

TEST_CASE("journal: what is refused, changes no column, or is of another bucket is not told") {
  JournalRig rig;
  rig.put("a", "1");
  rig.tag("a", "x");
  rig.tag("a", "x");
  must(rig.engine->change_object({"bucket", "a"}, {.acl = "acl"}, never));
  CHECK(outcome(rig.engine->put({"bucket", "a"}, "2",
                                {.condition = {.if_none_match = true}}, never)) ==
        "PreconditionFailed");
  must(rig.engine->create_bucket({.name = "other"}, never));
  must(rig.engine->put({"other", "a"}, "1", {}, never));
  CHECK(rig.told() == Told{"CREATE a", "UPDATE_METADATA a"});
  CHECK(outcome(rig.engine->journal("other", 0, 10, never)) == "not_found");
}

TEST_CASE("journal: what a life cycle takes is told as the service's own doing") {
  JournalRig rig;
  rig.put("old", "1");
  rig.clock.advance_ms(10 * s3::day_ms);
  LifecycleWalk walk(*rig.engine, "bucket", {{.id = "r", .expire_days = 1}});
  while (must(walk.step(100, never))) {}
  REQUIRE(rig.told() == Told{"CREATE old", "DELETE old gone"});
  CHECK(rig.rows()[1].record.requester == "s3.amazonaws.com");
}

TEST_CASE("journal: pages go on where the last one ended") {
  JournalRig rig;
  for (int i = 0; i < 25; ++i) rig.put("k" + std::to_string(i), "");
  std::vector<std::string> keys;
  std::uint64_t after = 0;
  for (bool more = true; more;) {
    const auto page = must(rig.engine->journal("bucket", after, 10, never));
    for (const auto& row : page.rows) keys.push_back(row.record.object.key);
    after = page.rows.back().number;
    more = page.more;
  }
  REQUIRE(keys.size() == 25);
  for (int i = 0; i < 25; ++i) CHECK(keys[static_cast<std::size_t>(i)] == "k" + std::to_string(i));
}

TEST_CASE("journal: rows of one key keep the order of its changes under many writers") {
  JournalRig rig;
  constexpr int writers = 6, rounds = 60;
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < rounds; ++round)
        (void)rig.engine->put({"bucket", "k" + std::to_string((i + round) % 3)},
                              std::string(static_cast<std::size_t>(i * rounds + round), 'x'), {},
                              never);
    });
  // Who follows meanwhile, sees each row, and none that is lower than one it saw.
  std::map<std::string, std::uint64_t> sizes;
  std::size_t seen = 0;
  std::uint64_t after = 0;
  while (seen < writers * rounds) {
    for (const auto& row : must(rig.engine->journal("bucket", after, 7, never)).rows) {
      CHECK(row.number > after);
      after = row.number;
      sizes[row.record.object.key] = row.record.object.size_bytes;
      ++seen;
    }
  }
  for (auto& thread : threads) thread.join();
  CHECK(rig.rows().size() == writers * rounds);
  for (const auto& [key, size] : sizes)
    CHECK(must(rig.engine->head({"bucket", key}, never)).size_bytes == size);
}

TEST_CASE("journal: rows expire by their age, the oldest first, some at a time") {
  JournalRig rig;
  for (int i = 0; i < 5; ++i) rig.put("old", "");
  rig.clock.advance_ms(1000);
  rig.put("new", "");
  const std::int64_t now = rig.clock.unix_ms();
  CHECK(must(rig.engine->expire_journal("bucket", now, UINT64_MAX, 3, never)));
  CHECK(rig.rows().size() == 3);
  CHECK_FALSE(must(rig.engine->expire_journal("bucket", now, UINT64_MAX, 3, never)));
  CHECK(rig.told() == Told{"CREATE new"});
}

TEST_CASE("journal: a second journal of a bucket begins empty; rows of the first are swept") {
  JournalRig rig;
  rig.put("a", "");
  rig.end();
  CHECK(outcome(rig.engine->journal("bucket", 0, 10, never)) == "not_found");
  rig.put("untold", "");
  rig.begin();
  CHECK(rig.told().empty());
  rig.put("b", "");
  const auto count = [&] {
    const auto cursor = must(rig.engine->core().kv().cursor(Table::system, ""));
    std::size_t all = 0;
    for (cursor->seek(journal_rows); cursor->valid() && cursor->key().starts_with(journal_rows);
         cursor->next())
      ++all;
    return all;
  };
  CHECK(count() == 2);
  while (must(rig.engine->sweep_tables(100, never))) {}
  CHECK(count() == 1);
  CHECK(rig.told() == Told{"CREATE b"});
  must(rig.engine->remove({"bucket", "b"}, never));
  must(rig.engine->remove({"bucket", "a"}, never));
  must(rig.engine->remove({"bucket", "untold"}, never));
  must(rig.engine->delete_bucket("bucket", never));
  while (must(rig.engine->sweep_tables(2, never))) {}
  CHECK(count() == 0);
}

namespace {

/// A ring whose key can be taken away.
class SwitchedRing final : public KeyRing {
 public:
  bool on = true;
  Result<std::string> seal(const s3::Encryption& how, std::string_view key) override {
    return inner_.seal(how, key);
  }
  Result<std::string> unseal(const s3::Encryption& how, std::string_view sealed) override {
    if (!on) return s3::error("KMS.DisabledException", "the key is disabled");
    return inner_.unseal(how, sealed);
  }

 private:
  MasterKeyRing inner_{std::string(32, 'k')};
};

}  // namespace

TEST_CASE("journal: rows of an encrypted table are not there to be read without its key") {
  SwitchedRing ring;
  JournalRig rig(s3::Versioning::off, &ring, {.method = s3::EncryptionMethod::aes256});
  rig.put("a", "", {.tags = {{"hidden", "tag-value"}}});
  CHECK(rig.rows()[0].record.object.tags.at("hidden") == "tag-value");
  const auto cursor = must(rig.engine->core().kv().cursor(Table::system, ""));
  cursor->seek(journal_rows);
  REQUIRE(cursor->valid());
  CHECK(cursor->value().find("tag-value") == std::string_view::npos);
  CHECK(cursor->value().find("hidden") == std::string_view::npos);
}

TEST_CASE("journal: without its key the bucket works on, and the journal says what it lacks") {
  SwitchedRing ring;
  JournalRig rig(s3::Versioning::off, &ring, {.method = s3::EncryptionMethod::aes256});
  rig.put("a", "");
  CHECK(must(rig.engine->table_fault("bucket", document::journal_table)).empty());
  ring.on = false;
  rig.start();
  rig.put("b", "");
  CHECK(must(rig.engine->table_fault("bucket", document::journal_table)).find("disabled") != std::string::npos);
  ring.on = true;
  rig.put("c", "");
  CHECK(rig.told() == Told{"CREATE a", "CREATE c"});
  CHECK_FALSE(must(rig.engine->table_fault("bucket", document::journal_table)).empty());
}

}  // namespace journal_test
