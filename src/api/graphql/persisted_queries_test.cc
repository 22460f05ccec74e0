// SPDX-License-Identifier: Apache-2.0
#include "api/graphql/persisted_queries.h"

#include <doctest/doctest.h>

#include "base/encode.h"
#include "base/hash.h"

namespace cairn::api {

TEST_CASE("graphql: persisted queries are found by their own hash, and the oldest are forgotten") {
  const auto hash = [](std::string_view text) { return to_hex(sha256(text)); };
  PersistedQueries kept(3'000);
  CHECK_FALSE(kept.find(hash("{a}")).has_value());
  CHECK_FALSE(kept.keep(hash("{b}"), "{a}"));
  CHECK_FALSE(kept.find(hash("{b}")).has_value());
  CHECK(kept.keep(hash("{a}"), "{a}"));
  CHECK(kept.keep(hash("{a}"), "{a}"));
  CHECK(kept.find(hash("{a}")) == "{a}");
  const std::string large(1'000, 'x');
  CHECK(kept.keep(hash(large), large));
  CHECK(kept.find(hash("{a}")).has_value());  // used again, so the other one goes first
  const std::string larger(1'500, 'y');
  CHECK(kept.keep(hash(larger), larger));
  CHECK_FALSE(kept.find(hash(large)).has_value());
  CHECK(kept.find(hash("{a}")).has_value());
  CHECK(kept.find(hash(larger)).has_value());
}

}  // namespace cairn::api
