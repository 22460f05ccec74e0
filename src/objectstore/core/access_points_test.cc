// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/access_points.h"

#include <doctest/doctest.h>

#include <latch>
#include <string>
#include <thread>

#include "objectstore/core/access_point_records.h"
#include "objectstore/core/core.h"
#include "objectstore/engine_rig_test.h"

namespace cairn::objectstore::access_points_test {
namespace {

using namespace testing;

s3::AccessPoint point_of(const std::string& name, const std::string& account = "111111111111",
                         const std::string& bucket = "photos") {
  return {.name = name,
          .owner = {.id = "id-" + account, .account_id = account},
          .bucket = bucket,
          .bucket_account_id = "111111111111",
          .region = "us-east-1",
          .alias = s3::access_point_alias(name, std::string(33, account[0]) + name.back())};
}

struct PointsRig : EngineHost {
  PointsRig() {
    options.clock = &clock;
    options.space_check_ms = 0;
    start();
    for (const char* name : {"photos", "maps"})
      must(engine->create_bucket(
          {.name = name, .owner = {.id = "id-111111111111", .account_id = "111111111111"}}, never));
  }
  AccessPoints& points() { return engine->access_points(); }
  std::string listed(const AccessPointFilter& filter) {
    const AccessPointPage page = points().list(filter);
    std::string out;
    for (const auto& each : page.points) out += each->point.name + " ";
    return out + (page.truncated ? "…" : "");
  }
};

}  // namespace

TEST_CASE("access points: kept over a restart, with their policy, found by name and alias") {
  PointsRig rig;
  rig.clock.advance_ms(12'345);
  s3::AccessPoint wanted = point_of("readers");
  wanted.block.block_public_policy = false;
  const auto made = must(rig.points().create(wanted, never));
  CHECK(made->point.created_ms == rig.clock.unix_ms());
  CHECK(made->policy == nullptr);
  must(rig.points().set_policy("111111111111", "readers", "{\"policy\"}", never));
  for (int round = 0; round < 2; ++round) {
    const auto found = rig.points().find("111111111111", "readers");
    REQUIRE(found != nullptr);
    wanted.created_ms = made->point.created_ms;
    wanted.policy = "{\"policy\"}";
    CHECK(found->point == wanted);
    CHECK(found->policy->text() == "{\"policy\"}");
    CHECK(rig.points().find_alias(wanted.alias) == found);
    rig.start();
  }
  must(rig.points().set_policy("111111111111", "readers", "", never));
  CHECK(rig.points().find("111111111111", "readers")->policy == nullptr);
  must(rig.points().remove("111111111111", "readers", never));
  for (int round = 0; round < 2; ++round) {
    CHECK(rig.points().find("111111111111", "readers") == nullptr);
    CHECK(rig.points().find_alias(wanted.alias) == nullptr);
    rig.start();
  }
}

TEST_CASE("access points: a name is an account's own, a bucket must be there") {
  PointsRig rig;
  must(rig.points().create(point_of("readers"), never));
  CHECK(outcome(rig.points().create(point_of("readers"), never)) == "AccessPointAlreadyOwnedByYou");
  must(rig.points().create(point_of("readers", "222222222222"), never));
  CHECK(outcome(rig.points().create(point_of("x-y", "111111111111", "nowhere"), never)) ==
        "NoSuchBucket");
  CHECK(outcome(rig.points().create(point_of("x-y", "111111111111", ".cairn-auth"), never)) ==
        "NoSuchBucket");
  s3::AccessPoint same_alias = point_of("others");
  same_alias.alias = point_of("readers").alias;
  CHECK(outcome(rig.points().create(same_alias, never)) == "InvalidRequest");
  must(rig.engine->create_bucket({.name = "logs-111111111111"}, never));
  CHECK(outcome(rig.points().create(point_of("logs"), never)) == "InvalidRequest");
  CHECK(outcome(rig.points().remove("111111111111", "logs", never)) == "NoSuchAccessPoint");
  CHECK(outcome(rig.points().set_policy("111111111111", "logs", "{}", never)) ==
        "NoSuchAccessPoint");
}

TEST_CASE("access points: the engine makes no bucket whose name leads to one") {
  PointsRig rig;
  must(rig.points().create(point_of("readers"), never));
  const auto made = [&](const std::string& name) {
    return outcome(rig.engine->create_bucket({.name = name}, never));
  };
  CHECK(made("readers-111111111111") == "BucketAlreadyExists");
  CHECK(made("readers-222222222222") == "ok");
  s3::AccessPoint of_outpost = point_of("far");
  of_outpost.alias = "far-alias-of-an-outpost";
  must(rig.points().create(of_outpost, never));
  CHECK(made(of_outpost.alias) == "BucketAlreadyExists");
  must(rig.points().remove("111111111111", "readers", never));
  CHECK(made("readers-111111111111") == "ok");
}

TEST_CASE("access points: of a bucket and a point of one name, made together, one is there") {
  PointsRig rig;
  for (int round = 0; round < 100; ++round) {
    const std::string name = "both" + std::to_string(round);
    std::latch begin(2);
    std::string bucket, point;
    {
      std::jthread beside([&] {
        begin.arrive_and_wait();
        bucket = outcome(rig.engine->create_bucket({.name = name + "-111111111111"}, never));
      });
      begin.arrive_and_wait();
      point = outcome(rig.points().create(point_of(name), never));
    }
    CAPTURE(bucket);
    CAPTURE(point);
    CHECK((bucket == "ok") != (point == "ok"));
  }
}

TEST_CASE("access points: listed by account in pages, of a bucket where that is asked") {
  PointsRig rig;
  for (const char* name : {"aaa", "bbb", "ccc"}) must(rig.points().create(point_of(name), never));
  must(rig.points().create(point_of("bcd", "111111111111", "maps"), never));
  must(rig.points().create(point_of("abc", "222222222222"), never));
  CHECK(rig.listed({.account_id = "111111111111"}) == "aaa bbb bcd ccc ");
  CHECK(rig.listed({.account_id = "111111111111", .bucket = "photos"}) == "aaa bbb ccc ");
  CHECK(rig.listed({.account_id = "111111111111", .limit = 2}) == "aaa bbb …");
  CHECK(rig.listed({.account_id = "111111111111", .after = "bbb", .limit = 2}) == "bcd ccc ");
  CHECK(rig.listed({.account_id = "333333333333"}).empty());
  s3::AccessPoint of_zone = point_of("baa--z--xa-s3");
  of_zone.alias = of_zone.name;
  must(rig.points().create(of_zone, never));
  CHECK(rig.listed({.account_id = "111111111111", .directory = true}) == "baa--z--xa-s3 ");
  CHECK(rig.listed({.account_id = "111111111111", .directory = false, .limit = 3}) == "aaa bbb bcd …");
}

TEST_CASE("access points: a bucket is not deleted while its account has one") {
  PointsRig rig;
  must(rig.points().create(point_of("readers"), never));
  must(rig.points().create(point_of("others", "222222222222"), never));
  CHECK(outcome(rig.engine->delete_bucket("photos", never)) == "BucketHasAccessPointsAttached");
  must(rig.points().remove("111111111111", "readers", never));
  CHECK(outcome(rig.engine->delete_bucket("photos", never)) == "ok");
}

TEST_CASE("access points: a scope is kept, and the name is one of its zone") {
  PointsRig rig;
  s3::AccessPoint wanted = point_of("readers--z--xa-s3");
  wanted.alias = wanted.name;
  wanted.scope = {.prefixes = {"a/", "b/"}, .permissions = {"GetObject"}};
  must(rig.points().create(wanted, never));
  s3::AccessPoint theirs = wanted;
  theirs.owner = {.id = "other", .account_id = "222222222222"};
  CHECK(outcome(rig.points().create(theirs, never)) == "InvalidRequest");
  for (int round = 0; round < 2; ++round) {
    CHECK(rig.points().find_alias(wanted.name)->point.scope == wanted.scope);
    rig.start();
  }
  must(rig.points().set_scope("111111111111", wanted.name, {.prefixes = {"c"}}, never));
  rig.start();
  const auto found = rig.points().find("111111111111", wanted.name);
  CHECK(found->point.scope == s3::AccessPointScope{.prefixes = {"c"}});
  CHECK(outcome(rig.points().set_scope("111111111111", "nobody", {}, never)) ==
        "NoSuchAccessPoint");
}

TEST_CASE("access points: of an outpost, a name of its own beside the account's others") {
  PointsRig rig;
  const std::string outpost = "op-01ac5d28a6a232904";
  must(rig.points().create(point_of("readers"), never));
  s3::AccessPoint wanted = point_of("readers");
  wanted.outpost_id = outpost;
  wanted.alias = s3::outpost_alias(wanted, std::string(20, 'a'));
  wanted.created_ms = must(rig.points().create(wanted, never))->point.created_ms;
  for (int round = 0; round < 2; ++round) {
    const auto found = rig.points().find("111111111111", s3::key_of(outpost, "readers"));
    REQUIRE(found != nullptr);
    CHECK(found->point == wanted);
    CHECK(rig.points().find_alias(wanted.alias) == found);
    CHECK_FALSE(rig.points().find("111111111111", "readers")->point.is_of_outpost());
    rig.start();
  }
  CHECK(rig.listed({.account_id = "111111111111", .directory = false}) == "readers ");
  CHECK(rig.listed({.account_id = "111111111111", .outpost_id = outpost}) == "readers ");
  CHECK(rig.listed({.account_id = "111111111111", .outpost_id = "op-0"}).empty());
  must(rig.points().remove("111111111111", "readers", never));
  CHECK(outcome(rig.engine->delete_bucket("photos", never)) == "BucketHasAccessPointsAttached");
  must(rig.points().remove("111111111111", s3::key_of(outpost, "readers"), never));
  CHECK(outcome(rig.engine->delete_bucket("photos", never)) == "ok");
  CHECK(must(decode_access_point(encode(wanted))) == wanted);
}

TEST_CASE("buckets: that it belongs to an outpost is kept") {
  PointsRig rig;
  must(rig.engine->create_bucket({.name = "there",
                                  .owner = {.id = "id-111111111111", .account_id = "111111111111"},
                                  .outpost_id = "op-01ac5d28a6a232904"},
                                 never));
  for (int round = 0; round < 2; ++round) {
    CHECK(must(rig.engine->head_bucket("there")).outpost_id == "op-01ac5d28a6a232904");
    CHECK(must(rig.engine->head_bucket("photos")).outpost_id.empty());
    rig.start();
  }
}

TEST_CASE("access points: a record reads back, and no broken one does") {
  s3::AccessPoint point = point_of("readers");
  point.policy = "{}";
  point.block.ignore_public_acls = false;
  const std::string bytes = encode(point);
  CHECK(must(decode_access_point(bytes)) == point);
  // Without what is tagged it is whole too: that end is no cut.
  const std::size_t plain = bytes.size() - 4;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(decode_access_point(bytes.substr(0, size)).ok() == (size == plain));
  point.scope = {.prefixes = {"a/", "b"}, .permissions = {"GetObject", "PutObject"}};
  CHECK(must(decode_access_point(encode(point))) == point);
  CHECK(outcome(decode_access_point(bytes + "\x09\x01x")) == "corrupt");
  CHECK(outcome(decode_access_point("\2" + bytes.substr(1))) == "corrupt");
}

}  // namespace cairn::objectstore::access_points_test
