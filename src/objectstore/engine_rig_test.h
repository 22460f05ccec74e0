// SPDX-License-Identifier: Apache-2.0
// An engine on a disk in memory and a clock that stands still, for the tests of this room.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "base/hash.h"
#include "objectstore/core/core.h"
#include "objectstore/core/multipart.h"
#include "objectstore/engine.h"
#include "os/fake/fake_files.h"

namespace cairn::objectstore::testing {

inline const os::Deadline never = os::Deadline::never();

template <class T>
T must(Result<T> result) {
  REQUIRE_MESSAGE(result.ok(), result.error().code << " " << result.error().message);
  return std::move(*result);
}

/// "ok", or the code of the error, or its kind.
template <class T>
std::string outcome(const Result<T>& result) {
  if (result.ok()) return "ok";
  if (!result.error().code.empty()) return result.error().code;
  return std::string(name_of(result.error().kind));
}

/// Test bytes without repetition, so that a wrong offset shows.
inline std::string bytes_of(std::size_t count, std::uint64_t seed = 1) {
  std::string out;
  while (out.size() < count) out += sha256(std::to_string(seed) + "/" + std::to_string(out.size()));
  out.resize(count);
  return out;
}

/// An engine on a disk in memory, which can be closed and opened again: start() does either.
struct EngineHost {
  os::FakeFiles files;
  os::FakeClock clock;  // for options.clock
  EngineOptions options;
  std::unique_ptr<Engine> engine;

  EngineHost() {
    options.data_dir = "/data";
    options.files = &files;
  }
  void start() {
    engine.reset();
    engine = must(Engine::open(options));
  }
  static std::string read(ObjectReader& reader) {
    std::string all;
    for (;;) {
      const auto piece = must(reader.next());
      if (piece.empty()) return all;
      all += piece;
    }
  }
  std::size_t extent_files() {
    must(engine->wait_collected(os::Deadline::in_ms(10'000)));
    std::size_t count = 0;
    const auto add = [&](std::uint64_t) { return ++count > 0; };
    REQUIRE(engine->core().extents().for_each(add).ok());
    return count;
  }
};

struct EngineRig : EngineHost {
  explicit EngineRig(s3::Versioning versioning = s3::Versioning::off, KeyRing* ring = nullptr) {
    options.clock = &clock;
    options.space_check_ms = 0;
    options.recovery_interval_ms = 5;
    options.key_ring = ring;
    start();
    must(engine->create_bucket({.name = "bucket", .versioning = versioning}, never));
  }
  void version(s3::Versioning versioning) {
    must(engine->change_bucket("bucket", {.versioning = versioning}, never));
  }
  s3::Object put(std::string_view key, std::string_view body, const PutParams& params = {}) {
    return must(engine->put({"bucket", key}, body, params, never));
  }
  std::string get(const ObjectName& name, const ReadParams& params = {}) {
    auto reader = engine->get(name, params, never);
    if (!reader.ok()) return "(" + outcome(reader) + ")";
    std::string all;
    for (;;) {
      const auto piece = (*reader)->next();
      if (!piece.ok()) return "(" + outcome(piece) + ")";
      if (piece->empty()) break;
      all += *piece;
    }
    CHECK(all.size() == (*reader)->size_bytes());
    return all;
  }
  std::string get(std::string_view key, std::string_view version = {}) {
    return get(ObjectName{"bucket", key, version});
  }
};

}  // namespace cairn::objectstore::testing
