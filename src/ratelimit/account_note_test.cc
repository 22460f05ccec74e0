// SPDX-License-Identifier: Apache-2.0
// Notes about accounts: they save a look-up and change no decision, however old they are.
#include "ratelimit/account_note.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "ratelimit/limiter_contract.h"
#include "ratelimit/memory/memory_limiter.h"

namespace cairn::ratelimit::account_note_test {
namespace {

using contract::admitted;
using contract::check_window;
using contract::once;
using contract::read_of;
using contract::user;

struct Fixture {
  explicit Fixture(Policy from, std::uint64_t seed = 7)
      : policy(std::make_shared<const Policy>(std::move(from))),
        random(os::seeded_random(seed)),
        limiter(memory_limiter(policy, clock, *random, metrics)) {}
  std::uint32_t used(const Identity& who, AccountNote& note) {
    Admission admission = limiter->admit_noted(who, read_of(*policy), note);
    REQUIRE(admission.decision().window.has_value());
    return admission.decision().window->used;
  }
  std::shared_ptr<const Policy> policy;
  os::FakeClock clock{1'700'000'000'000};
  os::Metrics metrics;
  std::unique_ptr<os::Random> random;
  std::unique_ptr<Limiter> limiter;
};

/// Announces and notes whatever is asked of the one behind it.
class NotingLimiter final : public Limiter {
 public:
  explicit NotingLimiter(Policy policy) : house_(std::move(policy)), inner_(*house_.limiter) {}
  os::FakeClock& clock() { return house_.clock; }

  Admission admit(const Identity& identity, const Charge& charge) override {
    AccountNote& note = notes_[identity.account];
    inner_.announce(identity, note);
    return inner_.admit_noted(identity, charge, note);
  }
  Decision test(const Identity& who, const Charge& charge) override {
    return inner_.test(who, charge);
  }
  std::vector<WindowState> windows(const Identity& who) override { return inner_.windows(who); }
  Json describe(const Identity& who) override { return inner_.describe(who); }
  bool reset(std::string_view account) override { return inner_.reset(account); }
  void set_policy(std::shared_ptr<const Policy> policy) override {
    inner_.set_policy(std::move(policy));
  }
  std::shared_ptr<const Policy> policy() const override { return inner_.policy(); }
  std::string save() const override { return inner_.save(); }
  Status restore(std::string_view bytes) override { return inner_.restore(bytes); }

 protected:
  void release(const Ticket& /*ticket*/, std::int64_t /*cpu_ns*/) override { FAIL("not its own"); }
  bool give_back(const Ticket& /*ticket*/, Decision& /*decision*/) override {
    FAIL("not its own");
    return false;
  }

