// SPDX-License-Identifier: Apache-2.0
#include "auth/sessions/sign_in_codes.h"

#include <doctest/doctest.h>

#include <vector>

namespace cairn::auth::sign_in_codes_test {
namespace {

struct Fixture {
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(4);
  SignInCodes codes{clock, *random};

  std::string make(const std::string& id, std::int64_t lifetime_ms = 1'000) {
    Key key;
    key.id = id;
    key.secret_sha256 = "digest of " + id;
    return codes.make(key, lifetime_ms).code;
  }
};

}  // namespace

TEST_CASE("a code is taken once, in its time") {
  Fixture f;
  const std::string code = f.make("a"), late = f.make("a");
  CHECK(code.size() == 43);
  CHECK_FALSE(f.codes.take(code.substr(1)));
  const auto taken = f.codes.take(code);
  REQUIRE(taken);
  CHECK(taken->key_id == "a");
  CHECK(taken->secret_sha256 == "digest of a");
  CHECK_FALSE(f.codes.take(code));
  f.clock.advance_ms(1'000);
  CHECK_FALSE(f.codes.take(late));
}

TEST_CASE("codes are bounded, of one key and of all") {
  Fixture f;
  const std::string others = f.make("other");
  std::vector<std::string> mine;
  for (std::size_t i = 0; i <= SignInCodes::of_one_max; ++i) mine.push_back(f.make("a"));
  CHECK_FALSE(f.codes.take(mine[0]));
  CHECK(f.codes.take(mine[1]));
  CHECK(f.codes.take(others));
  const std::string oldest = f.make("first");
  for (std::size_t i = 0; i < SignInCodes::all_max; ++i) f.make("key" + std::to_string(i));
  CHECK_FALSE(f.codes.take(oldest));
}

}  // namespace cairn::auth::sign_in_codes_test
