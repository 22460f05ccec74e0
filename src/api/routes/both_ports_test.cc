// SPDX-License-Identifier: Apache-2.0
// One holder behind an API key and an access key, over HTTP.
#include <doctest/doctest.h>

#include "api/routes/security/object_key_routes.h"
#include "api/routes/security/security_routes.h"
#include "api/testing.h"

namespace cairn::api::both_ports_test {
namespace {

constexpr const char* reads =
    R"({"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}})";

struct Fixture : DispatcherFixture {
  Fixture() {
    Router router;
    add_security_routes(router, books);
    add_object_key_routes(router, books);
    router.add({.method = "GET",
                .path = "/{index}/_look",
                .operation = "look",
                .index_privilege = "read",
                .filters_indices = true},
               [](Call&) -> Result<Reply> { return Reply::json(Json::object()); });
    router.add({.method = "GET",
                .path = "/{index}/_count",
                .operation = "count",
                .index_privilege = "read"},
               [](Call&) -> Result<Reply> { return Reply::json(Json::object()); });
    router.add({.method = "POST",
                .path = "/{index}/_write",
                .operation = "write",
                .index_privilege = "write"},
               [](Call&) -> Result<Reply> { return Reply::json(Json::object()); });
    serve(std::move(router));
  }
  Json make(const std::string& body) {
    const auto made = ask("POST", "/_security/api_key", body);
    REQUIRE_MESSAGE(made.status == 200, made.body);
    return made.json();
  }
  static std::string header(const Json& made) { return "ApiKey " + made.string_or("encoded"); }
  int status(const Json& made, const std::string& path = "/_security/_authenticate") const {
    return ask("GET", path, "", header(made)).status;
  }
  bool signs(const Json& made) const {
    const auto pair = principals->find(made.find("objects")->string_or("access_key_id"));
    return pair != nullptr && pair->active && accounts->caller_of(*pair) != nullptr;
  }
  std::string refused(const std::string& body, const std::string& as = {}) const {
    return status_and_reason(ask("POST", "/_security/api_key", body, as));
  }
};

const std::string for_ann = R"({"name":"k","objects":{"user":"ann"}})";

TEST_CASE("both ports: a key with an access key, its account, user and policy") {
  Fixture fixture;
  const Json made = fixture.make(
      R"({"name":"k","objects":{"account":"222222222222","user":"ann","policy":)" +
      std::string(reads) + "}}");
  const Json* pair = made.find("objects");
  REQUIRE(pair != nullptr);
  CHECK(pair->string_or("arn") == "arn:aws:iam::222222222222:user/ann");
  CHECK(pair->string_or("secret_access_key").size() == 40);
  CHECK(pair->string_or("api_key") == made.string_or("id"));
  CHECK(fixture.signs(made));
  const auto who = fixture.ask("GET", "/_security/_authenticate", "", Fixture::header(made)).json();
  CHECK(who.string_or("username") == "ann");
  CHECK(who.find_path("metadata.principal")->as_string() == "arn:aws:iam::222222222222:user/ann");
  const auto shown =
      fixture.ask("GET", "/_security/api_key?id=" + made.string_or("id")).json();
  const Json& key = shown.find("api_keys")->as_array()[0];
  CHECK(key.string_or("access_key_id") == pair->string_or("access_key_id"));
  CHECK(key.find_path("metadata._cairn.identity.user")->as_string() == "ann");
  CHECK(fixture.ask("GET", "/_security/object_key").body.find(made.string_or("id")) !=
        std::string::npos);
  const auto holder = fixture.accounts->caller_of(
      *fixture.object_keys->find(pair->string_or("access_key_id")));
  CHECK(holder->policies.size() == 1);
  // Rights on this port are those that were named: none.
  CHECK(fixture.status(made, "/_security/object_key") == 403);
  CHECK(fixture.ask("POST", "/_security/api_key", R"({"name":"x"})", Fixture::header(made)).status ==
        403);
}

