// SPDX-License-Identifier: Apache-2.0
// The engine on a disk that fills up, fails to sync, or has no descriptor left.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <thread>

#include "objectstore/core/core.h"
#include "objectstore/engine.h"
#include "objectstore/engine_rig_test.h"
#include "os/log.h"
#include "os/random.h"
#include "os/threads/no_threads.h"

namespace engine_faults_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct Rig : EngineHost {
  std::map<std::string, std::string> acknowledged;

  explicit Rig(std::uint64_t reserve = 0) {
    options.reserve_bytes = reserve;
    options.space_check_ms = 0;
    options.recovery_interval_ms = 1;
    options.write_buffer_bytes = 256 << 10;
    start();
    REQUIRE(engine->create_bucket({.name = "bucket"}, never).ok());
  }
  Status put(const std::string& key, const std::string& body) {
    CAIRN_CHECK(engine->put({"bucket", key}, body, {}, never));
    acknowledged[key] = body;
    return ok_status();
  }
  Status remove(const std::string& key) {
    CAIRN_CHECK(engine->remove({"bucket", key}, never));
    acknowledged.erase(key);
    return ok_status();
  }
  /// Puts until one works: recovery happens behind the requests.
  void put_until_ok(const std::string& key, const std::string& body) {
    const auto limit = os::Deadline::in_ms(60'000);
    while (!put(key, body).ok()) REQUIRE(os::sleep_ms(1, limit));
  }
  void check_acknowledged() {
    for (const auto& [key, body] : acknowledged) {
      auto reader = engine->get({"bucket", key}, {}, never);
      REQUIRE_MESSAGE(reader.ok(), key << ": " << reader.error().message);
      CHECK((read(**reader) == body));
    }
  }
};

/// Failures are meant to happen here: they are not worth a log.
const bool quiet = [] {
  os::configure_log(os::LogLevel::error, os::LogFormat::text, [](std::string_view) {});
  return true;
}();

/// Bytes that do not compress, so that a small disk is full soon.
std::string body_of(int number, std::size_t bytes) {
  return os::seeded_random(static_cast<std::uint64_t>(number))->bytes(bytes);
}

}  // namespace

TEST_CASE("engine faults: a start without threads is refused and says what to raise") {
  os::FakeFiles files;
  EngineOptions options;
  options.data_dir = "/data";
  options.files = &files;
  {
    const os::NoThreads none;
    const auto opened = Engine::open(options);
    REQUIRE_FALSE(opened.ok());
    CHECK(opened.error().kind == ErrorKind::unavailable);
    CHECK(opened.error().message.find("ulimit -u") != std::string::npos);
  }
  CHECK(Engine::open(options).ok());
}

