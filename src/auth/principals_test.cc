// SPDX-License-Identifier: Apache-2.0
#include "auth/principals.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "store/memory_store.h"

namespace cairn::auth::principals_test {
namespace {

const os::Deadline soon = os::Deadline::in_ms(60'000);

/// A store whose power fails at a change: that one is done or not, and nothing after it is.
class CutStore final : public store::Store {
 public:
  explicit CutStore(store::Store& inner) : inner_(inner) {}
  int until_cut = -1;  // changes that are done before; -1: no cut
  bool last_is_done = false;
  bool works_again = false;  // after that one
  int changes = 0;

  Result<store::Object> get(std::string_view key, const os::Deadline& deadline,
                            store::Range range) override {
    return inner_.get(key, deadline, range);
  }
  Result<std::optional<store::ObjectInfo>> head(std::string_view key,
                                                const os::Deadline& deadline) override {
    return inner_.head(key, deadline);
  }
  Result<store::ObjectInfo> put(std::string_view key, std::string_view bytes,
                                const os::Deadline& deadline,
                                const store::Condition& condition) override {
    const Verdict verdict = next();
    if (verdict == Verdict::lost) return no_power();
    auto done = inner_.put(key, bytes, deadline, condition);
    if (verdict == Verdict::unheard) return no_power();
    return done;
  }
  Result<std::unique_ptr<store::Upload>> begin_upload(std::string_view key,
                                                      const os::Deadline& deadline) override {
    return inner_.begin_upload(key, deadline);
  }
  Result<store::ListPage> list(const store::ListParams& params,
                               const os::Deadline& deadline) override {
    return inner_.list(params, deadline);
  }
  Result<bool> remove(std::string_view key, const os::Deadline& deadline,
                      const store::Condition& condition) override {
    const Verdict verdict = next();
    if (verdict == Verdict::lost) return no_power();
    auto done = inner_.remove(key, deadline, condition);
    if (verdict == Verdict::unheard) return no_power();
    return done;
  }
  Result<std::size_t> remove_batch(const std::vector<std::string>& keys,
                                   const os::Deadline& deadline) override {
    return inner_.remove_batch(keys, deadline);
  }
  Result<store::ObjectInfo> copy(std::string_view from, std::string_view to,
                                 const os::Deadline& deadline,
                                 const store::Condition& condition) override {
    return inner_.copy(from, to, deadline, condition);
  }

 private:
  enum class Verdict { done, unheard, lost };
  static Error no_power() { return {.kind = ErrorKind::unavailable, .message = "no power"}; }
  Verdict next() {
    const int at = changes++;
    if (until_cut < 0 || at < until_cut) return Verdict::done;
    if (at > until_cut && works_again) return Verdict::done;
    return at == until_cut && last_is_done ? Verdict::unheard : Verdict::lost;
  }
  store::Store& inner_;
};

Key administrator() {
  Key key;
  key.id = "admin";
  key.username = "admin";
  key.role_descriptors =
      *parse_json(R"({"a":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})");
  REQUIRE(key.prepare().ok());
  return key;
}

struct Rig {
  std::unique_ptr<store::Store> disk = store::memory_store();
  CutStore store{*disk};
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(11);
  std::unique_ptr<Keys> keys;
  std::unique_ptr<ObjectKeys> object_keys;
  std::unique_ptr<Accounts> accounts;
  std::unique_ptr<Principals> principals;
  std::string account;

  Rig() {
    open();
    account = accounts->create_account({.name = "house"}, soon)->get()->id;
    REQUIRE(accounts->create_user(account, "ann", soon).ok());
  }
  void open() {
    principals.reset();
    store.until_cut = -1;
    keys = std::move(Keys::open(store, clock, *random, {}, soon).value());
    object_keys = std::move(
        ObjectKeys::open(store, Seal(std::string(32, 'k')), clock, *random, soon).value());
    accounts = std::move(Accounts::open(store, *object_keys, clock, *random, soon).value());
    principals =
        std::move(Principals::open(*keys, *object_keys, *accounts, clock, soon).value());
  }
  CreatedBoth create(NewKey wanted = {.name = "both"}, const char* user = "ann") {
    auto made = principals->create(std::move(wanted), account, user, administrator(), soon);
    REQUIRE_MESSAGE(made.ok(), made.error().message);
    return *std::move(made);
  }
  bool opens_api(const CreatedBoth& both) const {
    return keys->verify(both.api_key.key->id, both.api_key.secret).ok();
  }
  bool opens_objects(const std::string& id) const {
    const auto pair = principals->find(id);
    return pair != nullptr && pair->active && accounts->caller_of(*pair) != nullptr;
  }
  bool opens_objects(const CreatedBoth& both) const {
    return opens_objects(both.access_key->access_key_id);
  }
};

}  // namespace

TEST_CASE("principals: an API key with an access key has its holder, name and count") {
  Rig rig;
  for (int start = 0; start < 2; ++start) {
    const auto both = rig.create();
    CHECK(both.api_key.key->username == "ann");
    CHECK(both.api_key.key->counted_as.account == "user:ann");
    CHECK(both.api_key.key->counted_as.kind == ratelimit::IdentityKind::user);
    CHECK(both.access_key->secret.size() == 40);
    rig.open();
    CHECK(rig.opens_api(both));
    CHECK(rig.opens_objects(both));
    const auto holder = rig.principals->holder_of(*rig.keys->get(both.api_key.key->id));
    REQUIRE(holder != nullptr);
    CHECK(holder->arn == "arn:aws:iam::" + rig.account + ":user/ann");
    CHECK(counted_as(*both.access_key, *holder).account == "user:ann");
  }
  const auto root = rig.create({.name = "root"}, "");
  CHECK(root.api_key.key->counted_as.account == "user:house");
  CHECK(rig.principals->holder_of(*root.api_key.key)->is_root());
}

TEST_CASE("principals: a service is one on both ports") {
  Rig rig;
  REQUIRE(rig.accounts->create_user(rig.account, "shop", soon, true).ok());
  rig.open();
  const auto both = rig.create({.name = "back end"}, "shop");
  const auto holder = rig.principals->holder_of(*both.api_key.key);
  REQUIRE(holder != nullptr);
  const auto on_objects = counted_as(*both.access_key, *holder);
  CHECK(on_objects.account == "service:shop");
  CHECK(on_objects.kind == ratelimit::IdentityKind::service);
  CHECK(both.api_key.key->counted_as.account == "service:shop");
  CHECK(both.api_key.key->counted_as.kind == ratelimit::IdentityKind::service);
}

TEST_CASE("principals: no rights come with an access key but those that are named") {
  Rig rig;
  const auto bare = rig.create();
  CHECK_FALSE(bare.api_key.key->may_cluster("monitor"));
  CHECK_FALSE(bare.api_key.key->may_some_index("read"));
  CHECK_FALSE(bare.api_key.key->lasting_administrator());
  const Json roles = *parse_json(R"({"r":{"cluster":["manage_own_api_key"],
      "indices":[{"names":["logs"],"privileges":["read"]}]}})");
  const auto some = rig.create({.name = "some", .role_descriptors = roles});
  CHECK(some.api_key.key->may_index("read", "logs"));
  CHECK_FALSE(some.api_key.key->may_cluster("monitor"));
  // Nor may an update by an administrator give all that it has by saying nothing.
  KeyChange none{.role_descriptors = Json::object()};
  REQUIRE(rig.keys->update(some.api_key.key->id, none, administrator(), soon).ok());
  CHECK_FALSE(rig.keys->get(some.api_key.key->id)->may_some_index("read"));
  // A key that it makes has nothing either, has no access key, and counts for the same holder.
  const auto child = rig.keys->create(
      {.name = "child", .role_descriptors = *parse_json(R"({"r":{}})")}, *some.api_key.key, soon);
  REQUIRE(child.ok());
  CHECK(child->key->access_key_id.empty());
  CHECK_FALSE(child->key->may_some_index("read"));
  CHECK(child->key->counted_as.account == "user:ann");
  CHECK(rig.principals->holder_of(*child->key) == nullptr);
}