TEST_CASE("both ports: an access key that is there gets a key, whose secret it does not show") {
  Fixture fixture;
  const std::string id = fixture.first->access_key_id;
  const std::string body = R"({"name":"k","objects":{"access_key_id":")" + id + R"("}})";
  const Json made = fixture.make(body);
  CHECK(made.find("objects")->find("secret_access_key") == nullptr);
  CHECK(fixture.status(made) == 200);
  CHECK(fixture.signs(made));
  CHECK(fixture.ask("POST", "/_security/api_key", body).status == 409);
  CHECK(fixture.refused(R"({"name":"k","objects":{"access_key_id":"CKNONE"}})") ==
        "404 there is no access key [CKNONE]");
}

TEST_CASE("both ports: whichever is ended, both are") {
  Fixture fixture;
  for (const bool by_api : {true, false}) {
    const Json made = fixture.make(for_ann);
    const std::string pair = made.find("objects")->string_or("access_key_id");
    CHECK(fixture.status(made) == 200);
    CHECK(fixture.signs(made));
    const auto ended =
        by_api ? fixture.ask("DELETE", "/_security/api_key",
                             R"({"ids":[")" + made.string_or("id") + R"("]})")
               : fixture.ask("DELETE", "/_security/object_key/" + pair);
    CHECK(ended.status == 200);
    CHECK(fixture.status(made) == 401);
    CHECK_FALSE(fixture.signs(made));
    CHECK(fixture.object_keys->find(pair) == nullptr);
    CHECK(fixture.ask("DELETE", "/_security/object_key/" + pair).status == 404);
  }
}

TEST_CASE("both ports: an idle access key makes its API key idle") {
  Fixture fixture;
  const Json made = fixture.make(for_ann);
  const std::string path =
      "/_security/object_key/" + made.find("objects")->string_or("access_key_id");
  CHECK(fixture.ask("PUT", path, R"({"active":false})").status == 200);
  CHECK(fixture.status(made) == 401);
  CHECK_FALSE(fixture.signs(made));
  CHECK(fixture.ask("PUT", path, R"({"active":true})").status == 200);
  CHECK(fixture.status(made) == 200);
  CHECK(fixture.signs(made));
}

TEST_CASE("both ports: a user with keys stays") {
  Fixture fixture;
  const Json made = fixture.make(for_ann);
  const std::string user =
      "/_security/object_account/" + fixture.first->account_id + "/user/ann";
  CHECK(fixture.ask("DELETE", user).status == 409);
  CHECK(fixture.ask("DELETE", "/_security/api_key", R"({"id":")" + made.string_or("id") + R"("})")
            .status == 200);
  CHECK(fixture.ask("DELETE", user).status == 200);
}

TEST_CASE("both ports: a service is a user that is named so, and stays one") {
  Fixture fixture;
  const Json made =
      fixture.make(R"({"name":"k","objects":{"user":"shop","kind":"service"}})");
  CHECK(fixture.keys->get(made.string_or("id"))->counted_as.account == "service:shop");
  CHECK(fixture.ask("GET", "/_security/object_account").body.find(R"("kind":"service")") !=
        std::string::npos);
  CHECK(fixture.refused(R"({"name":"k","objects":{"user":"shop","kind":"user"}})")
            .starts_with("409 user [shop] of account ["));
  CHECK(fixture.refused(R"({"name":"k","objects":{"user":"shop","kind":"robot"}})") ==
        "400 [kind] of a user is [user] or [service], but was [robot]");
  CHECK(fixture.refused(R"({"name":"k","objects":{"kind":"service"}})") ==
        "400 [kind] is that of a user. Name a [user]");
}