 private:
  Fixture house_;
  Limiter& inner_;
  std::map<std::string, AccountNote> notes_;
};

TEST_CASE("account note: the limiter in memory decides with notes what every limiter must") {
  contract::run_all([](Policy policy) -> contract::Bench {
    auto limiter = std::make_unique<NotingLimiter>(std::move(policy));
    os::FakeClock& clock = limiter->clock();
    return {.limiter = std::move(limiter),
            .advance_ms = [&clock](std::int64_t ms) { clock.advance_ms(ms); },
            .unix_ms = [&clock] { return clock.unix_ms(); }};
  });
}

TEST_CASE("account note: the first owner's for ever, and a copy starts empty") {
  AccountNote note;
  CHECK(note.read(2).key == 0);
  note.write_key(2, 77);
  CHECK(note.read(2).key == 77);
  CHECK(note.read(2).place == AccountNote::nowhere);
  note.write_place(2, 5);
  CHECK(note.read(2).place == 5);
  CHECK(note.read(2).key == 77);
  note.write_key(3, 88);  // another limiter
  CHECK(note.read(3).key == 0);
  CHECK(note.read(3).place == AccountNote::nowhere);
  CHECK(note.read(2).key == 77);

  AccountNote copy(note);
  CHECK(copy.read(2).key == 0);
  copy.write_key(3, 99);
  copy = note;
  CHECK(copy.read(3).key == 0);
  CHECK(copy.read(2).key == 0);
  copy.write_key(4, 11);
  CHECK(copy.read(4).key == 11);
}

TEST_CASE("account note: says where a record was, and another's that came there is not touched") {
  Policy policy = default_policy();
  policy.max_identities = 40;
  Fixture fixture(policy);
  constexpr std::uint32_t count = 40;
  std::vector<AccountNote> notes(3 * count);
  const auto name = [](std::uint32_t i) { return user(std::to_string(i)); };
  for (std::uint32_t i = 0; i < count; ++i) CHECK(fixture.used(name(i), notes[i]) == 1);
  for (std::uint32_t i = 0; i < count; ++i) CHECK(fixture.used(name(i), notes[i]) == 2);
  // All is over, and others take the places.
  fixture.clock.advance_ms(7'200'000);
  for (std::uint32_t i = count; i < 2 * count; ++i) {
    fixture.limiter->announce(name(i), notes[i]);
    CHECK(fixture.used(name(i), notes[i]) == 1);
  }
  const auto evicted = [&](std::uint32_t i) {
    return !fixture.limiter->describe(name(i)).bool_or("known");
  };
  std::uint32_t gone = 0;
  for (std::uint32_t i = 0; i < count; ++i) gone += evicted(i) ? 1 : 0;
  CHECK(gone == count);
  // Who comes back shares a record now, because all have requests behind them in this hour.
  for (std::uint32_t i = 0; i < count; ++i) {
    fixture.limiter->announce(name(i), notes[i]);
    (void)fixture.limiter->admit_noted(name(i), read_of(policy), notes[i]);
  }
  for (std::uint32_t i = count; i < 2 * count; ++i) CHECK(fixture.used(name(i), notes[i]) == 2);
  // And has one again when there is room, which the note then says.
  fixture.clock.advance_ms(7'200'000);
  for (std::uint32_t i = 0; i < count; ++i) CHECK(fixture.used(name(i), notes[i]) == 1);
  for (std::uint32_t i = 0; i < count; ++i) CHECK(fixture.used(name(i), notes[i]) == 2);
}

TEST_CASE("account note: of an account that is asked about in both ways, and was reset") {
  Fixture fixture(contract::with_user_limit(10));
  AccountNote note;
  const Charge charge = read_of(*fixture.policy);
  CHECK(fixture.used(user("a"), note) == 1);
  check_window(once(*fixture.limiter, user("a"), charge), 10, 2);
  CHECK(fixture.used(user("a"), note) == 3);
  CHECK(fixture.limiter->reset("user:a"));
  CHECK(fixture.used(user("a"), note) == 1);
  CHECK(admitted(*fixture.limiter, user("a"), charge, 20) == 9);
  CHECK_FALSE(fixture.limiter->admit_noted(user("a"), charge, note).decision().admitted());
  fixture.limiter->announce(user("a"), note);  // counts nothing
  CHECK(fixture.limiter->windows(user("a")).front().used == 10);
}

TEST_CASE("account note: two limiters, and one that went through a restart, do not mix them up") {
  Fixture first(contract::with_user_limit(100), 7), second(contract::with_user_limit(100), 8);
  std::vector<AccountNote> notes(50);
  for (std::uint32_t i = 0; i < notes.size(); ++i)
    for (std::uint32_t n = 1; n <= 2; ++n)
      CHECK(first.used(user(std::to_string(i)), notes[i]) == n);
  for (std::uint32_t i = 0; i < notes.size(); ++i)
    for (std::uint32_t n = 1; n <= 3; ++n) {
      second.limiter->announce(user(std::to_string(i)), notes[i]);
      CHECK(second.used(user(std::to_string(i)), notes[i]) == n);
    }
  const std::string saved = first.limiter->save();
  REQUIRE(second.limiter->restore(saved).ok());
  REQUIRE(first.limiter->restore(saved).ok());  // the places are dealt out anew
  for (std::uint32_t i = static_cast<std::uint32_t>(notes.size()); i-- > 0;) {
    CHECK(second.used(user(std::to_string(i)), notes[i]) == 3);
    CHECK(first.used(user(std::to_string(i)), notes[i]) == 3);
  }
}

TEST_CASE("account note: many threads, notes and a table that is too small") {
  Policy policy = contract::with_user_limit(1'000'000);
  policy.max_identities = 100;
  policy.secondary.points_rest = std::nullopt;
  policy.resources[0].window_s = 1;
  Fixture fixture(policy);
  constexpr std::uint32_t callers = 300;
  std::vector<AccountNote> notes(callers);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < 16; ++t)
      threads.emplace_back([&, t] {
        std::uint32_t dice = t * 7919 + 1;
        for (int i = 0; i < 2'000; ++i) {
          dice = dice * 1'103'515'245 + 12'345;
          const std::uint32_t who = (dice >> 8) % callers;
          const Identity identity = user(std::to_string(who));
          if ((dice & 0x10) != 0) fixture.limiter->announce(identity, notes[who]);
          fixture.limiter->admit_noted(identity, read_of(policy), notes[who]).finish(1'000);
          if (i % 50 == 0) fixture.clock.advance_ms(300);
        }
      });
  }
  for (std::uint32_t i = 0; i < callers; ++i)
    CHECK(fixture.limiter->describe(user(std::to_string(i)))
              .find_path("secondary.concurrent.used")
              ->as_int() == 0);
  const std::string shown = fixture.metrics.expose();
  CHECK(shown.find("cairn_ratelimit_double_release_total 0\n") != std::string::npos);
}

}  // namespace
}  // namespace cairn::ratelimit::account_note_test
