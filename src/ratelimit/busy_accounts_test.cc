// SPDX-License-Identifier: Apache-2.0
#include "ratelimit/busy_accounts.h"

#include <doctest/doctest.h>

#include "ratelimit/limiter.h"

namespace cairn::ratelimit::busy_accounts_test {
namespace {

Identity user(const std::string& name) {
  return {.kind = IdentityKind::user, .account = "user:" + name};
}

Decision used(std::uint32_t count, std::uint16_t resource = 0) {
  return {.window = WindowState{.limit = 1'000'000, .used = count, .resource = resource}};
}

Decision refused(std::uint32_t nth) {
  Decision out = used(1'000'000);
  out.refusal = Refusal::primary;
  out.retry_after_s = 60;
  out.nth_refusal = nth;
  return out;
}

TEST_CASE("busy accounts: those that used most first, by resource") {
  BusyAccounts busy;
  const Charge one{};
  for (std::uint32_t i = 1; i <= 100; ++i) busy.note(user("ann"), one, used(i), "get");
  for (std::uint32_t i = 1; i <= 5; ++i) busy.note(user("bob"), one, used(i), "get");
  busy.note(user("cid"), one, used(1, 3), "search");
  const auto top = busy.top(0, 10, 3'600);
  REQUIRE(top.size() == 2);
  CHECK(top[0].identity.account == "user:ann");
  CHECK(top[0].used == 64);  // as it was noted last
  CHECK(top[1].used == 4);
  CHECK(busy.top(3, 10, 3'600).size() == 1);
  CHECK(busy.top(0, 1, 3'600).size() == 1);
  // A step over a power of two is seen, however long it is.
  const Charge many{.cost = 500};
  busy.note(user("dan"), many, used(700), "get");
  CHECK(busy.top(0, 1, 3'600)[0].identity.account == "user:dan");
  busy.note(user("eve"), Charge{.cost = 0}, used(700), "get");  // used nothing
  CHECK(busy.top(0, 10, 3'600).size() == 3);
}

TEST_CASE("busy accounts: a flood of small ones does not push out a large one") {
  BusyAccounts busy;
  const Charge one{};
  for (std::uint32_t i = 1; i <= 1'024; ++i) busy.note(user("large"), one, used(i), "get");
  for (int i = 0; i < 50'000; ++i) busy.note(user(std::to_string(i)), one, used(1), "get");
  const auto top = busy.top(0, BusyAccounts::most + 1, 3'600);
  CHECK(top.size() <= BusyAccounts::most);
  CHECK(top.front().identity.account == "user:large");
  CHECK(top.front().used == 1'024);
}

TEST_CASE("busy accounts: who was refused, with how often") {
  BusyAccounts busy;
  const Charge charge{.resource = 2, .endpoint = 7, .cost = 3};
  for (std::uint32_t nth = 1; nth <= 5; ++nth)
    busy.note(user("ann"), charge, refused(nth), "search");
  Decision shadow = used(5);
  shadow.shadowed = true;
  shadow.shadow = Refusal::rule;
  shadow.nth_refusal = 1;
  busy.note(user("bob"), charge, shadow, "bulk", "few");
  auto all = busy.refused();
  REQUIRE(all.size() == 2);
  if (all[0].identity.account != "user:ann") std::swap(all[0], all[1]);
  CHECK(all[0].limit == "primary");
  CHECK(all[0].times == 4);
  CHECK(all[0].operation == "search");
  CHECK(all[0].cost == 3);
  CHECK(all[0].until_unix_s == all[0].at_unix_s + 60);
  CHECK_FALSE(all[0].shadowed);
  CHECK(all[1].rule == "few");
  CHECK(all[1].limit == "rule");
  CHECK(all[1].shadowed);
  for (int i = 0; i < 20'000; ++i) busy.note(user(std::to_string(i)), charge, refused(1), "search");
  CHECK(busy.refused().size() <= BusyAccounts::most);
}

}  // namespace
}  // namespace cairn::ratelimit::busy_accounts_test
