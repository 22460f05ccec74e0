// SPDX-License-Identifier: Apache-2.0
#include "auth/sessions/sessions.h"

#include <doctest/doctest.h>

#include "base/hash.h"
#include "store/memory_store.h"

namespace cairn::auth::sessions_test {
namespace {

constexpr std::int64_t minute_ms = 60'000;

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  std::unique_ptr<Keys> keys =
      std::move(Keys::open(*store, clock, *random, {}, os::Deadline::never()).value());
  SignIn sign_in{{.issuer = "https://id.example.org", .audience = "cairn"}, clock};
  std::unique_ptr<Sessions> sessions = open();

  std::unique_ptr<Sessions> open() {
    return std::move(Sessions::open({*store, *keys, &sign_in, clock, *random},
                                    {.idle_ms = 10 * minute_ms, .lifetime_ms = 60 * minute_ms},
                                    os::Deadline::never())
                         .value());
  }
  std::shared_ptr<const Key> key(const std::string& id) {
    Key record;
    record.id = record.name = id;
    record.username = "ann";
    record.created_by = "somebody";
    return keys->install(record, "secret", os::Deadline::never()).value();
  }
  OpenedSession begin(const std::shared_ptr<const Key>& of, const std::string& secret = "secret") {
    auto opened = sessions->begin({.key = of, .secret_sha256 = sha256(secret), .address = "::1"},
                                  os::Deadline::never());
    REQUIRE(opened.ok());
    return *std::move(opened);
  }
  bool good(const OpenedSession& session) { return sessions->verify(session.token).ok(); }
  std::string why(const OpenedSession& session) {
    const auto caller = sessions->verify(session.token);
    return caller.ok() ? "" : caller.error().message;
  }
};

}  // namespace

TEST_CASE("a session stands for its key until it ends") {
  Fixture f;
  const auto opened = f.begin(f.key("a"));
  CHECK(opened.token.size() == Sessions::token_characters);
  const auto caller = f.sessions->verify(opened.token);
  REQUIRE(caller.ok());
  CHECK(caller->key->id == "a");
  CHECK(caller->session->id == opened.session->id);
  CHECK(f.sessions->verify(opened.token + "A").error().kind == ErrorKind::unauthenticated);
  CHECK_FALSE(f.sessions->verify("").ok());
  CHECK_FALSE(f.sessions->verify(opened.session->id).ok());
  CHECK(f.sessions->end(*opened.session, os::Deadline::never()).value());
  CHECK_FALSE(f.sessions->end(*opened.session, os::Deadline::never()).value());
  CHECK_FALSE(f.good(opened));
  CHECK(f.sessions->size() == 0);
}

TEST_CASE("a session ends by itself: unused, old, or with its key") {
  Fixture f;
  const auto used = f.begin(f.key("a")), unused = f.begin(f.key("b")), gone = f.begin(f.key("c"));
  REQUIRE(f.keys->invalidate({.ids = {"c"}}, os::Deadline::never()).ok());
  CHECK(f.why(gone).find("invalidated") != std::string::npos);
  for (int i = 0; i < 7; ++i) {
    CHECK(f.good(used));
    f.clock.advance_ms(8 * minute_ms);
  }
  CHECK(f.why(unused).find("not used for too long") != std::string::npos);
  CHECK(f.good(used));
  f.clock.advance_ms(4 * minute_ms);
  CHECK(f.why(used).find("as long as a session may") != std::string::npos);
  CHECK(f.sessions->list("").empty());
  CHECK(f.sessions->size() == 3);
  REQUIRE(f.sessions->upkeep(os::Deadline::never()).ok());
  CHECK(f.sessions->size() == 0);
  CHECK(f.open()->size() == 0);
}

TEST_CASE("a session ends with the secret that opened it") {
  Fixture f;
  const auto key = f.key("a");
  const auto opened = f.begin(key);
  REQUIRE(f.keys->rotate("a", minute_ms, *key, os::Deadline::never()).ok());
  CHECK(f.good(opened));
  f.clock.advance_ms(minute_ms + 1);
  CHECK(f.why(opened).find("secret of its API key") != std::string::npos);
  CHECK_FALSE(f.sessions->lives(*opened.session));
}

TEST_CASE("a session is no longer than its key") {
  Fixture f;
  Key record = *f.key("a");
  record.id = "short";
  record.expiration_ms = f.clock.unix_ms() + minute_ms;
  const auto key = f.keys->install(record, "secret", os::Deadline::never()).value();
  CHECK(f.begin(key).session->expires_ms == *key->expiration_ms);
}

TEST_CASE("sessions are there again after a restart, with what is known of their use") {
  Fixture f;
  const auto opened = f.begin(f.key("a"));
  f.clock.advance_ms(9 * minute_ms);
  CHECK(f.good(opened));
  REQUIRE(f.sessions->upkeep(os::Deadline::never()).ok());
  f.clock.advance_ms(9 * minute_ms);
  f.sessions = f.open();
  CHECK(f.good(opened));
  CHECK(f.sessions->list("a").size() == 1);
  CHECK(f.sessions->list("b").empty());
  CHECK(f.sessions->find(opened.session->id)->address == "::1");
  f.clock.advance_ms(5'000);
  CHECK(f.good(opened));
  REQUIRE(f.sessions->upkeep(os::Deadline::never(), true).ok());
  CHECK(f.open()->find(opened.session->id)->used_ms == f.clock.unix_ms());
}

TEST_CASE("a record that does not read back is no reason not to start") {
  Fixture f;
  REQUIRE(f.store->put("session/broken", "{}", os::Deadline::never()).ok());
  CHECK(f.open()->size() == 0);
}

TEST_CASE("a key has so many sessions, and the one unused longest makes room") {
  Fixture f;
  const auto key = f.key("a"), other = f.key("b");
  const auto others = f.begin(other);
  std::vector<OpenedSession> all;
  for (std::size_t i = 0; i < Sessions::of_one_max; ++i) {
    all.push_back(f.begin(key));
    f.clock.advance_ms(1);
  }
  CHECK(f.good(all[0]));
  const auto last = f.begin(key);
  CHECK(f.good(all[0]));
  CHECK_FALSE(f.good(all[1]));
  CHECK(f.good(last));
  CHECK(f.good(others));
}

TEST_CASE("users of an issuer are judged by the roles of this moment, until their token expires") {
  Fixture f;
  const IssuedUser user{.issuer = "https://id.example.org",
                        .subject = "u-1",
                        .name = "carl",
                        .groups = {"team"},
                        .until_ms = f.clock.unix_ms() + minute_ms};
  f.sign_in.set({}, parse_group_roles(R"({"team":{"r":{"cluster":["monitor"]}}})").value());
  const auto key = f.sign_in.caller_again(user).value();
  const auto opened = f.sessions->begin({.key = key, .user = user}, os::Deadline::never()).value();
  f.sessions = f.open();
  CHECK(f.sessions->verify(opened.token)->key->may_cluster("monitor"));
  CHECK(f.sessions->verify(opened.token)->key->username == "carl");
  f.sign_in.set({}, {});
  CHECK_FALSE(f.sessions->verify(opened.token)->key->may_cluster("monitor"));
  f.clock.advance_ms(minute_ms);
  CHECK_FALSE(f.good(opened));
}

TEST_CASE("the token of changes follows from the session's, and from nothing else") {
  CHECK(csrf_token_of("a") == csrf_token_of("a"));
  CHECK(csrf_token_of("a") != csrf_token_of("b"));
  CHECK(csrf_token_of("a").size() == 43);
}

}  // namespace cairn::auth::sessions_test
