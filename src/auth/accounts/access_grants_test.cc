// SPDX-License-Identifier: Apache-2.0
#include "auth/accounts/access_grants.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace cairn::auth::access_grants_test {
namespace {

const os::Deadline soon = os::Deadline::in_ms(60'000);
const std::string account = "111111111111";

GrantScope scope(std::string_view text, bool object = false) {
  return GrantScope::parse(text, object).value();
}

struct Rig {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(3);
  std::unique_ptr<AccessGrants> grants = open();
  std::unique_ptr<AccessGrants> open() {
    return std::move(AccessGrants::open(*store, clock, *random, soon).value());
  }
  std::string location(const char* where) {
    return grants->create_location(account, {.id = {}, .scope = scope(where), .role_arn = "arn"}, soon)->id;
  }
  Result<AccessGrant> grant(const std::string& location, const char* what, GrantPermission permission,
                            const char* grantee = "ann") {
    return grants->create_grant(account,
                                {.id = {},
                                 .location_id = location,
                                 .scope = scope(what),
                                 .permission = permission,
                                 .grantee = grantee},
                                soon);
  }
};

std::string code_of(const Status& status) { return status.ok() ? "" : status.error().code; }

}  // namespace

TEST_CASE("access grants: scopes, and what they cover") {
  const struct {
    const char* held;
    bool held_object;
    const char* wanted;
    bool wanted_object;
    bool covers;
  } rows[] = {
      {"s3://", false, "s3://b/k", true, true},
      {"s3://b", false, "s3://b/k", true, true},
      {"s3://b/*", false, "s3://b/*", false, true},
      {"s3://b/*", false, "s3://bb/*", false, false},
      {"s3://b/a/*", false, "s3://b/a/x", true, true},
      {"s3://b/a/*", false, "s3://b/a/*", false, true},
      {"s3://b/a/*", false, "s3://b/a", true, false},
      {"s3://b/a/*", false, "s3://b/*", false, false},
      {"s3://b/a/*", false, "s3://c/a/x", true, false},
      {"s3://b/a", true, "s3://b/a", true, true},
      {"s3://b/a", true, "s3://b/ab", true, false},
      {"s3://b/a", true, "s3://b/a*", false, false},
      {"s3://b/a*b*", false, "s3://b/a*bc", true, true},
      {"s3://b/a*b*", false, "s3://b/axbc", true, false},
      {"s3://b/*", false, "s3://", false, false},
  };
  for (const auto& row : rows) {
    CAPTURE(row.held);
    CAPTURE(row.wanted);
    CHECK(scope(row.held, row.held_object).covers(scope(row.wanted, row.wanted_object)) ==
          row.covers);
  }
  CHECK(scope("S3://b/a*").text() == "s3://b/a*");
  CHECK(scope("s3://b").text() == "s3://b/*");
  CHECK(scope("s3://").text() == "s3://");
  CHECK(scope("s3://b/a", true).text() == "s3://b/a");
  for (const char* wrong : {"", "b/a", "http://b", "s3:/b", "s3:///a*", "s3://b*"})
    CHECK_FALSE(GrantScope::parse(wrong, false).ok());
  CHECK_FALSE(GrantScope::parse("s3://b", true).ok());
}

TEST_CASE("access grants: the narrowest that is enough") {
  Rig rig;
  REQUIRE(rig.grants->create_instance(account, soon).ok());
  const std::string all = rig.location("s3://");
  REQUIRE(rig.grant(all, "s3://b/*", GrantPermission::read).ok());
  REQUIRE(rig.grant(all, "s3://b/a/*", GrantPermission::read_write).ok());
  REQUIRE(rig.grant(all, "s3://b/a/x/*", GrantPermission::read, "bob").ok());
  const auto own = rig.grants->find(account);
  const auto found = [&](const char* who, const char* target, GrantPermission permission) {
    const AccessGrant* grant = own->find(who, scope(target), permission);
    return grant == nullptr ? std::string("none") : grant->scope.text();
  };
  CHECK(found("ann", "s3://b/a/x/*", GrantPermission::read) == "s3://b/a/*");
  CHECK(found("ann", "s3://b/c/*", GrantPermission::read) == "s3://b/*");
  CHECK(found("ann", "s3://b/c/*", GrantPermission::write) == "none");
  CHECK(found("ann", "s3://b/a/*", GrantPermission::write) == "s3://b/a/*");
  CHECK(found("ann", "s3://b/a/*", GrantPermission::read_write) == "s3://b/a/*");
  CHECK(found("ann", "s3://b/*", GrantPermission::read_write) == "none");
  CHECK(found("bob", "s3://b/a/x/y*", GrantPermission::read) == "s3://b/a/x/*");
  CHECK(found("bob", "s3://b/a/*", GrantPermission::read) == "none");
  CHECK(found("carl", "s3://b/a/*", GrantPermission::read) == "none");
}

TEST_CASE("access grants: they outlive a start, and go from the inside out") {
  Rig rig;
  CHECK(rig.grants->find(account) == nullptr);
  CHECK(code_of(rig.grants->delete_instance(account, soon)) == "AccessGrantsInstanceNotExistsError");
  REQUIRE(rig.grants->create_instance(account, soon).ok());
  CHECK(rig.grants->create_instance(account, soon).error().code ==
        "AccessGrantsInstanceAlreadyExists");
  const std::string id = rig.location("s3://b/*");
  CHECK(rig.location("s3://") == "default");
  CHECK(rig.grants->create_location(account, {.id = {}, .scope = scope("s3://b"), .role_arn = {}}, soon).error().code ==
        "AccessGrantsLocationAlreadyExistsError");
  const auto grant = rig.grant(id, "s3://b/\xc3\xa9*", GrantPermission::write);
  REQUIRE(grant.ok());
  CHECK(rig.grant(id, "s3://b/\xc3\xa9*", GrantPermission::write).error().code ==
        "AccessGrantAlreadyExists");
  CHECK(rig.grant("none", "s3://b/*", GrantPermission::read).error().code ==
        "NoSuchAccessGrantsLocationError");
  REQUIRE(rig.grants->update_location(account, id, "arn2", "bob", soon).ok());
  rig.grants = rig.open();
  const auto own = rig.grants->find(account);
  REQUIRE(own != nullptr);
  CHECK(own->locations.find(id)->second.user == "bob");
  CHECK(own->grants.find(grant->id)->second.scope.text() == grant->scope.text());
  CHECK(own->find("ann", scope("s3://b/\xc3\xa9x", true), GrantPermission::write) != nullptr);
  CHECK(code_of(rig.grants->delete_instance(account, soon)) == "AccessGrantsInstanceNotEmptyError");
  CHECK(code_of(rig.grants->delete_location(account, id, soon)) ==
        "AccessGrantsLocationNotEmptyError");
  REQUIRE(rig.grants->delete_grant(account, grant->id, soon).ok());
  CHECK(code_of(rig.grants->delete_grant(account, grant->id, soon)) == "NoSuchAccessGrantError");
  REQUIRE(rig.grants->delete_location(account, id, soon).ok());
  REQUIRE(rig.grants->delete_location(account, "default", soon).ok());
  REQUIRE(rig.grants->delete_instance(account, soon).ok());
  rig.grants = rig.open();
  CHECK(rig.grants->find(account) == nullptr);
}

}  // namespace cairn::auth::access_grants_test
