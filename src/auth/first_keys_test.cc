// SPDX-License-Identifier: Apache-2.0
#include "auth/first_keys.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/strings.h"
#include "os/files/secret_file.h"
#include "os/files/test_folder.h"
#include "store/memory_store.h"

namespace cairn::auth::first_keys_test {
namespace {

struct AccountEntry {
  os::TestFolder folder;
  std::string fail_put = {};  // puts of keys that begin so are refused
  std::unique_ptr<store::Store> store =
      store::memory_store({.before = [this](std::string_view call, std::string_view key) {
        const bool hit = call == "put" && !fail_put.empty() && key.starts_with(fail_put);
        return hit ? Status(Error{ErrorKind::unavailable, {}, "cut"}) : ok_status();
      }});
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(1);
  std::unique_ptr<Keys> keys;
  std::unique_ptr<ObjectKeys> object_keys;

  Result<FirstKeys> start() {
    const auto deadline = os::Deadline::never();
    keys = std::move(Keys::open(*store, clock, *random, {}, deadline).value());
    object_keys = std::move(
        ObjectKeys::open(*store, Seal(std::string(32, 'k')), clock, *random, deadline).value());
    return make_first_keys(folder / "keys", *store, *keys, *object_keys, clock, *random, deadline);
  }
};

}  // namespace

TEST_CASE("first keys: written once, for their owner alone, and they open the fixture") {
  AccountEntry fixture;
  const auto first = fixture.start();
  REQUIRE_MESSAGE(first.ok(), first.error().message);
  CHECK(first->admin_key_made);
  CHECK(first->admin_s3_made);
  for (const auto& file : {first->admin_key_file, first->admin_s3_file}) {
    struct stat info {};
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  const auto text = os::read_secret_file(first->admin_key_file).value();
  const auto parts = decode_key(trim(*text));
  REQUIRE(parts.has_value());
  const auto key = fixture.keys->verify(parts->id, parts->secret);
  REQUIRE(key.ok());
  CHECK((*key)->may_cluster("manage_security"));
  CHECK((*key)->may_index("write", "*"));

  const auto pair = parse_json(*os::read_secret_file(first->admin_s3_file).value());
  REQUIRE(pair.ok());
  const auto found = fixture.object_keys->find(pair->string_or("access_key_id"));
  REQUIRE(found != nullptr);
  CHECK(found->secret == pair->string_or("secret_access_key"));
  CHECK(found->secret.size() == 40);
  CHECK(found->account_id.size() == 12);
  CHECK(found->canonical_id.size() == 64);

  const auto second = fixture.start();
  REQUIRE(second.ok());
  CHECK_FALSE(second->admin_key_made);
  CHECK(fixture.keys->verify(parts->id, parts->secret).ok());
  CHECK(fixture.object_keys->find(found->access_key_id)->secret == found->secret);
}

TEST_CASE("first keys: a start that was cut goes on with the key that it wrote down") {
  for (const auto* cut : {"api-key/", "first/admin-key", "object-key/", "first/admin-s3"}) {
    AccountEntry fixture;
    fixture.fail_put = cut;
    CHECK_FALSE(fixture.start().ok());
    const auto before = os::read_secret_file(fixture.folder / "keys/admin.key").value();
    REQUIRE(before.has_value());
    fixture.fail_put.clear();
    const auto again = fixture.start();
    REQUIRE_MESSAGE(again.ok(), cut);
    CHECK(os::read_secret_file(again->admin_key_file).value() == before);
    const auto parts = decode_key(trim(*before));
    CHECK(fixture.keys->verify(parts->id, parts->secret).ok());
    const auto pair = parse_json(*os::read_secret_file(again->admin_s3_file).value());
    CHECK(fixture.object_keys->find(pair->string_or("access_key_id")) != nullptr);
  }
}

TEST_CASE("first keys: one that was invalidated or whose file is gone does not come back") {
  AccountEntry fixture;
  const auto deadline = os::Deadline::never();
  const auto first = fixture.start();
  REQUIRE(first.ok());
  const auto admin = fixture.keys->find({.name = "admin"}).at(0);
  const auto other = fixture.keys->create({.name = "other"}, *admin, deadline);
  REQUIRE(other.ok());
  REQUIRE(fixture.keys->invalidate({.name = "admin"}, deadline)->ids.size() == 1);
  std::filesystem::remove(fixture.folder / "keys/admin.key");
  const auto again = fixture.start();
  REQUIRE(again.ok());
  CHECK_FALSE(again->admin_key_made);
  CHECK_FALSE(std::filesystem::exists(again->admin_key_file));
  CHECK(fixture.keys->find({.active_only = true}).size() == 1);
}

TEST_CASE("first keys: S04 a start ends the first one, a day after there is another") {
  AccountEntry fixture;
  REQUIRE(fixture.start().ok());
  const auto first = fixture.keys->find({}).at(0);
  REQUIRE(fixture.keys->create({.name = "other"}, *first, os::Deadline::never()).ok());
  fixture.clock.advance_ms(Options{}.first_key_overlap_ms - 1);
  REQUIRE(fixture.start().ok());
  CHECK_FALSE(fixture.keys->get(first->id)->invalidation_ms.has_value());
  fixture.clock.advance_ms(1);
  REQUIRE(fixture.start().ok());
  CHECK(fixture.keys->get(first->id)->invalidation_ms.has_value());
  REQUIRE(fixture.start().ok());
}

TEST_CASE("first keys: a lost administrator's key is made anew, into a new file of its owner's") {
  AccountEntry fixture;
  const auto first = fixture.start();
  REQUIRE(first.ok());
  const auto make = [&](const std::string& file) {
    return make_administrator(fixture.folder / file, *fixture.keys, fixture.clock, *fixture.random,
                              os::Deadline::never());
  };
  const auto refused = make("keys/admin.key");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::already_exists);
  const auto made = make("keys/second.key");
  REQUIRE(made.ok());
  struct stat info {};
  REQUIRE(::stat((fixture.folder / "keys/second.key").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const auto text = os::read_secret_file(fixture.folder / "keys/second.key").value();
  const auto parts = decode_key(trim(*text));
  REQUIRE(parts.has_value());
  CHECK(parts->id == *made);
  REQUIRE(fixture.start().ok());
  const auto key = fixture.keys->verify(parts->id, parts->secret);
  REQUIRE(key.ok());
  CHECK((*key)->lasting_administrator());
}

TEST_CASE("seal: opens what it sealed, under the same key and context, unchanged") {
  const auto random = os::seeded_random(3);
  const Seal seal(random->bytes(32));
  for (const std::size_t size : {0, 1, 15, 16, 17, 1000}) {
    const std::string secret = random->bytes(size);
    const std::string sealed = seal.seal(secret, "a", *random);
    CHECK(seal.unseal(sealed, "a").value() == secret);
    CHECK_FALSE(seal.unseal(sealed, "b").ok());
    CHECK_FALSE(Seal(random->bytes(32)).unseal(sealed, "a").ok());
    for (std::size_t i = 0; i < sealed.size(); i += 7) {
      std::string changed = sealed;
      changed[i] = static_cast<char>(changed[i] ^ 1);
      CHECK_FALSE(seal.unseal(changed, "a").ok());
    }
    CHECK_FALSE(seal.unseal(sealed.substr(1), "a").ok());
  }
  CHECK_FALSE(seal.unseal("", "a").ok());
}

TEST_CASE("seal: the master key is drawn once and read back") {
  AccountEntry fixture;
  const std::string path = fixture.folder / "keys/master.key";
  const auto random = os::seeded_random(4);
  const auto first = Seal::open(path, *random);
  REQUIRE(first.ok());
  const std::string sealed = first->seal("s", "c", *random);
  const auto second = Seal::open(path, *random);
  REQUIRE(second.ok());
  CHECK(second->unseal(sealed, "c").value() == "s");
  REQUIRE(os::write_secret_file(path, "short").ok());
  const auto broken = Seal::open(path, *random);
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().kind == ErrorKind::corrupt);
}

TEST_CASE("object keys: made, found, removed, and corrupt under another master key") {
  AccountEntry fixture;
  REQUIRE(fixture.start().ok());
  const auto made = fixture.object_keys->create("alice", os::Deadline::never());
  REQUIRE(made.ok());
  CHECK((*made)->access_key_id.size() == 20);
  CHECK(fixture.object_keys->find((*made)->access_key_id)->user == "alice");
  CHECK(fixture.object_keys->all().size() == 2);
  const auto other = ObjectKeys::open(*fixture.store, Seal(std::string(32, 'x')), fixture.clock,
                                      *fixture.random, os::Deadline::never());
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().kind == ErrorKind::corrupt);
  CHECK(fixture.object_keys->remove((*made)->access_key_id, os::Deadline::never()).value());
  CHECK(fixture.object_keys->find((*made)->access_key_id) == nullptr);
  CHECK_FALSE(fixture.object_keys->remove((*made)->access_key_id, os::Deadline::never()).value());
}

}  // namespace cairn::auth::first_keys_test
