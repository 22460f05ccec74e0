// SPDX-License-Identifier: Apache-2.0
// Retention and legal hold, and the other things that are said of a version.
#include "objectstore/engine_rig_test.h"
#include "objectstore/metadata/rocks_kv.h"
#include "objectstore/metadata/row_keys.h"
#include "objectstore/records.h"

namespace object_lock_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct LockRig : EngineRig {
  LockRig() {
    must(engine->create_bucket({.name = "locked", .object_lock = {.enabled = true}}, never));
  }
  s3::Object put(const PutParams& params) {
    return must(engine->put({"locked", "key"}, "body", params, never));
  }
  s3::Retention until(s3::LockMode mode, std::int64_t days) const {
    return {.mode = mode, .until_ms = clock.unix_ms() + days * s3::day_ms};
  }
  std::string remove(const std::string& version, bool bypass = false) {
    return outcome(engine->remove({"locked", "key", version},
                                  RemoveParams{.bypass_governance = bypass}, never));
  }
  std::string retain(const std::string& version, std::optional<s3::Retention> retention,
                     bool bypass = false) {
    return outcome(engine->change_object(
        {"locked", "key", version},
        {.retention = std::optional(retention), .bypass_governance = bypass}, never));
  }
};

/// Changes the value of one row of a stopped engine.
void garble(os::FakeFiles& files, Table table, std::string_view key,
            const std::function<std::string(std::string)>& change) {
  const auto kv = must(RocksKv::open(files, "/data/objects/meta", {}));
  const auto cursor = must(kv->cursor(table, {}));
  cursor->seek({});
  while (cursor->valid() && cursor->key().find(key) == std::string_view::npos) cursor->next();
  REQUIRE(cursor->valid());
  KvBatch batch;
  batch.put(table, std::string(cursor->key()), change(std::string(cursor->value())));
  must(kv->write(batch));
}

/// `bytes` with something else where it differs from `other`.
std::string with_other_byte(std::string bytes, const std::string& other, char byte) {
  REQUIRE(bytes.size() == other.size());
  std::size_t at = 0;
  while (at < bytes.size() && bytes[at] == other[at]) ++at;
  REQUIRE(at < bytes.size());
  bytes[at] = byte;
  return bytes;
}

constexpr auto governance = s3::LockMode::governance;
constexpr auto compliance = s3::LockMode::compliance;

}  // namespace

TEST_CASE("object lock: a version under retention stays until its time") {
  LockRig rig;
  const auto kept = rig.put({.retention = rig.until(governance, 2)});
  const auto strict = rig.put({.retention = rig.until(compliance, 2)});
  CHECK(must(rig.engine->remove({"locked", "key"}, RemoveParams{}, never)).delete_marker);
  CHECK(rig.remove(kept.version_id) == "AccessDenied");
  CHECK(rig.remove(strict.version_id, true) == "AccessDenied");
  CHECK(rig.remove(kept.version_id, true) == "ok");
  rig.clock.advance_ms(2 * s3::day_ms);
  CHECK(rig.remove(strict.version_id) == "ok");
}

TEST_CASE("object lock: a batch removes what it may and tells of the rest") {
  LockRig rig;
  const auto kept = rig.put({.legal_hold = true});
  const auto free = rig.put({});
  const auto results = must(rig.engine->remove_batch("locked",
                                                     {{.key = "key", .version = kept.version_id},
                                                      {.key = "key", .version = free.version_id},
                                                      {.key = "key", .version = "nonsense"},
                                                      {.key = ""}},
                                                     {}, never));
  CHECK(outcome(results[0]) == "AccessDenied");
  CHECK(outcome(results[1]) == "ok");
  CHECK(outcome(results[2]) == "NoSuchVersion");
  CHECK(outcome(results[3]) == "InvalidArgument");
  CHECK(must(rig.engine->head({"locked", "key"}, never)).version_id == kept.version_id);
}

