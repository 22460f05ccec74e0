// SPDX-License-Identifier: Apache-2.0
#include "auth/keys.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "base/encode.h"
#include "store/memory_store.h"

namespace cairn::auth::keys_test {
namespace {

constexpr auto never = [] { return os::Deadline::never(); };

Json json(const char* text) { return *parse_json(text); }

Key admin() {
  Key key;
  key.id = "admin";
  key.username = "admin";
  key.role_descriptors =
      json(R"({"a":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})");
  REQUIRE(key.prepare().ok());
  return key;
}

struct AccountEntry {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  std::unique_ptr<Keys> keys = open();

  std::unique_ptr<Keys> open() {
    auto opened = Keys::open(*store, clock, *random, {}, never());
    REQUIRE(opened.ok());
    return std::move(*opened);
  }
  CreatedKey create(const char* roles = "{}", const Key& by = admin(), const char* name = "k") {
    auto made = keys->create({.name = name, .role_descriptors = json(roles)}, by, never());
    REQUIRE_MESSAGE(made.ok(), made.error().message);
    return *made;
  }
  std::string refusal(const std::string& id, const std::string& secret) {
    const auto verdict = keys->verify(id, secret);
    REQUIRE_FALSE(verdict.ok());
    CHECK(verdict.error().kind == ErrorKind::unauthenticated);
    return verdict.error().message;
  }
};

}  // namespace

TEST_CASE("keys: a key verifies with its secret, in this and the next process, and with no other") {
  AccountEntry fixture;
  const auto made = fixture.create();
  CHECK(made.key->id.size() == 20);
  CHECK(made.secret.size() == 22);
  CHECK(fixture.keys->verify(made.key->id, made.secret).ok());
  fixture.keys = fixture.open();
  CHECK(fixture.keys->verify(made.key->id, made.secret).ok());

  CHECK(fixture.refusal(made.key->id, "wrong").find("invalid credentials") != std::string::npos);
  CHECK(fixture.refusal("nobody", made.secret) == "API key: unable to find apikey with id nobody");
}

TEST_CASE("keys: the secret is stored nowhere") {
  AccountEntry fixture;
  const auto made = fixture.create();
  const auto record = fixture.store->get("api-key/" + made.key->id, never());
  REQUIRE(record.ok());
  CHECK(record->bytes.find(made.secret) == std::string::npos);
  CHECK(record->bytes.find(*from_base64url(made.secret)) == std::string::npos);
}

TEST_CASE("keys: an expired key is refused, and gone after the retention time") {
  AccountEntry fixture;
  auto made = fixture.keys->create({.name = "short", .lifetime_ms = 1000}, admin(), never());
  REQUIRE(made.ok());
  fixture.clock.advance_ms(999);
  CHECK(fixture.keys->verify(made->key->id, made->secret).ok());
  fixture.clock.advance_ms(1);
  CHECK(fixture.refusal(made->key->id, made->secret) == "API key: api key is expired");
  CHECK(fixture.keys->find({}).size() == 1);
  CHECK(fixture.keys->find({.active_only = true}).empty());
  fixture.clock.advance_ms(Options{}.retention_ms);
  fixture.keys = fixture.open();
  CHECK(fixture.keys->find({}).empty());
}

TEST_CASE("keys: invalidation holds at once and after a restart, and is told apart from a second") {
  AccountEntry fixture;
  const auto one = fixture.create();
  const auto two = fixture.create();
  auto done = fixture.keys->invalidate({.ids = {one.key->id}}, never());
  REQUIRE(done.ok());
  CHECK(done->ids == std::vector<std::string>{one.key->id});
  CHECK(done->previously.empty());
  CHECK(fixture.refusal(one.key->id, one.secret).find("has been invalidated") != std::string::npos);
  CHECK(fixture.keys->verify(two.key->id, two.secret).ok());
  done = fixture.keys->invalidate({.ids = {one.key->id}}, never());
  REQUIRE(done.ok());
  CHECK(done->previously == std::vector<std::string>{one.key->id});
  fixture.keys = fixture.open();
  CHECK(fixture.refusal(one.key->id, one.secret).find("has been invalidated") != std::string::npos);
}

TEST_CASE("keys: a key made by a key never has more than that one") {
  AccountEntry fixture;
  const auto maker = fixture.create(R"({"r":{"cluster":["manage_api_key","monitor"],
      "indices":[{"names":["logs-*"],"privileges":["read"]}]}})");
  const auto child = fixture.create(R"({"r":{"cluster":["all"],
      "indices":[{"names":["*"],"privileges":["all"]}]}})",
                                  *maker.key);
  CHECK(child.key->may_cluster("monitor"));
  CHECK_FALSE(child.key->may_cluster("manage"));
  CHECK(child.key->may_index("read", "logs-1"));
  CHECK_FALSE(child.key->may_index("write", "logs-1"));
  CHECK_FALSE(child.key->may_index("read", "other"));
  // Its own child is bound by both, and so is what it changes.
  const auto grandchild = fixture.create("{}", *child.key);
  CHECK_FALSE(grandchild.key->may_cluster("manage"));
  const auto wide = json(R"({"r":{"cluster":["all"]}})");
  REQUIRE(fixture.keys->update(maker.key->id, {.role_descriptors = wide}, *maker.key, never()).ok());
  CHECK_FALSE(fixture.keys->get(maker.key->id)->may_cluster("manage"));
}

