// SPDX-License-Identifier: Apache-2.0
#include "auth/secrets/encryption_keys.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace cairn::auth::encryption_keys_test {
namespace {

const os::Deadline never = os::Deadline::never();
const std::string mine = "111111111111";
const std::string theirs = "222222222222";

struct AccountEntry {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(7);
  Seal seal{std::string(32, 'm')};
  std::unique_ptr<EncryptionKeys> keys = open();

  std::unique_ptr<EncryptionKeys> open() {
    auto opened = try_open(seal);
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    return std::move(*opened);
  }
  Result<std::unique_ptr<EncryptionKeys>> try_open(const Seal& under) {
    return EncryptionKeys::open(
        {.store = *store, .seal = under, .region = "us-east-1", .clock = clock, .random = *random},
        never);
  }
  std::string code_of(std::string_view name, const std::string& account = mine) {
    const auto found = keys->resolve(name, account);
    return found.ok() ? "ok" : found.error().code;
  }
};

TEST_CASE("encryption keys: found by id, alias and ARN, by their own account alone") {
  AccountEntry fixture;
  const auto made =
      fixture.keys->create({.account_id = mine, .aliases = {"photos", "alias/a/b_c-1"}}, never);
  REQUIRE(made.ok());
  const EncryptionKey& key = **made;
  const std::string arn = "arn:aws:kms:us-east-1:" + mine + ":key/" + key.id;
  CHECK(fixture.keys->arn_of(key) == arn);
  CHECK(fixture.keys->aliases_of(key) == std::vector<std::string>{"alias/a/b_c-1", "alias/photos"});
  const std::string alias_arn = "arn:aws:kms:us-east-1:" + mine + ":alias/photos";
  for (const std::string& name : {key.id, arn, std::string("alias/photos"), alias_arn}) {
    CAPTURE(name);
    const auto found = fixture.keys->resolve(name, mine);
    REQUIRE(found.ok());
    CHECK(found->id == key.id);
    CHECK(found->material == key.material);
  }
  CHECK(fixture.keys->of_arn(arn)->material == key.material);
  CHECK(fixture.code_of(key.id, theirs) == "KMS.NotFoundException");
  CHECK(fixture.code_of("alias/photos", theirs) == "KMS.NotFoundException");
  CHECK(fixture.code_of(arn, theirs) == "AccessDenied");
  for (const char* name :
       {"x", "alias/none", "arn:aws:kms", "arn:aws:kms:us-east-1:111111111111:grant/x",
        "00000000-0000-4000-8000-000000000000", "arn:aws:kms:us-east-1:111111111111:key/x"})
    CHECK(fixture.code_of(name) == "KMS.NotFoundException");
}

TEST_CASE("encryption keys: each account has a default one that nobody makes") {
  AccountEntry fixture;
  const auto one = fixture.keys->resolve("", mine);
  const auto other = fixture.keys->resolve("", theirs);
  REQUIRE(one.ok());
  CHECK(one->id != other->id);
  CHECK(one->material != other->material);
  CHECK(one->material.size() == 32);
  CHECK(fixture.keys->resolve("alias/aws/s3", mine)->id == one->id);
  CHECK(fixture.keys->resolve(one->id, mine)->material == one->material);
  CHECK(fixture.keys->of_arn(fixture.keys->arn_of(*other))->material == other->material);
  CHECK(fixture.code_of(other->id) == "KMS.NotFoundException");
  CHECK(fixture.keys->all().empty());
  CHECK(fixture.keys->set_enabled(one->id, false, never).error().kind == ErrorKind::not_found);
}

TEST_CASE("encryption keys: a disabled one neither seals nor opens, until it is enabled") {
  AccountEntry fixture;
  const auto key = fixture.keys->create({.account_id = mine}, never).value();
  const std::string arn = fixture.keys->arn_of(*key);
  CHECK(fixture.keys->set_enabled(key->id, false, never).value());
  CHECK_FALSE(fixture.keys->set_enabled(key->id, false, never).value());
  CHECK(fixture.code_of(key->id) == "KMS.DisabledException");
  CHECK(fixture.keys->of_arn(arn).error().code == "KMS.DisabledException");
  fixture.keys = fixture.open();
  CHECK(fixture.code_of(key->id) == "KMS.DisabledException");
  CHECK(fixture.keys->set_enabled(key->id, true, never).value());
  CHECK(fixture.keys->of_arn(arn)->material == key->material);
  CHECK(fixture.keys->set_enabled("none", true, never).error().kind == ErrorKind::not_found);
}

TEST_CASE("encryption keys: aliases belong to one key of an account, and move") {
  AccountEntry fixture;
  const auto one = fixture.keys->create({.account_id = mine, .aliases = {"a"}}, never).value();
  const auto two = fixture.keys->create({.account_id = mine}, never).value();
  const auto far = fixture.keys->create({.account_id = theirs, .aliases = {"a"}}, never);
  CHECK(far.ok());
  CHECK(fixture.keys->create({.account_id = mine, .aliases = {"a"}}, never).error().kind ==
        ErrorKind::already_exists);
  CHECK(fixture.keys->all().size() == 3);  // the refused one was not made
  CHECK(fixture.keys->add_alias(two->id, "a", never).error().kind == ErrorKind::already_exists);
  CHECK_FALSE(fixture.keys->remove_alias(two->id, "a", never).value());
  CHECK(fixture.keys->remove_alias(one->id, "alias/a", never).value());
  CHECK(fixture.code_of("alias/a") == "KMS.NotFoundException");
  CHECK(fixture.keys->add_alias(two->id, "a", never).ok());
  fixture.keys = fixture.open();
  CHECK(fixture.keys->resolve("alias/a", mine)->id == two->id);
  for (const char* bad : {"", "alias/", "aws/s3", "alias/aws/x", "with space", "a:b"}) {
    CAPTURE(bad);
    CHECK(fixture.keys->add_alias(two->id, bad, never).error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("encryption keys: kept over a restart, in records that show nothing") {
  AccountEntry fixture;
  const auto key =
      fixture.keys->create({.account_id = mine, .description = "for photos"}, never).value();
  const std::string service = fixture.keys->service_key("x");
  const std::string by_default = fixture.keys->default_key(mine).material;
  CHECK(service.size() == 32);
  CHECK(service != fixture.keys->service_key("y"));
  fixture.keys = fixture.open();
  CHECK(fixture.keys->find(key->id)->material == key->material);
  CHECK(fixture.keys->find(key->id)->description == "for photos");
  CHECK(fixture.keys->service_key("x") == service);
  CHECK(fixture.keys->default_key(mine).material == by_default);
  const auto look = [&](const store::ObjectInfo& info) -> Status {
    const auto object = fixture.store->get(info.key, never);
    CHECK(object->bytes.find(key->material) == std::string::npos);
    return ok_status();
  };
  CHECK(store::for_each_object(*fixture.store, "", never, look).ok());
  CHECK(fixture.try_open(Seal(std::string(32, 'x'))).error().kind == ErrorKind::corrupt);
}

}  // namespace
}  // namespace cairn::auth::encryption_keys_test