TEST_CASE("principals: an administrator's key with an access key is not the one that stays") {
  Rig rig;
  const auto both =
      rig.create({.name = "all", .role_descriptors = administrator().role_descriptors});
  CHECK(both.api_key.key->may_cluster("all"));
  CHECK_FALSE(both.api_key.key->lasting_administrator());
  CHECK(rig.principals->remove(both.access_key->access_key_id, soon).ok());
}

TEST_CASE("principals: whose requests count together cannot be chosen beside the holder") {
  Rig rig;
  const Json other = *parse_json(R"({"_cairn":{"identity":{"kind":"service","id":"x"}}})");
  const auto made = rig.principals->create({.name = "k", .metadata = other}, rig.account, "ann",
                                           administrator(), soon);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().kind == ErrorKind::invalid_argument);
  CHECK(rig.object_keys->all().empty());
  const auto both = rig.create();
  const KeyChange change{.metadata = other};
  CHECK_FALSE(rig.keys->update(both.api_key.key->id, change, administrator(), soon).ok());
  const KeyChange plain{.metadata = *parse_json(R"({"team":"blue"})")};
  REQUIRE(rig.keys->update(both.api_key.key->id, plain, administrator(), soon).ok());
  CHECK(rig.keys->get(both.api_key.key->id)->counted_as.account == "user:ann");
}