TEST_CASE("both ports: who may not make access keys makes none, and what is refused makes nothing") {
  Fixture fixture;
  const std::string keys_only = fixture.cluster_key("keys", R"(["manage_api_key"])");
  const std::string own = fixture.cluster_key("own", R"(["manage_own_api_key"])");
  for (const auto& as : {keys_only, own})
    for (const std::string& body :
         {for_ann, std::string(R"({"name":"k","objects":{}})"),
          R"({"name":"k","objects":{"access_key_id":")" + fixture.first->access_key_id + R"("}})"})
      CHECK(fixture.refused(body, as).starts_with("403 action [cluster:admin/xpack/security/"));
  CHECK(fixture.refused(R"({"name":"","objects":{"user":"ann"}})").starts_with("400 "));
  CHECK(fixture.refused(R"({"name":"k","objects":{"user":"a b"}})").starts_with("400 "));
  CHECK(fixture.refused(R"({"name":"k","objects":{"policy":{}}})").starts_with("400 [policy] bounds"));
  CHECK(fixture.refused(R"({"name":"k","objects":{"user":"ann","policy":{}}})")
            .starts_with("400 [policy] is refused"));
  CHECK(fixture.refused(R"({"name":"k","objects":{"owner":"ann"}})").starts_with("400 "));
  CHECK(fixture.refused(R"({"name":"k","objects":"ann"})").starts_with("400 "));
  CHECK(fixture.refused(R"({"name":"k","objects":{"access_key_id":"CK","user":"ann"}})")
            .starts_with("400 [access_key_id] names an access key that is there"));
  CHECK(fixture.refused(R"({"name":"k","metadata":{"_cairn":{"identity":{"kind":"service"}}},
                            "objects":{"user":"ann"}})")
            .starts_with("400 [metadata._cairn.identity]"));
  CHECK(fixture.accounts->users(fixture.first->account_id).empty());
  CHECK(fixture.object_keys->all().size() == 1);
}

TEST_CASE("both ports: a key reads the tables that its holder's policies let it read, and no more") {
  Fixture fixture;
  const Json ann = fixture.make(for_ann);
  const Json bob = fixture.make(R"({"name":"k","objects":{"user":"bob"}})");
  const Json wide = fixture.make(R"({"name":"k","role_descriptors":{"r":{"indices":[
      {"names":[".objects-*"],"privileges":["read"]}]}}})");
  const Json all = fixture.make(R"({"name":"k","role_descriptors":{"r":{"indices":[
      {"names":["*"],"privileges":["read"]}]}}})");
  const Json other = fixture.make(R"({"name":"k","role_descriptors":{"r":{"indices":[
      {"names":["books"],"privileges":["read"]}]}}})");
  fixture.may_read = [](const auth::ObjectCaller& holder, std::string_view index) {
    return holder.username == "ann" && index == ".objects-journal-books";
  };
  const struct {
    const char* what;
    const Json& key;
    const char* path;
    int status;
  } rows[] = {
      {"allowed by policy", ann, "/.objects-journal-books/_count", 200},
      {"another table", ann, "/.objects-inventory-books/_count", 403},
      {"one of two", ann, "/.objects-journal-books,books/_count", 403},
      {"a pattern is no name", ann, "/.objects-*/_count", 403},
      {"a pattern is no name either", ann, "/.objects-journal-book%3F/_count", 403},
      {"everything", ann, "/_all/_count", 403},
      {"a pattern that is filtered", ann, "/.objects-*/_look", 200},
      {"another user", bob, "/.objects-journal-books/_count", 403},
      {"an index of that name alone", other, "/.objects-journal-books/_count", 403},
      {"a right to all that is not restricted", all, "/.objects-journal-books/_count", 403},
      {"a right to all others", all, "/books/_count", 200},
      {"explicit rights", wide, "/.objects-journal-books/_count", 200},
      {"explicit rights on all", wide, "/.objects-*/_count", 200},
  };
  for (const auto& row : rows) {
    CAPTURE(row.what);
    CHECK(fixture.ask("GET", row.path, "", Fixture::header(row.key)).status == row.status);
  }
  CHECK(fixture.ask("POST", "/.objects-journal-books/_write", "{}", Fixture::header(ann)).status ==
        403);
  // A key that ann's makes does not have her tables.
  const auto child = fixture.make(R"({"name":"m","objects":{"user":"ann"},"role_descriptors":{
      "r":{"cluster":["manage_own_api_key"]}}})");
  const auto made = fixture.ask("POST", "/_security/api_key",
                                R"({"name":"c","role_descriptors":{"r":{}}})", Fixture::header(child));
  REQUIRE_MESSAGE(made.status == 200, made.body);
  CHECK(fixture.status(child, "/.objects-journal-books/_count") == 200);
  CHECK(fixture.status(made.json(), "/.objects-journal-books/_count") == 403);
  const auto asked = fixture.ask(
      "POST", "/_security/user/_has_privileges",
      R"({"index":[{"names":[".objects-journal-books"],"privileges":["read","write"]}]})",
      Fixture::header(ann));
  CHECK(asked.body.find(R"({"read":true,"write":false})") != std::string::npos);
}

}  // namespace
}  // namespace cairn::api::both_ports_test