TEST_CASE("object lock: a retention in force is only made longer") {
  LockRig rig;
  const auto id = rig.put({.retention = rig.until(governance, 5)}).version_id;
  CHECK(rig.retain(id, rig.until(governance, 4)) == "AccessDenied");
  CHECK(rig.retain(id, std::nullopt) == "AccessDenied");
  CHECK(rig.retain(id, rig.until(governance, 6)) == "ok");
  CHECK(rig.retain(id, rig.until(governance, 1), true) == "ok");
  CHECK(rig.retain(id, rig.until(compliance, 1)) == "AccessDenied");
  CHECK(rig.retain(id, rig.until(compliance, 3)) == "AccessDenied");
  CHECK(rig.retain(id, rig.until(compliance, 3), true) == "ok");
  CHECK(rig.retain(id, rig.until(compliance, 2), true) == "AccessDenied");
  CHECK(rig.retain(id, rig.until(governance, 9), true) == "AccessDenied");
  CHECK(rig.retain(id, rig.until(compliance, 4)) == "ok");
  rig.clock.advance_ms(4 * s3::day_ms);
  CHECK(rig.retain(id, std::nullopt) == "ok");
}

TEST_CASE("object lock: a legal hold stands beside retention, and nothing lifts it but itself") {
  LockRig rig;
  const auto id = rig.put({.legal_hold = true}).version_id;
  CHECK(rig.remove(id, true) == "AccessDenied");
  must(rig.engine->change_object({"locked", "key", id}, {.legal_hold = false}, never));
  CHECK(rig.remove(id) == "ok");
}

TEST_CASE("object lock: the bucket's rule is given to what brings none, by every way in") {
  LockRig rig;
  must(rig.engine->change_bucket(
      "locked",
      {.object_lock = s3::ObjectLock{.enabled = true,
                                     .rule = s3::DefaultRetention{.mode = compliance, .days = 3}}},
      never));
  const s3::Retention given = rig.until(compliance, 3), own = rig.until(governance, 1);
  CHECK(rig.put({}).retention == given);
  CHECK(rig.put({.retention = own}).retention == own);
  rig.EngineRig::put("source", "x");
  CHECK(must(rig.engine->copy({"bucket", "source"}, {"locked", "copy"}, {}, never)).retention ==
        given);
  Uploads& uploads = rig.engine->uploads();
  const auto upload = must(uploads.create({"locked", "parts"}, {.legal_hold = true}, never));
  const auto part =
      must(uploads.begin_part({"locked", "parts"}, upload.upload_id, 1, std::nullopt, never));
  must(part->write("x"));
  must(part->finish({}, never));
  const auto judge = [](const std::vector<s3::Part>&) -> Result<Completed> {
    return Completed{.etag = "x-1"};
  };
  const auto object = must(uploads.complete({"locked", "parts"}, upload.upload_id,
                                            {.numbers = {1}, .judge = judge}, never));
  CHECK(object.retention == given);
  CHECK(object.legal_hold);
}

TEST_CASE("object lock: is refused in a bucket without it") {
  EngineRig rig(s3::Versioning::enabled);
  CHECK(outcome(rig.engine->put({"bucket", "key"}, "x", {.legal_hold = true}, never)) ==
        "InvalidRequest");
  rig.put("key", "x");
  CHECK(outcome(rig.engine->change_object({"bucket", "key"}, {.legal_hold = true}, never)) ==
        "InvalidRequest");
  CHECK(rig.extent_files() == 0);
}

