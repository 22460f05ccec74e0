// SPDX-License-Identifier: Apache-2.0
#include "auth/keys/keys.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "base/encode.h"
#include "base/secret_work.h"
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

TEST_CASE("keys: a replica takes what another process made, and refuses what that ended") {
  AccountEntry fixture;
  const auto first = fixture.create();
  auto opened =
      Keys::open_replica(*fixture.store, fixture.clock, *fixture.random, {}, never());
  REQUIRE(opened.ok());
  Keys& replica = **opened;
  CHECK(replica.verify(first.key->id, first.secret).ok());
  const auto second = fixture.create();
  CHECK_FALSE(replica.verify(second.key->id, second.secret).ok());
  REQUIRE(replica.catch_up(never()).ok());
  CHECK(replica.verify(second.key->id, second.secret).ok());
  REQUIRE(fixture.keys->invalidate({.ids = {first.key->id}}, never()).ok());
  REQUIRE(replica.catch_up(never()).ok());
  CHECK_FALSE(replica.verify(first.key->id, first.secret).ok());
  REQUIRE(fixture.store->remove("api-key/" + second.key->id, never()).ok());
  REQUIRE(replica.catch_up(never()).ok());
  CHECK(replica.get(second.key->id) == nullptr);
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

TEST_CASE("keys: a disabled key is refused at once and after a restart, until it is enabled") {
  AccountEntry fixture;
  const auto made = fixture.create(R"({"r":{"cluster":["monitor"]}})");
  const auto set = [&](bool enabled) {
    return fixture.keys->set_enabled(made.key->id, enabled, admin(), never());
  };
  CHECK(*set(false));
  CHECK_FALSE(*set(false));
  CHECK(fixture.refusal(made.key->id, made.secret) ==
        "API key: api key [" + made.key->id + "] is disabled");
  CHECK_FALSE(fixture.keys->get(made.key->id)->shown(false).bool_or("enabled", true));
  fixture.keys = fixture.open();
  CHECK(fixture.refusal(made.key->id, made.secret).ends_with("is disabled"));
  // What is changed meanwhile does not enable it.
  CHECK(*fixture.keys->update(made.key->id, {.metadata = json(R"({"a":1})")}, admin(), never()));
  const auto rotated = fixture.keys->rotate(made.key->id, 1'000, admin(), never());
  REQUIRE(rotated.ok());
  CHECK(fixture.refusal(made.key->id, rotated->secret).ends_with("is disabled"));
  CHECK(*set(true));
  CHECK_FALSE(*set(true));
  CHECK(fixture.keys->verify(made.key->id, rotated->secret).ok());
  CHECK(fixture.keys->set_enabled("none", false, admin(), never()).error().kind ==
        ErrorKind::not_found);
  REQUIRE(fixture.keys->invalidate({.ids = {made.key->id}}, never()).ok());
  CHECK(set(true).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("keys: a key does not disable itself, and the last administrator's stays") {
  AccountEntry fixture;
  const auto one = fixture.create(), two = fixture.create();
  const auto disable = [&](const CreatedKey& key, const Key& by) {
    return fixture.keys->set_enabled(key.key->id, false, by, never());
  };
  const auto by_itself = disable(one, *one.key);
  REQUIRE_FALSE(by_itself.ok());
  CHECK(by_itself.error().kind == ErrorKind::invalid_argument);
  CHECK(by_itself.error().message.find("its own disabling") != std::string::npos);
  CHECK(*disable(one, *two.key));
  const auto last = disable(two, admin());
  REQUIRE_FALSE(last.ok());
  CHECK(last.error().kind == ErrorKind::conflict);
  // Nor can it be ended while the other is disabled.
  CHECK(fixture.keys->invalidate({.ids = {two.key->id}}, never())->errors.size() == 1);
  CHECK(*fixture.keys->set_enabled(one.key->id, true, admin(), never()));
  CHECK(*disable(two, *one.key));
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

TEST_CASE("keys: a key without a word about identity is an account of its own") {
  AccountEntry fixture;
  const auto one = fixture.create("{}");
  const auto other = fixture.create("{}");
  CHECK(admin().counted_as.exempt);
  CHECK(one.key->counted_as.account == "key:" + one.key->id);
  CHECK_FALSE(one.key->counted_as.exempt);
  CHECK(one.key->counted_as.account != other.key->counted_as.account);
  CHECK(one.key->counted_as.account != admin().counted_as.account);
  // Who may not give identities gets no fresh allowance by making keys.
  const auto weak = fixture.create(R"({"r":{"cluster":["manage_own_api_key"]}})");
  const auto child = fixture.create(R"({"r":{}})", *weak.key);
  CHECK(child.key->counted_as.account == weak.key->counted_as.account);
  const auto grandchild = fixture.create(R"({"r":{}})", *weak.key);
  CHECK(grandchild.key->counted_as.account == weak.key->counted_as.account);
}

TEST_CASE("keys: update says whether it changed something, and refuses the dead") {
  AccountEntry fixture;
  const auto made = fixture.create(R"({"r":{"cluster":["monitor"]}})");
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

TEST_CASE("keys: found in the order of their making, those of one millisecond too") {
  AccountEntry fixture;  // its clock stands
  std::vector<std::string> made;
  for (int i = 0; i < 20; ++i) {
    if (i == 10) fixture.keys = fixture.open();
    made.push_back(fixture.create().key->id);
  }
  std::vector<std::string> found;
  for (const auto& key : fixture.keys->find({})) found.push_back(key->id);
  CHECK(found == made);
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
  const auto made = fixture.create(R"({"r":{"cluster":["monitor"]}})");
  full = true;
  const auto done = fixture.keys->invalidate({.ids = {made.key->id}}, never());
  REQUIRE(done.ok());
  REQUIRE(done->errors.size() == 1);
  CHECK(done->errors[0].kind == ErrorKind::storage_full);
  CHECK(fixture.keys->verify(made.key->id, made.secret).ok());
  CHECK_FALSE(fixture.keys->create({.name = "n"}, admin(), never()).ok());
  CHECK(fixture.keys->find({}).size() == 1);
}

TEST_CASE("keys: the last administrator's key can be neither deleted, ended nor narrowed") {
  AccountEntry fixture;
  const auto one = fixture.create("{}");
  const auto narrow = fixture.create(R"({"r":{"cluster":["all"]}})");
  const auto passing =
      fixture.keys->create({.name = "passing", .lifetime_ms = 1000}, admin(), never());
  REQUIRE(passing.ok());
  const auto refused = [&](const Error& error) {
    CHECK(error.kind == ErrorKind::conflict);
    CHECK(error.message.find("last administrator's key") != std::string::npos);
    CHECK(error.message.find("[" + one.key->id + "]") != std::string::npos);
  };
  auto done = fixture.keys->invalidate({.name = "*"}, never());
  REQUIRE(done.ok());
  CHECK(done->ids.size() == 2);
  REQUIRE(done->errors.size() == 1);
  refused(done->errors[0]);
  refused(fixture.keys->update(one.key->id, {.lifetime_ms = 5000}, admin(), never()).error());
  refused(fixture.keys
              ->update(one.key->id, {.role_descriptors = json(R"({"r":{"cluster":["all"]}})")},
                       admin(), never())
              .error());
  fixture.keys = fixture.open();
  CHECK(fixture.keys->verify(one.key->id, one.secret).ok());

  const auto two = fixture.create("{}");
  done = fixture.keys->invalidate({.ids = {one.key->id}}, never());
  REQUIRE(done.ok());
  CHECK(done->errors.empty());
  CHECK(fixture.keys->verify(two.key->id, two.secret).ok());
}

TEST_CASE("keys: of the last two administrators' keys, two that are ended at once leave one") {
  for (int round = 0; round < 20; ++round) {
    AccountEntry fixture;
    const auto one = fixture.create("{}");
    const auto two = fixture.create("{}");
    std::atomic<int> ended = 0;
    {
      std::vector<std::jthread> threads;
      for (const auto& id : {one.key->id, two.key->id})
        threads.emplace_back([&, id] {
          const auto done = fixture.keys->invalidate({.ids = {id}}, never());
          if (done.ok() && done->errors.empty()) ++ended;
        });
    }
    CHECK(ended == 1);
  }
}

TEST_CASE("keys: S04 the first key ends once another administrator's key has stood for a day") {
  AccountEntry fixture;
  const auto first = fixture.keys->install(
      [] {
        Key key = admin();
        key.id = "first";
        return key;
      }(),
      "secret", never());
  REQUIRE(first.ok());
  fixture.keys->set_first("first");
  const std::int64_t day_ms = Options{}.first_key_overlap_ms;
  fixture.clock.advance_ms(3 * day_ms);
  CHECK(fixture.keys->verify("first", "secret").ok());  // alone it has no end
  const auto passing =
      fixture.keys->create({.name = "p", .lifetime_ms = 9 * day_ms}, admin(), never());
  const auto brief = fixture.create("{}");
  fixture.clock.advance_ms(day_ms - 1);
  CHECK(fixture.keys->verify("first", "secret").ok());
  REQUIRE(fixture.keys->invalidate({.ids = {brief.key->id}}, never())->errors.empty());
  fixture.clock.advance_ms(1);
  CHECK(fixture.keys->verify("first", "secret").ok());  // the other is gone again

  const auto other = fixture.create("{}");
  fixture.clock.advance_ms(day_ms);
  CHECK(fixture.refusal("first", "secret").find("first start") != std::string::npos);
  CHECK(fixture.keys->verify(other.key->id, other.secret).ok());
  // It is no administrator's key any more that others could rely on.
  const auto last = fixture.keys->invalidate({.ids = {other.key->id}}, never());
  CHECK(last->errors.size() == 1);
  CHECK(fixture.keys->invalidate({.ids = {"first"}}, never())->errors.empty());
}

TEST_CASE("keys: rotated, the old secret and the new one verify until the overlap is over") {
  AccountEntry fixture;
  const auto maker = fixture.create(R"({"r":{"cluster":["manage_api_key"]}})");
  const auto made = fixture.create("{}", *maker.key);
  const auto rotated = fixture.keys->rotate(made.key->id, 1000, *maker.key, never());
  REQUIRE(rotated.ok());
  CHECK(rotated->secret != made.secret);
  CHECK(rotated->previous_until_ms == fixture.clock.unix_ms() + 1000);
  CHECK(rotated->key->limited_by == made.key->limited_by);
  fixture.keys = fixture.open();
  CHECK(fixture.keys->verify(made.key->id, made.secret).ok());
  CHECK(fixture.keys->verify(made.key->id, rotated->secret).ok());
  CHECK_FALSE(fixture.keys->verify(made.key->id, "other").ok());
  fixture.clock.advance_ms(1000);
  CHECK_FALSE(fixture.keys->verify(made.key->id, made.secret).ok());
  CHECK(fixture.keys->verify(made.key->id, rotated->secret).ok());

  // At once, by the key itself; the one before the last never comes back.
  const auto again = fixture.keys->rotate(made.key->id, 0, *rotated->key, never());
  REQUIRE(again.ok());
  for (const auto& secret : {made.secret, rotated->secret})
    CHECK_FALSE(fixture.keys->verify(made.key->id, secret).ok());
  CHECK(fixture.keys->verify(made.key->id, again->secret).ok());
}

TEST_CASE("A02: whatever is wrong with a key, finding it out takes the same work") {
  AccountEntry fixture;
  const CreatedKey plain = fixture.create();
  const CreatedKey turned = fixture.create(R"({"a":{"cluster":["all"]}})");
  const auto rotated = fixture.keys->rotate(turned.key->id, 1000, admin(), never());
  REQUIRE(rotated.ok());
  const auto work_of = [&](const std::string& id, const std::string& secret) {
    const SecretWork before = secret_work();
    static_cast<void>(fixture.keys->verify(id, secret).ok());
    return SecretWork{secret_work().digested_bytes - before.digested_bytes,
                      secret_work().compared_bytes - before.compared_bytes};
  };
  const SecretWork right = work_of(plain.key->id, plain.secret);
  CHECK(right.digested_bytes == plain.secret.size());
  CHECK(right.compared_bytes > 0);
  const std::string wrong(plain.secret.size(), 'x');
  CHECK(work_of(plain.key->id, wrong) == right);
  CHECK(work_of("nobody-has-this-id", wrong) == right);
  CHECK(work_of("", wrong) == right);
  CHECK(work_of(turned.key->id, wrong) == right);
  CHECK(work_of(turned.key->id, turned.secret) == right);
  CHECK(work_of(turned.key->id, rotated->secret) == right);
  for (std::size_t first = 0; first < plain.secret.size(); ++first)
    CHECK(work_of(plain.key->id, plain.secret.substr(0, first) + wrong.substr(first)) == right);
}

TEST_CASE("keys: a secret is drawn by the key itself, its maker and administrators only") {
  AccountEntry fixture;
  const auto target = fixture.create("{}");
  const auto manager = fixture.create(R"({"r":{"cluster":["manage_api_key","manage_security"]}})");
  const auto refused = fixture.keys->rotate(target.key->id, 0, *manager.key, never());
  REQUIRE_FALSE(refused.ok());  // it would get all rights with the secret
  CHECK(refused.error().kind == ErrorKind::not_found);
  CHECK(fixture.keys->rotate(target.key->id, 0, admin(), never()).ok());
  for (const std::int64_t wrong : {-1ll, 31ll * 24 * 3600 * 1000})
    CHECK(fixture.keys->rotate(target.key->id, wrong, admin(), never()).error().kind ==
          ErrorKind::invalid_argument);
  CHECK(fixture.keys->rotate("nobody", 0, admin(), never()).error().kind == ErrorKind::not_found);
  REQUIRE(fixture.keys->invalidate({.ids = {manager.key->id}}, never()).ok());
  CHECK(fixture.keys->rotate(manager.key->id, 0, admin(), never()).error().kind ==
        ErrorKind::invalid_argument);
}

TEST_CASE("Z01: a maker draws no secret of a key that has more than the maker") {
  AccountEntry fixture;
  const char* const few = R"({"r":{"cluster":["manage_api_key"]}})";
  const auto maker = fixture.create(few);
  const auto widened = fixture.create("{}", *maker.key);
  const auto kept = fixture.create("{}", *maker.key);
  const KeyChange more{.role_descriptors = json(R"({"r":{"cluster":["all"]}})")};
  REQUIRE(*fixture.keys->update(widened.key->id, more, admin(), never()));
  REQUIRE(fixture.keys->get(widened.key->id)->may_cluster("all"));
  const auto refused = fixture.keys->rotate(widened.key->id, 0, *maker.key, never());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::not_found);
  CHECK(fixture.keys->verify(widened.key->id, widened.secret).ok());
  CHECK(fixture.keys->rotate(kept.key->id, 0, *maker.key, never()).ok());
  // Nor of one that has what the maker had.
  const KeyChange less{.role_descriptors = json(R"({"r":{"cluster":["manage_own_api_key"]}})")};
  REQUIRE(*fixture.keys->update(maker.key->id, less, admin(), never()));
  const auto now = fixture.keys->get(maker.key->id);
  CHECK_FALSE(fixture.keys->rotate(kept.key->id, 0, *now, never()).ok());
  CHECK(fixture.keys->rotate(kept.key->id, 0, admin(), never()).ok());
}

TEST_CASE("Z01: whoever makes or changes a key, it has no more than they") {
  AccountEntry fixture;
  const auto parent = fixture.create(
      R"({"r":{"cluster":["manage_api_key","monitor"],
               "indices":[{"names":["mine-*"],"privileges":["read"]}]}})");
  const char* const everything =
      R"({"r":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})";
  const auto no_more = [&](const std::string& id) {
    const auto key = fixture.keys->get(id);
    CHECK(key->may_cluster("monitor"));
    for (const auto* privilege : {"all", "manage", "manage_security", "manage_inference"})
      CHECK_FALSE(key->may_cluster(privilege));
    CHECK(key->may_index("read", "mine-1"));
    for (const auto* index : {"secret", "*", "mine"})
      CHECK_FALSE(key->may_index("read", index));
    CHECK_FALSE(key->may_index("write", "mine-1"));
  };
  const auto child = fixture.create(everything, *parent.key);
  no_more(child.key->id);
  no_more(fixture.create("{}", *child.key).key->id);
  no_more(fixture.create(everything, *child.key).key->id);
  const KeyChange wider{.role_descriptors = json(everything)};
  fixture.create(everything);  // the last administrator's key stays
  for (const auto& changer : {*parent.key, *child.key}) {
    const auto other = fixture.create(everything);  // of an administrator
    REQUIRE(*fixture.keys->update(other.key->id, wider, changer, never()));
    no_more(other.key->id);
  }
  static_cast<void>(fixture.keys->update(child.key->id, wider, *child.key, never()).ok());
  no_more(child.key->id);
  fixture.keys = fixture.open();
  no_more(child.key->id);
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
