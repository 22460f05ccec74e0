// SPDX-License-Identifier: Apache-2.0
#include "auth/accounts/accounts.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "format/json.h"
#include "store/memory_store.h"

namespace cairn::auth::accounts_test {
namespace {

const os::Deadline soon = os::Deadline::in_ms(60'000);

constexpr const char* read_only =
    R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}})";

struct Nothing final : PolicyFacts {
  bool find(const PolicyKey&, std::vector<std::string>&) const override { return false; }
};

struct Rig {
  std::unique_ptr<store::Store> store = store::memory_store();
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  std::unique_ptr<ObjectKeys> keys;
  std::unique_ptr<Accounts> accounts;

  Rig() { open(); }
  void open() {
    accounts.reset();
    auto opened =
        ObjectKeys::open(*store, Seal(std::string(32, 'k')), os::system_clock(), *random, soon);
    REQUIRE(opened.ok());
    keys = std::move(*opened);
    auto houses = Accounts::open(*store, *keys, os::system_clock(), *random, soon);
    REQUIRE(houses.ok());
    accounts = std::move(*houses);
  }
  std::shared_ptr<const Account> account(const std::string& name) {
    auto made = accounts->create_account({.name = name}, soon);
    REQUIRE(made.ok());
    return *made;
  }
};

TEST_CASE("accounts: a key of before makes its account, once") {
  Rig rig;
  const auto key = rig.keys->create("admin", soon);
  REQUIRE(key.ok());
  CHECK(rig.accounts->first() == nullptr);
  for (int start = 0; start < 3; ++start) {
    rig.open();
    REQUIRE(rig.accounts->all().size() == 1);
    const auto first = rig.accounts->first();
    CHECK(first->id == (*key)->account_id);
    CHECK(first->canonical_id == (*key)->canonical_id);
    CHECK(first->name == "admin");
    const auto caller = rig.accounts->caller_of(*rig.keys->find((*key)->access_key_id));
    REQUIRE(caller != nullptr);
    CHECK(caller->is_root());
    CHECK(caller->arn == "arn:aws:iam::" + first->id + ":root");
  }
}

TEST_CASE("accounts: a record of a key without an account's user is read as the root's") {
  Rig rig;
  ObjectKey drawn = rig.keys->draw("admin");
  const std::string record_key = "object-key/" + drawn.access_key_id;
  const Seal seal(std::string(32, 'k'));
  const Json old = Json::object({{"access_key_id", drawn.access_key_id},
                                 {"sealed_secret",
                                  [&] {
                                    REQUIRE(rig.keys->install(drawn, soon).ok());
                                    const auto object = rig.store->get(record_key, soon);
                                    REQUIRE(object.ok());
                                    return parse_json(object->bytes)->string_or("sealed_secret");
                                  }()},
                                 {"account_id", drawn.account_id},
                                 {"canonical_id", drawn.canonical_id},
                                 {"user", "admin"},
                                 {"active", true},
                                 {"creation", 5}});
  REQUIRE(rig.store->put(record_key, old.dump(), soon).ok());
  rig.open();
  const auto key = rig.keys->find(drawn.access_key_id);
  REQUIRE(key != nullptr);
  CHECK(key->secret == drawn.secret);
  CHECK(key->account_user.empty());
  CHECK(rig.accounts->caller_of(*key)->is_root());
}

TEST_CASE("accounts: are found by what names them, also after a restart") {
  Rig rig;
  const auto made = rig.accounts->create_account(
      {.name = "other", .id = "222222222222", .email = "o@x.org"}, soon);
  REQUIRE(made.ok());
  CHECK((*made)->id == "222222222222");
  CHECK((*made)->canonical_id.size() == 64);
  for (int start = 0; start < 2; ++start) {
    CHECK(rig.accounts->find("222222222222")->name == "other");
    CHECK(rig.accounts->find_canonical((*made)->canonical_id)->id == "222222222222");
    CHECK(rig.accounts->find_email("O@X.org")->id == "222222222222");
    CHECK(rig.accounts->find_email("") == nullptr);
    CHECK(rig.accounts->find("333333333333") == nullptr);
    rig.open();
  }
  const auto drawn = rig.account("drawn");
  CHECK(drawn->id.size() == 12);
  CHECK(rig.accounts->first()->id == "222222222222");
}