TEST_CASE("changes of an object: in one step, of that version alone, kept over a restart") {
  EngineRig rig(s3::Versioning::enabled);
  const auto old = rig.put("key", bytes_of(100'000), {.tags = {{"a", "1"}}, .acl = "old acl"});
  rig.put("key", "new");
  const s3::Restore restore{.ready_ms = rig.clock.unix_ms(),
                            .expires_ms = rig.clock.unix_ms() + s3::day_ms};
  must(rig.engine->change_object({"bucket", "key", old.version_id},
                                 {.tags = s3::Tags{{"b", "2"}},
                                  .acl = "new acl",
                                  .restore = std::optional(restore),
                                  .archive_tier = "ARCHIVE_ACCESS",
                                  .replication_status = "REPLICA"},
                                 never));
  rig.start();
  auto now = must(rig.engine->head({"bucket", "key", old.version_id}, never));
  CHECK(now.tags == s3::Tags{{"b", "2"}});
  CHECK(now.acl == "new acl");
  CHECK(now.restore == restore);
  CHECK(now.replication_status == "REPLICA");
  CHECK(now.etag == old.etag);
  CHECK(now.modified_ms == old.modified_ms);
  CHECK(!now.latest);
  CHECK(!s3::is_archived(now, rig.clock.unix_ms()));
  CHECK(s3::is_archived(now, rig.clock.unix_ms() + s3::day_ms));
  CHECK((rig.get("key", old.version_id) == bytes_of(100'000)));
  CHECK(must(rig.engine->head({"bucket", "key"}, never)).tags.empty());
  must(rig.engine->change_object({"bucket", "key"}, {.restore = std::optional(restore)}, never));
  CHECK(must(rig.engine->list("bucket", {.with_state = true}, never)).objects[0].restore ==
        restore);
  CHECK(!must(rig.engine->list("bucket", {}, never)).objects[0].restore);
  const auto refuse = [](const s3::Object&) -> Status {
    return Error{.kind = ErrorKind::conflict, .code = "AccessDenied"};
  };
  CHECK(outcome(rig.engine->change_object({"bucket", "key"}, {.acl = "x", .judge = refuse},
                                          never)) == "AccessDenied");
  CHECK(must(rig.engine->head({"bucket", "key"}, never)).acl.empty());
}

TEST_CASE("F06: a version whose lock cannot be read is not removed, by whatever way") {
  LockRig rig;
  const auto kept = rig.put({.retention = rig.until(compliance, 1), .legal_hold = true});
  rig.engine.reset();
  garble(rig.files, Table::objects, "key", [](const std::string& row) {
    ObjectRecord record = must(decode_object(row, "key"));
    record.object.retention->mode = governance;
    return with_other_byte(row, encode(record), 7);
  });
  rig.start();
  for (int days = 0; days < 3; ++days) {
    CHECK(rig.remove(kept.version_id) == "corrupt");
    CHECK(rig.remove(kept.version_id, true) == "corrupt");
    CHECK(rig.retain(kept.version_id, std::nullopt, true) == "corrupt");
    CHECK(outcome(rig.engine->change_object({"locked", "key", kept.version_id},
                                            {.legal_hold = false}, never)) == "corrupt");
    CHECK(outcome(rig.engine->delete_bucket("locked", never)) != "ok");
    rig.clock.advance_ms(s3::day_ms);
  }
  CHECK(rig.get({"locked", "key", kept.version_id}) == "(corrupt)");
}

TEST_CASE("F06: an engine with a bucket whose lock cannot be read does not start") {
  for (const bool of_rule : {false, true}) {
    LockRig rig;
    must(rig.engine->change_bucket(
        "locked",
        {.object_lock = s3::ObjectLock{.enabled = true,
                                       .rule = s3::DefaultRetention{.mode = governance, .days = 3}}},
        never));
    const auto kept = rig.put({});
    rig.engine.reset();
    std::string good;
    garble(rig.files, Table::system, bucket_row("locked"), [&](const std::string& row) {
      good = row;
      StoredBucket other = must(decode_bucket(row));
      if (of_rule) {
        other.state.bucket.object_lock.rule->mode = compliance;
      } else {
        other.state.bucket.object_lock.enabled = false;
      }
      return with_other_byte(row, encode(other.id, other.state), 7);
    });
    const auto opened = Engine::open(rig.options);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == ErrorKind::corrupt);
    CHECK(opened.error().message.find("bucket") != std::string::npos);
    // What was there is there still.
    garble(rig.files, Table::system, bucket_row("locked"), [&](const std::string&) { return good; });
    rig.start();
    CHECK(rig.remove(kept.version_id) == "AccessDenied");
  }
}

}  // namespace object_lock_test
