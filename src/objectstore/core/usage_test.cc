// SPDX-License-Identifier: Apache-2.0
// What a bucket holds, against a listing of all its versions.
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "objectstore/engine_rig_test.h"

namespace usage_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

BucketUsage listed(Engine& engine, const std::string& bucket) {
  BucketUsage out;
  s3::ListVersionsParams params{.limit = 1000};
  for (;;) {
    const auto page = must(engine.list_versions(bucket, params, never));
    for (const s3::Object& object : page.versions) {
      ++out.versions;
      out.bytes += object.size_bytes;
    }
    if (!page.truncated) return out;
    params.key_marker = page.next_key_marker;
    params.version_id_marker = page.next_version_id_marker;
  }
}

void check_usage(Engine& engine, const std::string& bucket) {
  const auto told = engine.usage(bucket);
  REQUIRE(told.has_value());
  const BucketUsage true_one = listed(engine, bucket);
  CHECK(told->versions == true_one.versions);
  CHECK(told->bytes == true_one.bytes);
}

void do_anything(Engine& engine, const std::string& bucket, std::mt19937& dice, bool versions) {
  const std::string key = "k" + std::to_string(dice() % 12);
  switch (dice() % (versions ? 6 : 7)) {
    case 0:
    case 1:
    case 2:
      must(engine.put({bucket, key}, bytes_of(dice() % 90'000), {}, never));
      break;
    case 3:
      must(engine.remove({bucket, key}, RemoveParams{}, never));
      break;
    case 4: {
      const auto page = must(engine.list_versions(bucket, {.limit = 50}, never));
      if (page.versions.empty()) break;
      const s3::Object& one = page.versions[dice() % page.versions.size()];
      must(engine.remove({bucket, one.key, one.version_id}, RemoveParams{}, never));
      break;
    }
    case 5:
      must(engine.remove_batch(bucket, {{.key = key}, {.key = "k1"}, {.key = key}}, RemoveParams{},
                               never));
      break;
    case 6: {
      if (dice() % 2 == 0) {
        (void)engine.rename(bucket, key, "k" + std::to_string(dice() % 12), {}, never).ok();
        break;
      }
      const auto there = must(engine.look({bucket, key}, never));
      auto writer = must(engine.begin_append(
          {bucket, key}, AppendParams{.offset = there ? there->size_bytes : 0}, never));
      REQUIRE(writer->write(bytes_of(1 + dice() % 70'000)).ok());
      must(writer->finish({}, never));
      break;
    }
  }
}

}  // namespace

TEST_CASE("usage: every kind of change is counted, without versions, with them, suspended") {
  EngineRig rig;
  std::mt19937 dice(7);
  check_usage(*rig.engine, "bucket");
  for (int i = 0; i < 120; ++i) {
    do_anything(*rig.engine, "bucket", dice, false);
    if (i % 20 == 0) check_usage(*rig.engine, "bucket");
  }
  check_usage(*rig.engine, "bucket");
  for (const s3::Versioning versioning : {s3::Versioning::enabled, s3::Versioning::suspended}) {
    must(rig.engine->change_bucket("bucket", {.versioning = versioning}, never));
    for (int i = 0; i < 120; ++i) {
      do_anything(*rig.engine, "bucket", dice, true);
      if (i % 20 == 0) check_usage(*rig.engine, "bucket");
    }
    check_usage(*rig.engine, "bucket");
  }
}

TEST_CASE("usage: unknown after a start, until it is counted; changes go on meanwhile") {
  EngineRig rig;
  std::mt19937 dice(8);
  for (int i = 0; i < 60; ++i) do_anything(*rig.engine, "bucket", dice, false);
  for (int i = 0; i < 2500; ++i)
    must(rig.engine->put({"bucket", "many" + std::to_string(i)}, "abc", {}, never));
  rig.start();
  CHECK_FALSE(rig.engine->usage("bucket").has_value());
  int rests = 0;
  const auto counted = rig.engine->count_usage(
      "bucket",
      [&]() -> Status {
        ++rests;
        for (int i = 0; i < 15; ++i) do_anything(*rig.engine, "bucket", dice, false);
        return ok_status();
      },
      never);
  REQUIRE(counted.ok());
  CHECK(rests >= 2);
  check_usage(*rig.engine, "bucket");
  for (int i = 0; i < 30; ++i) do_anything(*rig.engine, "bucket", dice, false);
  check_usage(*rig.engine, "bucket");
}

TEST_CASE("usage: exact beside writers of all keys") {
  EngineRig rig;
  rig.start();
  std::vector<std::jthread> writers;
  for (unsigned t = 0; t < 3; ++t)
    writers.emplace_back([&, t] {
      std::mt19937 dice(100 + t);
      for (int i = 0; i < 150; ++i) {
        const std::string key = "k" + std::to_string(dice() % 8);
        if (dice() % 3 == 0)
          (void)rig.engine->remove({"bucket", key}, RemoveParams{}, never).ok();
        else
          (void)rig.engine->put({"bucket", key}, bytes_of(dice() % 500), {}, never).ok();
      }
    });
  for (int i = 0; i < 5; ++i) REQUIRE(rig.engine->count_usage("bucket", {}, never).ok());
  writers.clear();
  check_usage(*rig.engine, "bucket");
}

TEST_CASE("usage: of no bucket, and ended by its caller") {
  EngineRig rig;
  CHECK_FALSE(rig.engine->usage("nobody").has_value());
  CHECK(outcome(rig.engine->count_usage("nobody", {}, never)) == "NoSuchBucket");
  for (int i = 0; i < 1100; ++i)
    must(rig.engine->put({"bucket", std::to_string(i)}, "a", {}, never));
  rig.start();
  const auto ended = rig.engine->count_usage(
      "bucket", [] { return Status(Error{.kind = ErrorKind::cancelled}); }, never);
  CHECK(outcome(ended) == "cancelled");
  CHECK_FALSE(rig.engine->usage("bucket").has_value());
}

}  // namespace usage_test
