// SPDX-License-Identifier: Apache-2.0
// Lifecycle rules, on a clock that is moved by hand.
#include "objectstore/core/lifecycle.h"

#include "objectstore/engine_rig_test.h"

namespace lifecycle_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct LifecycleRig : EngineRig {
  using EngineRig::EngineRig;
  /// A walk, and before it one that only tries: that one changes nothing, and counts the same.
  LifecycleCount walk(const std::vector<LifecycleRule>& rules, std::size_t most = 3,
                      const std::string& bucket = "bucket") {
    const std::string before = shown(bucket);
    LifecycleCount told;
    LifecycleWalk tried(*engine, bucket, rules,
                        {.only_try = true,
                         .told = [&](LifecycleEffect effect, const LifecycleRule&, std::uint64_t) {
                           count(effect, told);
                         }});
    while (must(tried.step(most, never))) {
    }
    CHECK(shown(bucket) == before);
    LifecycleWalk walk(*engine, bucket, rules);
    while (must(walk.step(most, never))) {
    }
    CHECK(tried.count() == walk.count());
    told.examined = walk.count().examined;
    CHECK(told == walk.count());
    return walk.count();
  }
  static void count(LifecycleEffect effect, LifecycleCount& into) {
    into.expired += effect == LifecycleEffect::expired;
    into.markers_removed += effect == LifecycleEffect::marker_removed;
    into.noncurrent_removed += effect == LifecycleEffect::noncurrent_removed;
    into.uploads_aborted += effect == LifecycleEffect::upload_aborted;
  }
  void days(int count) { clock.advance_ms(count * s3::day_ms); }
  std::string shown(const std::string& bucket = "bucket") {
    std::string all;
    const auto page = must(engine->list_versions(bucket, {}, never));
    for (const auto& object : page.versions)
      all += (all.empty() ? "" : " ") + object.key + (object.delete_marker ? "!" : "") +
             (object.latest ? "" : "-");
    return all;
  }
};

}  // namespace