TEST_CASE("engine faults: puts stop at the reserve, deletes go on, puts resume with the space") {
  Rig rig(16 << 20);
  rig.files.set_capacity(48 << 20);
  int number = 0;
  Status last = ok_status();
  while (last.ok()) {
    ++number;
    last = rig.put("k" + std::to_string(number), body_of(number, number % 2 == 0 ? 3000 : 150'000));
    REQUIRE(number < 10'000);
  }
  CHECK(last.error().kind == ErrorKind::storage_full);
  CHECK(*rig.files.free_bytes("/data") >= (8 << 20));
  CHECK(rig.engine->check_writable().ok() == rig.engine->core().check_space(0).ok());
  auto upload = rig.engine->begin_put({"bucket", "big"}, 100 << 20, never);
  CHECK(upload.error().kind == ErrorKind::storage_full);
  rig.check_acknowledged();
  for (int i = 1; i < number; i += 2) REQUIRE(rig.remove("k" + std::to_string(i)).ok());
  REQUIRE(rig.engine->wait_collected(os::Deadline::in_ms(60'000)).ok());
  CHECK(rig.put("after", body_of(0, 100'000)).ok());
  rig.check_acknowledged();
}

TEST_CASE("engine faults: reads go on for as long as the disk does not sync") {
  Rig rig;
  REQUIRE(rig.put("small", "small").ok());
  REQUIRE(rig.put("large", body_of(1, 150'000)).ok());
  std::atomic<int> refused = 0;
  rig.files.on_call([&](std::string_view call, const std::string& path) -> Status {
    if (!call.starts_with("sync") || path.find("/meta") == std::string::npos) return ok_status();
    ++refused;
    return Error{.kind = ErrorKind::internal, .message = "a fault of the test"};
  });
  CHECK_FALSE(rig.put("new", body_of(2, 2000)).ok());
  // Until recovery has been tried, in vain, several times.
  const auto limit = os::Deadline::in_ms(60'000);
  for (const int enough = refused + 5; refused < enough;) {
    (void)rig.engine->put({"bucket", "again"}, "x", {}, never).ok();
    rig.check_acknowledged();
    CHECK(rig.engine->list("bucket", {}, never).ok());
    REQUIRE(os::sleep_ms(1, limit));
  }
  rig.files.on_call(nullptr);
  rig.put_until_ok("resumed", body_of(3, 2000));
  rig.check_acknowledged();
}

TEST_CASE("engine faults: a disk that is really full loses nothing, and writes resume") {
  for (const std::size_t bytes : {2000u, 60'000u, 120'000u}) {
    Rig rig;
    rig.files.set_capacity(rig.files.used_bytes() + (3 << 20));
    int number = 0;
    Status last = ok_status();
    while (last.ok()) {
      ++number;
      last = rig.put("k" + std::to_string(number), body_of(number, bytes));
    }
    CHECK(last.error().kind == ErrorKind::storage_full);
    rig.check_acknowledged();
    // Still full: everything that is tried fails as it should, and reads go on.
    for (int i = 0; i < 5; ++i) {
      const Status again = rig.put("again", body_of(i, bytes));
      if (!again.ok()) {
        const ErrorKind kind = again.error().kind;
        CHECK((kind == ErrorKind::storage_full || kind == ErrorKind::unavailable));
      }
    }
    rig.check_acknowledged();
    rig.files.set_capacity(1ull << 40);
    rig.put_until_ok("resumed", body_of(1, bytes));
    rig.check_acknowledged();
    rig.files.crash();
    rig.start();
    rig.check_acknowledged();
  }
}

TEST_CASE("engine faults: a sync that fails is no acknowledgement, and costs nothing older") {
  for (const char* where : {"/data/objects/meta", "/data/tmp", "/data/objects/extents"}) {
    std::atomic<int> failures = 0;
    Rig rig;
    REQUIRE(rig.put("small", body_of(1, 2000)).ok());
    REQUIRE(rig.put("large", body_of(2, 200'000)).ok());
    // Files that the database no longer needs are noted on a thread of its own, whenever that comes
    // to it: such a sync may fail without harm, and is not the one that is meant.
    const auto putter = std::this_thread::get_id();
    rig.files.on_call([&](std::string_view call, const std::string& path) -> Status {
      if (!call.starts_with("sync") || !path.starts_with(where) || failures > 0) return ok_status();
      if (std::this_thread::get_id() != putter) return ok_status();
      ++failures;
      return Error{.kind = ErrorKind::internal, .message = "input/output error"};
    });
    const Status put = rig.put("large", body_of(3, 200'000));
    CHECK(failures == 1);
    CHECK_FALSE(put.ok());
    rig.files.on_call(nullptr);
    rig.put_until_ok("next", body_of(4, 2000));
    rig.put_until_ok("large", body_of(5, 200'000));
    rig.check_acknowledged();
    rig.files.crash();
    rig.start();
    rig.check_acknowledged();
    REQUIRE(rig.engine->wait_collected(os::Deadline::in_ms(60'000)).ok());
    int extents = 0;
    REQUIRE(
        rig.engine->core().extents().for_each([&](std::uint64_t) { return ++extents > 0; }).ok());
    CHECK(extents == 1);
  }
}

TEST_CASE("engine faults: without descriptors a large put is refused, and works again with them") {
  std::atomic<bool> exhausted = true;  // outlives the engine, which asks until its end
  Rig rig;
  rig.files.on_call([&](std::string_view call, const std::string&) -> Status {
    if (exhausted && (call == "unnamed" || call == "open"))
      return Error{.kind = ErrorKind::unavailable, .message = "too many open files"};
    return ok_status();
  });
  CHECK(rig.put("large", body_of(1, 200'000)).error().kind == ErrorKind::unavailable);
  CHECK(rig.put("small", body_of(2, 2000)).ok());
  exhausted = false;
  CHECK(rig.put("large", body_of(1, 200'000)).ok());
  exhausted = true;
  auto reader = rig.engine->get({"bucket", "large"}, {}, never);
  REQUIRE(reader.ok());
  CHECK((*reader)->next().error().kind == ErrorKind::unavailable);
  exhausted = false;
  rig.check_acknowledged();
}

TEST_CASE("F04: what the disk forbids is no word about the caller's rights or arguments") {
  const std::vector<std::pair<ErrorKind, ErrorKind>> kinds = {
      {ErrorKind::permission_denied, ErrorKind::unavailable},  // EROFS
      {ErrorKind::invalid_argument, ErrorKind::internal},      // EINVAL
      {ErrorKind::too_large, ErrorKind::internal},             // EFBIG
      {ErrorKind::storage_full, ErrorKind::storage_full}};
  for (const auto& [of_disk, of_engine] : kinds)
    for (const std::string failing : {"unnamed", "write", "publish"}) {
      CAPTURE(failing);
      std::atomic<bool> read_only = true;  // outlives the engine
      std::atomic<int> asked = 0;
      Rig rig;
      rig.files.on_call([&, kind = of_disk](std::string_view call, const std::string& path) {
        if (!read_only || call != failing || path.find("/meta") != std::string::npos)
          return ok_status();
        ++asked;
        return Status(Error{.kind = kind, .message = "Read-only file system"});
      });
      const Status put = rig.put("large", body_of(1, 200'000));
      CHECK(asked > 0);
      REQUIRE_FALSE(put.ok());
      CHECK(put.error().kind == of_engine);
      read_only = false;
      CHECK(rig.put("large", body_of(1, 200'000)).ok());
      rig.check_acknowledged();
    }
}

TEST_CASE("engine faults: a read that fails is an error of that read alone") {
  Rig rig;
  REQUIRE(rig.put("large", body_of(1, 200'000)).ok());
  rig.files.on_call([&](std::string_view call, const std::string& path) -> Status {
    if (call == "read" && path.starts_with("/data/objects/extents"))
      return Error{.kind = ErrorKind::internal, .message = "input/output error"};
    return ok_status();
  });
  auto reader = rig.engine->get({"bucket", "large"}, {}, never);
  REQUIRE(reader.ok());
  CHECK((*reader)->next().error().kind == ErrorKind::internal);
  rig.files.on_call(nullptr);
  rig.check_acknowledged();
  CHECK(rig.put("next", "x").ok());
}

}  // namespace engine_faults_test
