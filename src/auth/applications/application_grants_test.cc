// SPDX-License-Identifier: Apache-2.0
#include "auth/applications/application_grants.h"

#include <doctest/doctest.h>

#include "store/memory_store.h"

namespace cairn::auth::application_grants_test {
namespace {

const os::Deadline never = os::Deadline::never();
constexpr std::int64_t hour_ms = 3'600'000;

struct Fixture {
  std::shared_ptr<const Key> key(const std::string& id, const std::string& roles,
                                 const std::string& identity = {}) {
    Key record;
    record.id = id;
    record.name = id;
    record.username = "root";
    record.role_descriptors = parse_json(roles).value();
    if (!identity.empty())
      record.metadata = parse_json(R"({"_cairn":{"identity":)" + identity + "}}").value();
    auto made = keys->install(record, "secret", never);
    if (!made.ok()) FAIL(made.error().message);
    return *made;
  }
  Result<CreatedKey> mint(std::string_view account, std::optional<std::int64_t> ms = {}) {
    return grants.mint(*application, account, ms, never);
  }

  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock{1'700'000'000'000};
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  std::unique_ptr<Keys> keys = std::move(Keys::open(*store, clock, *random, {}, never).value());
  ApplicationGrants grants{*store, *keys, clock};
  std::shared_ptr<const Key> admin = key(
      "admin", R"({"all":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})");
  std::shared_ptr<const Key> ann =
      key("ann", R"({"r":{"indices":[{"names":["books"],"privileges":["read","write"]}]}})",
          R"({"kind":"user","user":"ann","enterprise_member":true})");
  std::shared_ptr<const Key> application =
      key("app", R"({"none":{}})", R"({"kind":"oauth_app","id":"ci","app_owner_enterprise":true})");
};

TEST_CASE("application grants: a user lets an application act, within the user's rights") {
  Fixture fixture;
  CHECK(fixture.mint("user:ann").error().kind == ErrorKind::not_found);
  const Json roles =
      parse_json(R"({"r":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["read"]}]}})")
          .value();
  const auto granted = fixture.grants.grant("app", Json(), roles, *fixture.ann, never);
  REQUIRE(granted.ok());
  CHECK(granted->account == "user:ann");
  const auto token = fixture.mint("user:ann");
  REQUIRE(token.ok());
  const Key& key = *token->key;
  CHECK(key.counted_as.account == "user:ann");
  CHECK(key.counted_as.kind == ratelimit::IdentityKind::oauth_user);
  CHECK(key.counted_as.facts.enterprise_member);
  CHECK(key.counted_as.facts.app_owner_enterprise);
  CHECK(key.created_by == "app");
  CHECK(key.expiration_ms == fixture.clock.unix_ms() + 8 * hour_ms);
  CHECK(key.may_index("read", "books"));
  CHECK_FALSE(key.may_index("write", "books"));  // the grant says reading
  CHECK_FALSE(key.may_index("read", "films"));   // ann may not
  CHECK_FALSE(key.may_cluster("monitor"));
  CHECK(fixture.keys->verify(key.id, token->secret).ok());
  fixture.clock.advance_ms(8 * hour_ms);
  CHECK_FALSE(fixture.keys->verify(key.id, token->secret).ok());
}

TEST_CASE("application grants: installations and workflows are an administrator's to grant") {
  Fixture fixture;
  const Json installation =
      parse_json(R"({"kind":"installation","id":17,"repositories":21})").value();
  const Json workflow = parse_json(R"({"kind":"workflow","repo":"acme/models"})").value();
  const auto refused = fixture.grants.grant("app", installation, Json(), *fixture.ann, never);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::permission_denied);
  REQUIRE(fixture.grants.grant("app", installation, Json(), *fixture.admin, never).ok());
  REQUIRE(fixture.grants.grant("app", workflow, Json(), *fixture.admin, never).ok());
  const auto one = fixture.mint("inst:17");
  REQUIRE(one.ok());
  CHECK(one->key->counted_as.kind == ratelimit::IdentityKind::installation);
  CHECK(one->key->counted_as.facts.repositories == 21);
  CHECK(one->key->expiration_ms == fixture.clock.unix_ms() + hour_ms);
  const auto other = fixture.mint("wf:acme/models", 5'000);
  REQUIRE(other.ok());
  CHECK(other->key->expiration_ms == fixture.clock.unix_ms() + 5'000);
  for (const std::int64_t ms : std::vector<std::int64_t>{0, -1, 999, 2 * hour_ms})
    CHECK(fixture.mint("inst:17", ms).error().kind == ErrorKind::invalid_argument);
  for (const auto* bad : {R"({"kind":"service","id":"x"})", R"({"kind":"oauth_app","id":"x"})",
                          R"({"kind":"key","id":"x"})", R"({"kind":"robot"})", R"({})"})
    CHECK(fixture.grants.grant("app", parse_json(bad).value(), Json(), *fixture.admin, never)
              .error()
              .kind == ErrorKind::invalid_argument);
  CHECK(fixture.grants.of("app", never)->size() == 2);
}

TEST_CASE("application grants: what is no application, and who is no user") {
  Fixture fixture;
  for (const auto* id : {"nobody", "ann"})
    CHECK(fixture.grants.grant(id, Json(), Json(), *fixture.ann, never).error().kind ==
          ErrorKind::not_found);
  // The administrator's key counts as itself.
  CHECK(fixture.grants.grant("app", Json(), Json(), *fixture.admin, never).error().kind ==
        ErrorKind::invalid_argument);
  REQUIRE(fixture.keys->invalidate({.ids = {"app"}}, never).ok());
  CHECK(fixture.grants.grant("app", Json(), Json(), *fixture.ann, never).error().kind ==
        ErrorKind::not_found);
}

TEST_CASE("application grants: revoking ends the tokens, and nobody else's") {
  Fixture fixture;
  REQUIRE(fixture.grants.grant("app", Json(), Json(), *fixture.ann, never).ok());
  const Json bob = parse_json(R"({"kind":"app_user","user":"bob"})").value();
  REQUIRE(fixture.grants.grant("app", bob, Json(), *fixture.admin, never).ok());
  const auto first = fixture.mint("user:ann"), second = fixture.mint("user:ann");
  const auto of_bob = fixture.mint("user:bob");
  REQUIRE((first.ok() && second.ok() && of_bob.ok()));
  CHECK(fixture.grants.revoke("app", "user:bob", *fixture.ann, never).error().kind ==
        ErrorKind::permission_denied);
  CHECK_FALSE(fixture.grants.revoke("app", "user:cid", *fixture.admin, never)->has_value());
  CHECK(**fixture.grants.revoke("app", "user:ann", *fixture.ann, never) == 2);
  CHECK_FALSE(fixture.keys->verify(first->key->id, first->secret).ok());
  CHECK_FALSE(fixture.keys->verify(second->key->id, second->secret).ok());
  CHECK(fixture.keys->verify(of_bob->key->id, of_bob->secret).ok());
  CHECK(fixture.mint("user:ann").error().kind == ErrorKind::not_found);
  // One token before its time.
  const std::string text = encoded_key(of_bob->key->id, of_bob->secret);
  CHECK_FALSE(*fixture.grants.end_token(*fixture.ann, text, never));
  CHECK(*fixture.grants.end_token(*fixture.application, text, never));
  CHECK_FALSE(*fixture.grants.end_token(*fixture.application, text, never));
  CHECK_FALSE(*fixture.grants.end_token(*fixture.application, "nonsense", never));
}

TEST_CASE("application grants: they end with the key that gave them") {
  Fixture fixture;
  REQUIRE(fixture.grants.grant("app", Json(), Json(), *fixture.ann, never).ok());
  REQUIRE(fixture.mint("user:ann").ok());
  REQUIRE(fixture.keys->invalidate({.ids = {"ann"}}, never).ok());
  const auto refused = fixture.mint("user:ann");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::not_found);
  CHECK(refused.error().message.find("authorized again") != std::string::npos);
}

}  // namespace
}  // namespace cairn::auth::application_grants_test
