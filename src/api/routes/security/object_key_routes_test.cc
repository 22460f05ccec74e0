// SPDX-License-Identifier: Apache-2.0
// Accounts, users and access keys of the object storage over HTTP.
#include "api/routes/security/object_key_routes.h"

#include <doctest/doctest.h>

#include "api/routes/security/security_routes.h"
#include "api/testing.h"

namespace cairn::api::object_key_routes_test {
namespace {

struct Fixture : DispatcherFixture {
  Fixture() {
    Router router;
    add_security_routes(router, books);
    add_object_key_routes(router, books);
    serve(std::move(router));
  }
};

constexpr const char* reads =
    R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}})";

TEST_CASE(
    "object key routes: a key of the first account's root, shown once and then without secret") {
  Fixture fixture;
  const auto made = fixture.ask("POST", "/_security/object_key", "{}");
  REQUIRE(made.status == 200);
  const Json key = made.json();
  CHECK(key.string_or("account") == fixture.first->account_id);
  CHECK(key.find("user")->is_null());
  const std::string id = key.string_or("access_key_id");
  const auto stored = fixture.object_keys->find(id);
  REQUIRE(stored != nullptr);
  CHECK(stored->secret == key.string_or("secret_access_key"));
  const auto listed = fixture.ask("GET", "/_security/object_key");
  CHECK(listed.json().find("object_keys")->as_array().size() == 2);
  CHECK(listed.body.find("secret") == std::string::npos);
}

TEST_CASE("object key routes: a key brings its account, user and policy with it") {
  Fixture fixture;
  const auto made =
      fixture.ask("POST", "/_security/object_key",
                R"({"account":"222222222222","user":"ann","policy":)" + std::string(reads) + "}");
  REQUIRE_MESSAGE(made.status == 200, made.body);
  CHECK(made.json().string_or("arn") == "arn:aws:iam::222222222222:user/ann");
  const auto key = fixture.object_keys->find(made.json().string_or("access_key_id"));
  const auto caller = fixture.accounts->caller_of(*key);
  REQUIRE(caller != nullptr);
  CHECK(caller->policies.size() == 1);
  // Another one for the same user.
  CHECK(fixture.ask("POST", "/_security/object_key", R"({"account":"222222222222","user":"ann"})")
            .status == 200);
  CHECK(fixture.ask("GET", "/_security/object_key?account=222222222222&user=ann")
            .json()
            .find("object_keys")
            ->as_array()
            .size() == 2);
  const auto accounts = fixture.ask("GET", "/_security/object_account").json();
  CHECK(accounts.find("accounts")->as_array().size() == 2);
  CHECK(fixture.ask("GET", "/_security/object_account").body.find("s3:Get*") != std::string::npos);
}

TEST_CASE("object key routes: what is refused makes nothing") {
  Fixture fixture;
  const auto refused = [&](const std::string& body) {
    return status_and_reason(fixture.ask("POST", "/_security/object_key", body));
  };
  CHECK(refused(R"({"user":"ann","policy":{}})") ==
        "400 [policy] is refused: Missing required field Statement");
  CHECK(refused(R"({"user":"ann","policy":"no"})") ==
        "400 [policy] is refused: Policies must be valid JSON and the first byte must be '{'");
  CHECK(refused(R"({"policy":{}})").starts_with("400 [policy] bounds a user"));
  CHECK(refused(R"({"user":"a b"})").starts_with("400 a user's name must have"));
  CHECK(refused(R"({"account":"12"})").starts_with("400 [id] of an account must have 12 digits"));
  CHECK(refused(R"({"owner":"x"})").starts_with("400 "));
  CHECK(fixture.accounts->users(fixture.first->account_id).empty());
  CHECK(fixture.object_keys->all().size() == 1);
}

TEST_CASE("object key routes: keys become idle, active again, and go") {
  Fixture fixture;
  const std::string path = "/_security/object_key/" + fixture.first->access_key_id;
  CHECK(fixture.ask("PUT", path, R"({"active":false})").body == R"({"updated":true})");
  CHECK(!fixture.object_keys->find(fixture.first->access_key_id)->active);
  CHECK(fixture.ask("PUT", path, R"({"active":false})").body == R"({"updated":false})");
  CHECK(fixture.ask("PUT", path, R"({"active":true})").body == R"({"updated":true})");
  CHECK(status_and_reason(fixture.ask("PUT", path, "{}")) == "400 Required [active]");
  CHECK(fixture.ask("DELETE", path).body == R"({"acknowledged":true})");
  CHECK(fixture.ask("DELETE", path).status == 404);
  CHECK(fixture.ask("PUT", path, R"({"active":true})").status == 404);
}

TEST_CASE("object key routes: accounts, users and policies by themselves") {
  Fixture fixture;
  const auto made = fixture.ask("PUT", "/_security/object_account",
                              R"({"name":"team","id":"333333333333","email":"t@example.org"})");
  CHECK(made.json().string_or("id") == "333333333333");
  CHECK(made.json().string_or("canonical_id").size() == 64);
  CHECK(fixture.ask("PUT", "/_security/object_account", R"({"name":"team"})").status == 400);
  CHECK(fixture.ask("PUT", "/_security/object_account", "{}").status == 400);
  const std::string user = "/_security/object_account/333333333333/user/bob";
  CHECK(fixture.ask("PUT", user).json().string_or("name") == "bob");
  const auto with = fixture.ask("PUT", user, R"({"policies":{"p":)" + std::string(reads) + "}}");
  CHECK(with.json().find_path("policies.p.Version")->as_string() == "2012-10-17");
  CHECK(fixture.ask("PUT", user, R"({"policies":{"q":{}}})").status == 400);
  CHECK(fixture.ask("DELETE", user + "/policy/p").status == 200);
  CHECK(fixture.ask("DELETE", user + "/policy/p").status == 404);
  CHECK(fixture.ask("DELETE", user).status == 200);
  CHECK(fixture.ask("DELETE", user).status == 404);
  CHECK(fixture.ask("PUT", "/_security/object_account/444444444444/user/bob").status == 404);
}

TEST_CASE("object key routes: only who manages security") {
  Fixture fixture;
  const std::string reader = fixture.cluster_key("reader", R"(["read_security"])");
  const std::string other = fixture.cluster_key("other", R"(["manage_own_api_key"])");
  CHECK(fixture.ask("GET", "/_security/object_key", "", reader).status == 200);
  CHECK(fixture.ask("GET", "/_security/object_account", "", reader).status == 200);
  CHECK(fixture.ask("POST", "/_security/object_key", "{}", reader).status == 403);
  CHECK(fixture.ask("GET", "/_security/object_key", "", other).status == 403);
  CHECK(fixture.ask("POST", "/_security/object_key", "{}", other).status == 403);
}

}  // namespace
}  // namespace cairn::api::object_key_routes_test