TEST_CASE("accounts: what may not be one is refused") {
  Rig rig;
  const auto refused = [&](const NewAccount& wanted) {
    const auto made = rig.accounts->create_account(wanted, soon);
    REQUIRE(!made.ok());
    return made.error().kind;
  };
  REQUIRE(
      rig.accounts->create_account({.name = "a", .id = "111111111111", .email = "a@b"}, soon).ok());
  CHECK(refused({.name = ""}) == ErrorKind::invalid_argument);
  CHECK(refused({.name = std::string(129, 'x')}) == ErrorKind::invalid_argument);
  CHECK(refused({.name = "x", .id = "12345678901"}) == ErrorKind::invalid_argument);
  CHECK(refused({.name = "x", .id = "12345678901a"}) == ErrorKind::invalid_argument);
  CHECK(refused({.name = "x", .email = "nobody"}) == ErrorKind::invalid_argument);
  CHECK(refused({.name = "a"}) == ErrorKind::already_exists);
  CHECK(refused({.name = "x", .email = "A@b"}) == ErrorKind::already_exists);
  CHECK(refused({.name = "x", .id = "111111111111"}) == ErrorKind::already_exists);
}

TEST_CASE("accounts: users have names, ids, policies and keys") {
  Rig rig;
  const auto account = rig.account("team");
  const auto user = rig.accounts->create_user(account->id, "ann", soon);
  REQUIRE(user.ok());
  CHECK((*user)->user_id.starts_with("AIDA"));
  CHECK(rig.accounts->create_user(account->id, "ann", soon).error().kind ==
        ErrorKind::already_exists);
  CHECK(rig.accounts->create_user("999999999999", "ann", soon).error().kind ==
        ErrorKind::not_found);
  for (const char* bad : {"", "a b", "a/b", "\xc3\xa9", "a:b"})
    CHECK(rig.accounts->create_user(account->id, bad, soon).error().kind ==
          ErrorKind::invalid_argument);

  const auto key = rig.accounts->create_key(account->id, "ann", soon);
  REQUIRE(key.ok());
  CHECK((*key)->account_user == "ann");
  CHECK((*key)->canonical_id == account->canonical_id);
  const auto second = rig.accounts->create_key(account->id, "ann", soon);
  REQUIRE(second.ok());
  CHECK((*second)->access_key_id != (*key)->access_key_id);
  CHECK(rig.accounts->create_key(account->id, "bob", soon).error().kind == ErrorKind::not_found);

  CHECK(rig.accounts->caller_of(**key)->policies.empty());
  REQUIRE(rig.accounts->put_user_policy(account->id, "ann", "reads", read_only, soon).ok());
  for (int start = 0; start < 2; ++start) {
    const auto caller = rig.accounts->caller_of(*rig.keys->find((*key)->access_key_id));
    REQUIRE(caller != nullptr);
    CHECK(!caller->is_root());
    CHECK(caller->username == "ann");
    CHECK(caller->user_id == (*user)->user_id);
    CHECK(caller->arn == "arn:aws:iam::" + account->id + ":user/ann");
    REQUIRE(caller->policies.size() == 1);
    const Nothing nothing;
    CHECK(caller->policies[0]
              ->answer({.action = "s3:GetObject", .resource = "arn:aws:s3:::b/k", .facts = nothing})
              .allowed);
    rig.open();
  }
  CHECK(*rig.accounts->delete_user_policy(account->id, "ann", "reads", soon));
  CHECK(!*rig.accounts->delete_user_policy(account->id, "ann", "reads", soon));
  CHECK(rig.accounts->caller_of(*rig.keys->find((*key)->access_key_id))->policies.empty());
}

TEST_CASE("accounts: a policy that does not read is refused, and an eleventh too") {
  Rig rig;
  const auto account = rig.account("team");
  REQUIRE(rig.accounts->create_user(account->id, "ann", soon).ok());
  const auto put = [&](std::string_view name, std::string_view text) {
    return rig.accounts->put_user_policy(account->id, "ann", name, text, soon);
  };
  CHECK(put("p", "{}").error().code == "MalformedPolicyDocument");
  CHECK(put("a/b", read_only).error().kind == ErrorKind::invalid_argument);
  for (std::size_t i = 0; i < user_policies_max; ++i)
    REQUIRE(put("p" + std::to_string(i), read_only).ok());
  CHECK(put("one-more", read_only).error().kind == ErrorKind::invalid_argument);
  CHECK(put("p3", read_only).ok());  // again
}

