// SPDX-License-Identifier: Apache-2.0
#include "app/upkeep/upkeep.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "objectstore/core/core.h"
#include "objectstore/core/multipart.h"
#include "os/clock.h"
#include "os/fake/fake_files.h"
#include "os/log.h"
#include "os/metrics.h"

namespace upkeep_test {

using namespace cairn;
using namespace cairn::app;

namespace {

const os::Deadline never = os::Deadline::never();

/// An engine on a disk in memory, on a clock that stands still.
struct Rig {
  os::FakeFiles files;
  os::FakeClock clock;
  std::unique_ptr<objectstore::Engine> engine;
  std::string log;

  Rig() {
    os::configure_log(os::LogLevel::info, os::LogFormat::json,
                      [this](std::string_view line) { log += line; });
    auto opened =
        objectstore::Engine::open({.data_dir = "/data", .files = &files, .clock = &clock});
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    engine = std::move(*opened);
    REQUIRE(engine->create_bucket({.name = "logs"}, never).ok());
    REQUIRE(engine->create_bucket({.name = "other"}, never).ok());
  }
  ~Rig() { os::configure_log(os::LogLevel::error, os::LogFormat::text); }

  void put(std::string_view bucket, std::string_view key, std::string_view body = "x") {
    REQUIRE(engine->put({bucket, key}, body, {}, never).ok());
  }
  bool is_there(std::string_view bucket, std::string_view key) {
    return engine->head({bucket, key}, never).ok();
  }
  void set_rule(const std::string& inside) {
    const std::string text =
        "<LifecycleConfiguration><Rule><ID>r</ID><Filter><Prefix>old/</Prefix>"
        "</Filter><Status>Enabled</Status>" +
        inside + "</Rule></LifecycleConfiguration>";
    REQUIRE(engine->change_bucket("logs", {.documents = {{"lifecycle", text}}}, never).ok());
  }
  void days(int count) { clock.advance_ms(count * s3::day_ms); }
};

}  // namespace

TEST_CASE("upkeep: what a rule says is done, in the buckets that have rules") {
  Rig rig;
  rig.set_rule(
      "<Expiration><Days>3</Days></Expiration><AbortIncompleteMultipartUpload>"
      "<DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>");
  for (const char* bucket : {"logs", "other"}) {
    rig.put(bucket, "old/1", std::string(100'000, 'b'));
    rig.put(bucket, "new/1");
    REQUIRE(rig.engine->uploads().create({bucket, "old/2"}, {}, never).ok());
  }
  REQUIRE(apply_lifecycle(*rig.engine, never).ok());
  CHECK(rig.is_there("logs", "old/1"));
  rig.days(2);
  REQUIRE(apply_lifecycle(*rig.engine, never).ok());
  CHECK(rig.is_there("logs", "old/1"));
  CHECK(rig.engine->uploads().list("logs", {}, never)->uploads.empty());
  rig.days(2);
  REQUIRE(apply_lifecycle(*rig.engine, never).ok());
  CHECK_FALSE(rig.is_there("logs", "old/1"));
  CHECK(rig.is_there("logs", "new/1"));
  CHECK(rig.is_there("other", "old/1"));
  CHECK(rig.engine->uploads().list("other", {}, never)->uploads.size() == 1);
  CHECK(rig.log.find("lifecycle rules applied") != std::string::npos);
  CHECK(os::metrics().expose().find("cairn_objects_lifecycle_actions_total{action=\"expired\"}") !=
        std::string::npos);
}

TEST_CASE("upkeep: noncurrent versions and lonely markers go too") {
  Rig rig;
  REQUIRE(rig.engine->change_bucket("logs", {.versioning = s3::Versioning::enabled}, never).ok());
  rig.set_rule(
      "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
      "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
      "</NoncurrentVersionExpiration>");
  rig.put("logs", "old/1");
  REQUIRE(rig.engine->remove({"logs", "old/1"}, objectstore::RemoveParams{}, never).ok());
  rig.days(3);
  REQUIRE(apply_lifecycle(*rig.engine, never).ok());
  REQUIRE(apply_lifecycle(*rig.engine, never).ok());  // the marker is alone now
  CHECK(rig.engine->list_versions("logs", {}, never)->versions.empty());
}

TEST_CASE("upkeep: the threads do it by themselves, and stop") {
  Rig rig;
  rig.set_rule("<Expiration><Days>1</Days></Expiration>");
  rig.put("logs", "old/1");
  rig.put("other", "k", std::string(100'000, 'b'));
  const auto ids = [&](std::uint64_t id) {
    REQUIRE(rig.files.flip_bit(rig.engine->core().extents().path_of(id), 77));
    return true;
  };
  REQUIRE(rig.engine->core().extents().for_each(ids).ok());
  {
    const auto upkeep =
        Upkeep::start(*rig.engine, nullptr, nullptr, {.lifecycle_interval_ms = 1, .scrub_interval_ms = 1});
    REQUIRE(upkeep.ok());
    rig.days(3);
    const auto limit = os::Deadline::in_ms(60'000);
    const os::Gauge& damaged = os::metrics().gauge("cairn_objectstore_damaged_objects", "");
    while (rig.is_there("logs", "old/1") || damaged.value() != 1) REQUIRE(os::sleep_ms(1, limit));
  }
  CHECK(rig.log.find("damaged_object") != std::string::npos);
  rig.put("logs", "old/2");
  rig.days(3);
  CHECK(rig.is_there("logs", "old/2"));
}

TEST_CASE("upkeep: a stop ends a round that has hours before it") {
  Rig rig;
  rig.put("other", "k", std::string(4 << 20, 'b'));
  objectstore::Scrubber scrubber(*rig.engine);
  std::stop_source source;
  std::jthread stopper([&] {
    const auto limit = os::Deadline::in_ms(60'000);
    const os::Counter& read = os::metrics().counter("cairn_objectstore_scrubbed_bytes_total", "");
    while (read.value() == 0 && os::sleep_ms(1, limit)) {
    }
    source.request_stop();
  });
  rig.put("other", "a", "first");  // is read at once
  const Status ended = scrub(scrubber, 64 << 10, os::Deadline::never(source.get_token()));
  CHECK(ended.error().kind == ErrorKind::cancelled);
}

TEST_CASE("upkeep: options that cannot be are refused with their setting") {
  CHECK(UpkeepOptions{}.validate().ok());
  const Status slow = UpkeepOptions{.scrub_bytes_per_second = 1000}.validate();
  CHECK(slow.error().message.find("objects.scrub_rate") != std::string::npos);
}

}  // namespace upkeep_test