TEST_CASE("keys: without manage_api_key only keys without rights can be made") {
  AccountEntry fixture;
  const auto maker = fixture.create(R"({"r":{"cluster":["manage_own_api_key"]}})");
  for (const auto* roles : {"{}", R"({"r":{"cluster":["manage_own_api_key"]}})"}) {
    const auto made =
        fixture.keys->create({.name = "d", .role_descriptors = json(roles)}, *maker.key, never());
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == "illegal_argument_exception");
    CHECK(made.error().message.find("creating derived api keys requires") == 0);
  }
  const auto empty = fixture.create(R"({"r":{"cluster":[],"indices":[]}})", *maker.key);
  CHECK(fixture.keys->verify(empty.key->id, empty.secret).ok());
  CHECK_FALSE(empty.key->may_cluster("manage_own_api_key"));
}

TEST_CASE("keys: an identity needs manage_api_key, is checked, and goes on to children") {
  AccountEntry fixture;
  const auto weak = fixture.create(R"({"r":{"cluster":["manage_own_api_key"]}})");
  const Json identity = json(R"({"_cairn":{"identity":{"kind":"user","user":"alice"}}})");
  const auto refused = fixture.keys->create(
      {.name = "x", .role_descriptors = json(R"({"r":{}})"), .metadata = identity}, *weak.key,
      never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::permission_denied);

  const auto alice = fixture.keys->create({.name = "x", .metadata = identity}, admin(), never());
  REQUIRE(alice.ok());
  CHECK(alice->key->identity()->string_or("user") == "alice");
  const auto child = fixture.create("{}", *alice->key);
  CHECK(child.key->identity()->string_or("user") == "alice");
  REQUIRE(fixture.keys->update(child.key->id, {.metadata = json(R"({"a":1})")}, *alice->key, never())
              .ok());
  CHECK(fixture.keys->get(child.key->id)->identity()->string_or("user") == "alice");

  for (const auto* wrong :
       {R"({"_cairn":{"identity":{"kind":"workflow"}}})", R"({"_cairn":{"identity":{"kind":"x"}}})",
        R"({"_cairn":{"identity":{"kind":"user","user":"a","repositories":1}}})",
        R"({"_cairn":{"identity":{"kind":"installation","id":1,"repositories":-1}}})",
        R"({"_cairn":{"other":1}})", R"({"_mine":1})"}) {
    const auto made = fixture.keys->create({.name = "x", .metadata = json(wrong)}, admin(), never());
    REQUIRE_FALSE_MESSAGE(made.ok(), wrong);
    CHECK(made.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("keys: update says whether it changed something, and refuses the dead") {
  AccountEntry fixture;
  const auto made = fixture.create();
  const KeyChange change{.metadata = json(R"({"team":"a"})")};
  CHECK(fixture.keys->update(made.key->id, change, admin(), never()).value());
  CHECK_FALSE(fixture.keys->update(made.key->id, change, admin(), never()).value());
  CHECK(fixture.keys->update(made.key->id, {.lifetime_ms = 5000}, admin(), never()).value());
  fixture.clock.advance_ms(5000);
  const auto late = fixture.keys->update(made.key->id, {.lifetime_ms = 5000}, admin(), never());
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().message.find("expired") != std::string::npos);
  CHECK(fixture.keys->update("nobody", change, admin(), never()).error().kind ==
        ErrorKind::not_found);
}

TEST_CASE("keys: found by name pattern, owner and id; two filters must both fit") {
  AccountEntry fixture;
  const auto a = fixture.create("{}", admin(), "team-a");
  const auto b = fixture.create("{}", *a.key, "team-b");
  fixture.clock.advance_ms(1);
  const auto c = fixture.create("{}", admin(), "other");
  CHECK(fixture.keys->find({.name = "team-*"}).size() == 2);
  CHECK(fixture.keys->find({.name = "other"}).size() == 1);
  CHECK(fixture.keys->find({.owner = a.key->id}).size() == 2);
  CHECK(fixture.keys->find({.ids = {c.key->id}, .name = "team-*"}).empty());
  CHECK(fixture.keys->find({.realm = "native"}).empty());
  CHECK(fixture.keys->find({}).back()->id == c.key->id);
}

TEST_CASE("keys: names and lifetimes are checked, all faults told at once") {
  AccountEntry fixture;
  const auto made = fixture.keys->create({.name = " x", .lifetime_ms = 0}, admin(), never());
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().code == "action_request_validation_exception");
  CHECK(made.error().message ==
        "Validation Failed: 1: api key name may not begin or end with whitespace;2: api key "
        "expiration must be greater than 0;");
  CHECK_FALSE(fixture.keys->create({.name = ""}, admin(), never()).ok());
  CHECK_FALSE(fixture.keys->create({.name = "_x"}, admin(), never()).ok());
  CHECK_FALSE(fixture.keys->create({.name = "a\nb"}, admin(), never()).ok());
}

TEST_CASE("keys: a failed put changes nothing that is verified") {
  bool full = false;
  AccountEntry fixture;
  fixture.store = store::memory_store({.before = [&](std::string_view call, std::string_view) {
    if (full && call == "put") return Status(Error{ErrorKind::storage_full, {}, "full"});
    return ok_status();
  }});
  fixture.keys = fixture.open();
  const auto made = fixture.create();
  full = true;
  const auto done = fixture.keys->invalidate({.ids = {made.key->id}}, never());
  REQUIRE(done.ok());
  REQUIRE(done->errors.size() == 1);
  CHECK(done->errors[0].kind == ErrorKind::storage_full);
  CHECK(fixture.keys->verify(made.key->id, made.secret).ok());
  CHECK_FALSE(fixture.keys->create({.name = "n"}, admin(), never()).ok());
  CHECK(fixture.keys->find({}).size() == 1);
}

// Readers verify while a writer makes and ends keys; a reader may see a key or not, but a key that
// was there before the readers began must always verify.
TEST_CASE("keys: verifying goes on while keys change") {
  AccountEntry fixture;
  const auto fixed = fixture.create();
  std::atomic<bool> stop = false;
  std::atomic<int> failures = 0;
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!stop)
        if (!fixture.keys->verify(fixed.key->id, fixed.secret).ok()) ++failures;
    });
  for (int i = 0; i < 50; ++i) {
    const auto made = fixture.create();
    CHECK(fixture.keys->invalidate({.ids = {made.key->id}}, never()).ok());
    CHECK_FALSE(fixture.keys->verify(made.key->id, made.secret).ok());
  }
  stop = true;
  readers.clear();
  CHECK(failures == 0);
}

TEST_CASE("keys: the encoded form reads back, and nothing else does") {
  const auto parts = decode_key(encoded_key("id", "secret:with:colons"));
  REQUIRE(parts.has_value());
  CHECK(parts->id == "id");
  CHECK(parts->secret == "secret:with:colons");
  for (const auto* wrong : {"", "====", "bm9jb2xvbg==", "OnNlY3JldA==", "aWQ6", "not base64"})
    CHECK_FALSE_MESSAGE(decode_key(wrong).has_value(), wrong);
}

}  // namespace cairn::auth::keys_test
