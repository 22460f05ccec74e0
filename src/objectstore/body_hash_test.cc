// SPDX-License-Identifier: Apache-2.0
#include "objectstore/body_hash.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "base/encode.h"
#include "base/hash.h"
#include "os/random.h"

namespace body_hash_test {

using namespace cairn;
using namespace cairn::objectstore;

namespace {

std::string hash_in_pieces(const std::string& body, std::size_t most, os::Pool& pool,
                           os::Random& random) {
  BodyHash hash([&]() -> os::Pool& { return pool; });
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t take = std::min<std::size_t>(rest.size(), 1 + random.below(most));
    const Status done = hash.update(rest.substr(0, take), [] { return ok_status(); });
    CHECK(done.ok());
    rest.remove_prefix(take);
  }
  CHECK(hash.finish() == hash.finish());
  return hash.finish();
}

}  // namespace

TEST_CASE("body hash: is the MD5, however long the body and its pieces are") {
  const auto random = os::seeded_random(7);
  os::Pool pool({.name = "test", .threads = 2});
  for (const std::size_t size : {0u, 1u, 1u << 20, (1u << 20) + 1, 3'000'000u, 6u << 20}) {
    const std::string body = random->bytes(size);
    for (const std::size_t most : {200'000u, 3'000'000u})
      CHECK(hash_in_pieces(body, most, pool, *random) == to_hex(md5(body)));
  }
}

TEST_CASE("body hash: many at a time, on a pool that takes none of them") {
  const auto random = os::seeded_random(8);
  const std::string body = random->bytes(4 << 20);
  for (const std::size_t queue : {std::size_t{0}, std::size_t{64}}) {
    os::Pool pool({.name = "test", .threads = 1, .queue = queue});
    std::vector<std::jthread> crew;
    for (std::uint64_t i = 0; i < 6; ++i)
      crew.emplace_back([&, i] {
        const auto own = os::seeded_random(i);
        CHECK(hash_in_pieces(body, 300'000, pool, *own) == to_hex(md5(body)));
      });
  }
}

TEST_CASE("body hash: what the work beside it says is told, once the bytes may go") {
  const auto random = os::seeded_random(9);
  os::Pool pool({.name = "test", .threads = 1});
  for (int i = 0; i < 20; ++i) {
    BodyHash hash([&]() -> os::Pool& { return pool; });
    for (int piece = 0; piece < 8; ++piece) {
      const std::string bytes = random->bytes(300'000);
      const Status done = hash.update(bytes, [&]() -> Status {
        return Error{.kind = ErrorKind::storage_full, .message = "no space"};
      });
      CHECK(done.error().kind == ErrorKind::storage_full);
    }
  }
}

}  // namespace body_hash_test
