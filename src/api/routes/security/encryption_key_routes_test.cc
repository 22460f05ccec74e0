// SPDX-License-Identifier: Apache-2.0
// Encryption keys over HTTP.
#include "api/routes/security/encryption_key_routes.h"

#include <doctest/doctest.h>

#include "api/testing.h"

namespace cairn::api::encryption_key_routes_test {
namespace {

const os::Deadline never = os::Deadline::never();

struct Fixture : DispatcherFixture {
  auth::Seal seal{std::string(32, 'k')};
  std::unique_ptr<auth::EncryptionKeys> encryption_keys = std::move(
      auth::EncryptionKeys::open(
          {.store = *store, .seal = seal, .region = "us-east-1", .clock = clock, .random = *random},
          never)
          .value());

  Fixture() {
    Router router;
    add_encryption_key_routes(router, *accounts, *encryption_keys);
    serve(std::move(router));
  }
};

const std::string path = "/_security/encryption_key";

TEST_CASE("encryption keys over HTTP: made, shown without bytes, disabled, named anew") {
  Fixture fixture;
  const auto made = fixture.ask("POST", path, R"({"aliases":["photos"],"description":"for photos"})");
  REQUIRE(made.status == 200);
  const Json key = made.json();
  const std::string id = key.string_or("id");
  CHECK(key.string_or("arn") == "arn:aws:kms:us-east-1:" + fixture.first->account_id + ":key/" + id);
  CHECK(key.find("aliases")->dump() == R"(["alias/photos"])");
  CHECK(key.bool_or("enabled"));

  const auto listed = fixture.ask("GET", path);
  const Json all = listed.json();
  const auto& keys = all.find("encryption_keys")->as_array();
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].bool_or("default"));
  CHECK(keys[0].find("aliases")->dump() == R"(["alias/aws/s3"])");
  CHECK(keys[1].string_or("id") == id);
  CHECK(listed.body.find("material") == std::string::npos);
  CHECK(fixture.ask("GET", path + "?account=999999999999").json().find("encryption_keys")->dump() ==
        "[]");

  CHECK_FALSE(fixture.ask("PUT", path + "/" + id, R"({"enabled":false})").json().bool_or("enabled"));
  CHECK_FALSE(fixture.encryption_keys->find(id)->enabled);
  const auto renamed = fixture.ask("PUT", path + "/" + id,
                                 R"({"add_aliases":["b"],"remove_aliases":["alias/photos"]})");
  CHECK(renamed.json().find("aliases")->dump() == R"(["alias/b"])");
}

TEST_CASE("encryption keys over HTTP: what is refused") {
  Fixture fixture;
  CHECK(fixture.ask("POST", path, R"({"account":"999999999999"})").status == 404);
  CHECK(fixture.ask("POST", path, R"({"aliases":["alias/aws/s3"]})").status == 400);
  CHECK(fixture.ask("POST", path, R"({"aliases":["a"]})").status == 200);
  CHECK(fixture.ask("POST", path, R"({"aliases":["a"]})").status == 400);
  CHECK(fixture.ask("POST", path, R"({"colour":"red"})").status == 400);
  CHECK(fixture.ask("PUT", path + "/none", R"({"enabled":true})").status == 404);
  const std::string reader = fixture.cluster_key("reader", R"(["read_security"])");
  CHECK(fixture.ask("GET", path, {}, reader).status == 200);
  CHECK(fixture.ask("POST", path, "{}", reader).status == 403);
}

}  // namespace
}  // namespace cairn::api::encryption_key_routes_test