TEST_CASE("principals: either end ends both, at once and after a start") {
  for (const bool by_api : {true, false}) {
    CAPTURE(by_api);
    Rig rig;
    const auto both = rig.create();
    const auto other = rig.create();
    if (by_api) {
      const auto done = rig.principals->invalidate({.ids = {both.api_key.key->id}}, soon);
      REQUIRE(done.ok());
      CHECK(done->ids.size() == 1);
    } else {
      CHECK(rig.principals->remove(both.access_key->access_key_id, soon).value());
    }
    for (int start = 0; start < 2; ++start) {
      CHECK_FALSE(rig.opens_api(both));
      CHECK_FALSE(rig.opens_objects(both));
      CHECK(rig.object_keys->find(both.access_key->access_key_id) == nullptr);
      CHECK(rig.keys->get(both.api_key.key->id)->invalidation_ms);
      CHECK(rig.opens_api(other));
      CHECK(rig.opens_objects(other));
      rig.open();
    }
  }
}

TEST_CASE("principals: an idle access key, and an end in time, are those of both") {
  Rig rig;
  const auto both = rig.create({.name = "short", .lifetime_ms = 1000});
  const std::string& pair = both.access_key->access_key_id;
  REQUIRE(rig.object_keys->set_active(pair, false, soon).ok());
  CHECK_FALSE(rig.opens_api(both));
  CHECK_FALSE(rig.opens_objects(both));
  REQUIRE(rig.object_keys->set_active(pair, true, soon).ok());
  CHECK(rig.opens_api(both));
  CHECK(rig.opens_objects(both));
  rig.clock.advance_ms(1000);
  CHECK_FALSE(rig.opens_api(both));
  CHECK_FALSE(rig.opens_objects(both));
}

TEST_CASE("principals: a disabled key of either kind opens neither port until it is enabled") {
  Rig rig;
  const auto both = rig.create();
  const std::string& id = both.api_key.key->id;
  const std::string& pair = both.access_key->access_key_id;
  REQUIRE(*rig.keys->set_enabled(id, false, administrator(), soon));
  CHECK_FALSE(rig.opens_api(both));
  CHECK_FALSE(rig.opens_objects(both));
  rig.open();
  CHECK_FALSE(rig.opens_api(both));
  CHECK_FALSE(rig.opens_objects(both));
  REQUIRE(*rig.keys->set_enabled(id, true, administrator(), soon));
  CHECK(rig.opens_api(both));
  CHECK(rig.opens_objects(both));
  REQUIRE(*rig.object_keys->set_active(pair, false, soon));
  CHECK_FALSE(rig.opens_api(both));
  CHECK_FALSE(rig.opens_objects(both));
  REQUIRE(*rig.object_keys->set_active(pair, true, soon));
  CHECK(rig.opens_api(both));
  CHECK(rig.opens_objects(both));
}

TEST_CASE("principals: a cut in a disabling leaves the key as it was, or disabled") {
  for (const bool last_is_done : {false, true}) {
    CAPTURE(last_is_done);
    Rig rig;
    const auto both = rig.create();
    rig.store.changes = 0;
    rig.store.until_cut = 0;
    rig.store.last_is_done = last_is_done;
    CHECK_FALSE(rig.keys->set_enabled(both.api_key.key->id, false, administrator(), soon).ok());
    CHECK(rig.opens_api(both));  // nothing was promised
    rig.open();
    CHECK(rig.opens_api(both) != last_is_done);
    CHECK(rig.opens_objects(both) != last_is_done);
  }
}

TEST_CASE("principals: an access key of before gets an API key, once") {
  Rig rig;
  const auto pair = rig.accounts->create_key(rig.account, "ann", soon).value();
  const auto make = [&](const char* id) {
    return rig.principals->create_for({.name = "k"}, id, administrator(), soon);
  };
  const auto both = make(pair->access_key_id.c_str());
  REQUIRE(both.ok());
  CHECK(both->access_key->secret == pair->secret);
  CHECK(rig.opens_api(*both));
  CHECK(rig.opens_objects(*both));
  const auto again = make(pair->access_key_id.c_str());
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().kind == ErrorKind::conflict);
  CHECK(rig.keys->find({.active_only = true}).size() == 1);
  CHECK(rig.opens_api(*both));
  CHECK(make("CKNOTTHERE").error().kind == ErrorKind::not_found);
  REQUIRE(rig.principals->invalidate({.ids = {both->api_key.key->id}}, soon).ok());
  CHECK(make(pair->access_key_id.c_str()).error().kind == ErrorKind::not_found);
}