TEST_CASE("lifecycle: days end at the midnight behind them, and the soonest rule counts") {
  const std::int64_t noon = 20'000 * s3::day_ms + s3::day_ms / 2;
  const s3::Object object{.key = "logs/1", .modified_ms = noon};
  const auto week = expiry_of(object, {{.id = "other", .prefix = "x", .expire_days = 1},
                                       {.id = "late", .expire_days = 30},
                                       {.id = "week", .prefix = "logs/", .expire_days = 7}});
  REQUIRE(week);
  CHECK(week->rule_id == "week");
  CHECK(week->at_ms == 20'008 * s3::day_ms);
  CHECK(!expiry_of(object, {{.tags = {{"a", "b"}}, .expire_days = 1}}));
  CHECK(!expiry_of(object, {{.size_over = 0, .expire_days = 1}}));
  const auto dated = expiry_of(object, {{.id = "date", .expire_date_ms = 5}});
  CHECK(dated->at_ms == 5);
  const s3::MultipartUpload upload{.upload_id = "", .key = "k", .initiated_ms = noon};
  CHECK(abort_of(upload, {{.id = "a", .abort_days = 2}})->at_ms == 20'003 * s3::day_ms);
}

TEST_CASE("lifecycle: current versions expire, for good without versioning, else under a marker") {
  for (const auto versioning : {s3::Versioning::off, s3::Versioning::enabled}) {
    LifecycleRig rig(versioning);
    rig.put("logs/old", bytes_of(100'000));
    rig.put("logs/tagged", "x", {.tags = {{"keep", "no"}}});
    rig.put("other", "x");
    rig.days(5);
    rig.put("logs/young", "x");
    const std::vector<LifecycleRule> rules = {{.id = "r", .prefix = "logs/", .expire_days = 5}};
    CHECK(rig.walk(rules).expired == 0);  // not yet midnight
    rig.days(1);
    CHECK(rig.walk(rules).expired == 2);
    const bool off = versioning == s3::Versioning::off;
    CHECK(rig.shown() == (off ? "logs/young other"
                              : "logs/old! logs/old- logs/tagged! logs/tagged- logs/young other"));
    CHECK(rig.walk(rules).expired == 0);
    CHECK(rig.extent_files() == (off ? 0 : 1));
  }
}

TEST_CASE("lifecycle: noncurrent versions go by the time of the newer one, and by their number") {
  LifecycleRig rig(s3::Versioning::enabled);
  for (int day = 0; day < 6; ++day) {
    rig.put("key", std::to_string(day));
    rig.days(1);
  }
  // Ages in days since a newer one came: 1, 2, 3, 4, 5; plus a day to midnight.
  for (const std::size_t most : {std::size_t{1}, std::size_t{100}}) {
    const auto none = rig.walk({{.noncurrent_days = 3, .newer_noncurrent = 4}}, most);
    CHECK(none.noncurrent_removed == (most == 1 ? 1 : 0));
  }
  CHECK(rig.walk({{.noncurrent_days = 2}}).noncurrent_removed == 2);
  CHECK(rig.shown() == "key key- key-");
  CHECK(rig.get("key") == "5");
  rig.days(10);
  CHECK(rig.walk({{.prefix = "x", .noncurrent_days = 1}}).noncurrent_removed == 0);
  CHECK(rig.walk({{.noncurrent_days = 1}}).noncurrent_removed == 2);
  CHECK(rig.shown() == "key");
}

TEST_CASE("lifecycle: a marker goes once there is nothing below it") {
  LifecycleRig rig(s3::Versioning::enabled);
  rig.put("a", "x");
  must(rig.engine->remove({"bucket", "a"}, RemoveParams{}, never));
  must(rig.engine->remove({"bucket", "b"}, RemoveParams{}, never));
  const std::vector<LifecycleRule> rules = {{.expire_markers = true, .noncurrent_days = 1}};
  CHECK(rig.walk({{.tags = {{"t", "v"}}, .expire_markers = true}}).markers_removed == 0);
  CHECK(rig.walk(rules).markers_removed == 1);
  CHECK(rig.shown() == "a! a-");
  rig.days(3);
  CHECK(rig.walk(rules).noncurrent_removed == 1);
  CHECK(rig.walk(rules).markers_removed == 1);
  CHECK(rig.shown().empty());
}

TEST_CASE("lifecycle: unfinished uploads are aborted, with their parts") {
  LifecycleRig rig;
  Uploads& uploads = rig.engine->uploads();
  const auto begin = [&](std::string_view key) {
    const auto upload = must(uploads.create({"bucket", key}, {}, never));
    const auto part =
        must(uploads.begin_part({"bucket", key}, upload.upload_id, 1, std::nullopt, never));
    must(part->write("part"));
    must(part->finish({}, never));
  };
  for (const char* key : {"a", "b", "b", "c", "d"}) begin(key);
  rig.days(4);
  begin("b");
  CHECK(rig.walk({{.prefix = "b", .abort_days = 3}}, 1).uploads_aborted == 2);
  CHECK(must(uploads.list("bucket", {}, never)).uploads.size() == 4);
  CHECK(rig.walk({{.abort_days = 3}}).uploads_aborted == 3);
  CHECK(rig.extent_files() == 1);
}

TEST_CASE("lifecycle: each effect is told with its rule and its bytes") {
  LifecycleRig rig(s3::Versioning::enabled);
  rig.put("a/1", "four");
  rig.put("a/1", "three");
  rig.put("b/1", "x");
  rig.days(5);
  const std::vector<LifecycleRule> rules = {
      {.id = "days", .prefix = "a/", .expire_days = 2, .noncurrent_days = 1},
      {.id = "date", .prefix = "b/", .expire_date_ms = 1}};
  std::string told;
  LifecycleWalk walk(
      *rig.engine, "bucket", rules,
      {.only_try = true,
       .told = [&](LifecycleEffect effect, const LifecycleRule& rule, std::uint64_t size_bytes) {
         told += rule.id + (effect == LifecycleEffect::expired ? "" : "-") +
                 std::to_string(size_bytes) + " ";
       }});
  while (must(walk.step(2, never))) {
  }
  CHECK(told == "days5 days-4 date1 ");
  CHECK(rig.shown() == "a/1 a/1- b/1");
}

TEST_CASE("lifecycle: what is locked stays, what is gone does not matter") {
  LifecycleRig rig;
  must(rig.engine->create_bucket({.name = "locked", .object_lock = {.enabled = true}}, never));
  must(rig.engine->put({"locked", "key"}, "1", {.legal_hold = true}, never));
  must(rig.engine->put({"locked", "key"}, "2", {}, never));
  must(rig.engine->put({"locked", "key"}, "3", {}, never));
  rig.days(10);
  CHECK(rig.walk({{.noncurrent_days = 1}}, 10, "locked").noncurrent_removed == 1);
  CHECK(rig.shown("locked") == "key key-");
  LifecycleWalk gone(*rig.engine, "none", {{.expire_days = 1}});
  CHECK(!must(gone.step(10, never)));
}

}  // namespace lifecycle_test
