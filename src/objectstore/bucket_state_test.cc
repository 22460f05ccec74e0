// SPDX-License-Identifier: Apache-2.0
// What a bucket is configured to be: kept, changed by compare and set, and read without parsing.
#include "objectstore/bucket_state.h"

#include <atomic>
#include <thread>

#include "objectstore/engine_rig_test.h"

namespace bucket_state_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

TEST_CASE("bucket state: documents are kept, replaced and removed, over restarts") {
  EngineRig rig;
  must(rig.engine->create_bucket({.name = "other", .ownership = s3::Ownership::object_writer},
                                 never, {{"acl", "<acl/>"}}));
  CHECK(must(rig.engine->bucket("other"))->document("acl")->text() == "<acl/>");
  const auto before = must(rig.engine->bucket("bucket"));
  CHECK(before->document(s3::document::policy) == nullptr);
  const auto after =
      must(rig.engine->change_bucket("bucket", {.documents = {{"policy", "{}"}}}, never));
  CHECK(after->generation > before->generation);
  CHECK(before->documents.empty());  // whoever still reads the old state
  rig.start();
  auto now = must(rig.engine->bucket("bucket"));
  CHECK(now->generation == after->generation);
  CHECK(now->document("policy")->text() == "{}");
  CHECK(now->document("policy")->generation() == after->document("policy")->generation());
  now = must(rig.engine->change_bucket(
      "bucket", {.documents = {{"policy", std::nullopt}, {"cors", "c"}, {"none", std::nullopt}}},
      never));
  CHECK(now->document("policy") == nullptr);
  CHECK(now->document("cors")->text() == "c");
  CHECK(must(rig.engine->bucket("other"))->bucket.ownership == s3::Ownership::object_writer);
  CHECK(outcome(rig.engine->bucket(".cairn-auth")) == "NoSuchBucket");
}

TEST_CASE("bucket state: a document is parsed once, however many ask") {
  const BucketDocument document("12", 1);
  std::atomic<int> parsed = 0;
  const auto parse = [&](const std::string& text) {
    ++parsed;
    return std::stoi(text);
  };
  std::vector<std::jthread> scheduler;
  for (int i = 0; i < 4; ++i) scheduler.emplace_back([&] { CHECK(*document.parsed<int>(parse) == 12); });
  scheduler.clear();
  CHECK(parsed == 1);
}

TEST_CASE("bucket state: of changes made for one state, one wins") {
  EngineRig rig;
  const auto seen = must(rig.engine->bucket("bucket"));
  std::atomic<int> won = 0, lost = 0;
  std::vector<std::jthread> scheduler;
  for (int i = 0; i < 8; ++i)
    scheduler.emplace_back([&, i] {
      const auto done = rig.engine->change_bucket(
          "bucket",
          {.if_generation = seen->generation, .documents = {{"policy", std::to_string(i)}}}, never);
      (done.ok() ? won : lost)++;
      if (!done.ok()) CHECK(done.error().code == "OperationAborted");
    });
  scheduler.clear();
  CHECK(won == 1);
  CHECK(lost == 7);
}

TEST_CASE("bucket state: object lock needs versioning, and keeps it") {
  EngineRig rig;
  const auto change = [&](const BucketChange& what) {
    return outcome(rig.engine->change_bucket("bucket", what, never));
  };
  CHECK(change({.object_lock = s3::ObjectLock{.enabled = true}}) == "InvalidBucketState");
  CHECK(change({.versioning = s3::Versioning::enabled}) == "ok");
  CHECK(change({.object_lock = s3::ObjectLock{.enabled = true}}) == "ok");
  CHECK(change({.versioning = s3::Versioning::suspended}) == "InvalidBucketState");
  CHECK(change({.object_lock = s3::ObjectLock{}}) == "InvalidBucketState");
  CHECK(change({.versioning = s3::Versioning::off}) == "invalid_argument");
  const s3::ObjectLock with_rule{
      .enabled = true,
      .rule = s3::DefaultRetention{.mode = s3::LockMode::compliance, .days = 0, .years = 2}};
  CHECK(change({.object_lock = with_rule}) == "ok");
  rig.start();
  const auto state = must(rig.engine->bucket("bucket"));
  CHECK(state->bucket.object_lock == with_rule);
  CHECK(state->bucket.versioning == s3::Versioning::enabled);
  must(rig.engine->create_bucket({.name = "locked", .object_lock = {.enabled = true}}, never));
  CHECK(must(rig.engine->head_bucket("locked")).versioning == s3::Versioning::enabled);
}

}  // namespace bucket_state_test