TEST_CASE("principals: of many that make an API key for one access key, one does") {
  Rig rig;
  const auto pair = rig.accounts->create_key(rig.account, "ann", soon).value();
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      if (rig.principals->create_for({.name = "k"}, pair->access_key_id, administrator(), soon).ok())
        ++made;
    });
  for (auto& thread : threads) thread.join();
  CHECK(made == 1);
  int open = 0;
  for (const auto& key : rig.keys->find({.active_only = true}))
    if (rig.principals->holder_of(*key) != nullptr) ++open;
  CHECK(open == 1);
  CHECK(rig.opens_objects(pair->access_key_id));
}

TEST_CASE("principals: keys of before stand for themselves") {
  Rig rig;
  const auto key = rig.keys->create({.name = "old"}, administrator(), soon);
  REQUIRE(key.ok());
  const auto pair = rig.accounts->create_key(rig.account, "ann", soon).value();
  rig.open();
  CHECK(rig.keys->verify(key->key->id, key->secret).ok());
  CHECK(key->key->counted_as.account == "key:" + key->key->id);
  CHECK(rig.principals->holder_of(*key->key) == nullptr);
  CHECK(rig.opens_objects(pair->access_key_id));
  REQUIRE(rig.principals->invalidate({.ids = {key->key->id}}, soon).ok());
  CHECK(rig.opens_objects(pair->access_key_id));
}

TEST_CASE("principals: a key that names an access key opens nothing where nobody answers for it") {
  Rig rig;
  const auto both = rig.create();
  const auto alone = Keys::open(rig.store, rig.clock, *rig.random, {}, soon).value();
  CHECK_FALSE(alone->verify(both.api_key.key->id, both.api_key.secret).ok());
}

TEST_CASE("principals: no cut in a making leaves one credential without the other") {
  for (const bool for_pair : {false, true})
    for (const bool last_is_done : {false, true})
      for (int cut = 0; cut < 3; ++cut) {
        CAPTURE(for_pair);
        CAPTURE(last_is_done);
        CAPTURE(cut);
        Rig rig;
        const auto before = rig.accounts->create_key(rig.account, "ann", soon).value();
        rig.store.changes = 0;
        rig.store.until_cut = cut;
        rig.store.last_is_done = last_is_done;
        const auto made =
            for_pair ? rig.principals->create_for({.name = "k"}, before->access_key_id,
                                                  administrator(), soon)
                     : rig.principals->create({.name = "k"}, rig.account, "ann", administrator(),
                                              soon);
        CHECK(made.ok() == (cut >= 2));
        const bool whole = cut >= 2 || (cut == 1 && last_is_done);
        rig.open();
        int open = 0;
        for (const auto& key : rig.keys->find({.active_only = true})) {
          CHECK(rig.principals->holder_of(*key) != nullptr);
          CHECK(rig.principals->find(key->access_key_id) != nullptr);
          ++open;
        }
        CHECK(open == (whole ? 1 : 0));
        const std::size_t pairs = for_pair || !whole ? 1 : 2;
        CHECK(rig.object_keys->all().size() == pairs);
        CHECK(rig.opens_objects(before->access_key_id));
      }
}

TEST_CASE("principals: an access key of before survives an answer that was lost") {
  Rig rig;
  const auto before = rig.accounts->create_key(rig.account, "ann", soon).value();
  rig.store.changes = 0;
  rig.store.until_cut = 1;
  rig.store.last_is_done = true;
  rig.store.works_again = true;
  const auto made =
      rig.principals->create_for({.name = "k"}, before->access_key_id, administrator(), soon);
  REQUIRE(made.ok());
  CHECK(rig.opens_objects(before->access_key_id));
  CHECK(rig.opens_api(*made));
  rig.open();
  CHECK(rig.opens_objects(before->access_key_id));
  CHECK(rig.opens_api(*made));
}

TEST_CASE("principals: a cut in an ending leaves both, or none") {
  for (const bool by_api : {false, true})
    for (const bool last_is_done : {false, true})
      for (int cut = 0; cut < 3; ++cut) {
        CAPTURE(by_api);
        CAPTURE(last_is_done);
        CAPTURE(cut);
        Rig rig;
        const auto both = rig.create();
        rig.store.changes = 0;
        rig.store.until_cut = cut;
        rig.store.last_is_done = last_is_done;
        bool answered = false;
        if (by_api) {
          const auto done = rig.principals->invalidate({.ids = {both.api_key.key->id}}, soon);
          answered = done.ok() && done->errors.empty();
        } else {
          answered = rig.principals->remove(both.access_key->access_key_id, soon).ok();
        }
        const bool ended = cut >= 1 || last_is_done;
        rig.open();
        CHECK(rig.opens_api(both) == !ended);
        CHECK(rig.opens_objects(both) == !ended);
        if (answered) CHECK(ended);
        CHECK((rig.object_keys->find(both.access_key->access_key_id) != nullptr) == !ended);
      }
}

}  // namespace cairn::auth::principals_test