TEST_CASE("accounts: a user goes after its keys, and then signs no more") {
  Rig rig;
  const auto account = rig.account("team");
  REQUIRE(rig.accounts->create_user(account->id, "ann", soon).ok());
  const auto key = rig.accounts->create_key(account->id, "ann", soon);
  REQUIRE(key.ok());
  CHECK(rig.accounts->delete_user(account->id, "ann", soon).error().kind == ErrorKind::conflict);
  REQUIRE(*rig.keys->remove((*key)->access_key_id, soon));
  REQUIRE(rig.accounts->delete_user(account->id, "ann", soon).ok());
  CHECK(rig.accounts->caller_of(**key) == nullptr);
  CHECK(rig.accounts->users(account->id).empty());
  // Another user of that name is another one.
  REQUIRE(rig.accounts->create_user(account->id, "ann", soon).ok());
  CHECK(rig.accounts->find_user(account->id, "ann")->policies.empty());
}

TEST_CASE("accounts: keys are made idle and active again") {
  Rig rig;
  const auto account = rig.account("team");
  const auto key = rig.accounts->create_key(account->id, "", soon);
  REQUIRE(key.ok());
  const std::string id = (*key)->access_key_id;
  CHECK(!*rig.keys->set_active(id, true, soon));
  CHECK(*rig.keys->set_active(id, false, soon));
  for (int start = 0; start < 2; ++start) {
    CHECK(!rig.keys->find(id)->active);
    CHECK(rig.keys->find(id)->secret == (*key)->secret);
    rig.open();
  }
  CHECK(*rig.keys->set_active(id, true, soon));
  CHECK(rig.keys->find(id)->active);
  CHECK(rig.keys->set_active("nobody", true, soon).error().kind == ErrorKind::not_found);
}

TEST_CASE("accounts: of many that are made at once with one name or address, one is") {
  for (int round = 0; round < 30; ++round) {
    Rig rig;
    std::atomic<int> by_name = 0, by_email = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
          const std::string own = std::to_string(i);
          if (rig.accounts->create_account({.name = "team"}, soon).ok()) ++by_name;
          const NewAccount same{.name = own, .email = i % 2 ? "a@example.com" : "A@Example.com"};
          if (rig.accounts->create_account(same, soon).ok()) ++by_email;
        });
    }
    CHECK(by_name == 1);
    CHECK(by_email == 1);
    CHECK(rig.accounts->all().size() == 2);
    rig.open();
    CHECK(rig.accounts->all().size() == 2);
  }
}

TEST_CASE("accounts: a crash between name and record leaves the name free, and only then") {
  std::string fail;
  Rig rig;
  rig.store = store::memory_store({.before = [&](std::string_view call, std::string_view key) {
    if (call != "put" || fail.empty() || !key.starts_with(fail)) return ok_status();
    return Status(Error{ErrorKind::timeout, {}, "cut"});
  }});
  rig.open();
  for (const auto* cut : {"object-account-email/", "object-account/"}) {
    fail = cut;
    CHECK_FALSE(rig.accounts->create_account({.name = "n", .email = "n@example.com"}, soon).ok());
    fail.clear();
    rig.open();
    CHECK(rig.accounts->all().empty());
  }
  const auto made = rig.accounts->create_account({.name = "n", .email = "n@example.com"}, soon);
  REQUIRE(made.ok());
  // Another one with an id that is there takes no name.
  CHECK_FALSE(rig.accounts->create_account({.name = "m", .id = (*made)->id}, soon).ok());
  CHECK(rig.accounts->create_account({.name = "m"}, soon).ok());
}

TEST_CASE("accounts: one whose answer was lost is not made a second time") {
  Rig rig;
  const auto made = rig.account("n");
  auto other = Accounts::open(*rig.store, *rig.keys, os::system_clock(), *rig.random, soon);
  REQUIRE(other.ok());
  // What the table does not know, the store does.
  REQUIRE(rig.accounts->create_account({.name = "later", .email = "l@example.com"}, soon).ok());
  CHECK((*other)->create_account({.name = "later"}, soon).error().kind ==
        ErrorKind::already_exists);
  CHECK((*other)->create_account({.name = "x", .email = "L@example.com"}, soon).error().kind ==
        ErrorKind::already_exists);
}

TEST_CASE("accounts: policies that are put at once are all kept") {
  Rig rig;
  const auto account = rig.account("team");
  REQUIRE(rig.accounts->create_user(account->id, "ann", soon).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2; ++i)
        while (!rig.accounts
                    ->put_user_policy(account->id, "ann",
                                      "p" + std::to_string(t) + "-" + std::to_string(i), read_only,
                                      soon)
                    .ok()) {
        }
    });
  for (auto& thread : threads) thread.join();
  CHECK(rig.accounts->find_user(account->id, "ann")->policies.size() == 8);
  rig.open();
  CHECK(rig.accounts->find_user(account->id, "ann")->policies.size() == 8);
}

}  // namespace
}  // namespace cairn::auth::accounts_test
