// SPDX-License-Identifier: Apache-2.0
// Encryption keys over HTTP.
#include "api/routes/encryption_key_routes.h"

#include <doctest/doctest.h>

#include "api/dispatcher.h"
#include "api/memory_exchange.h"
#include "auth/keys.h"
#include "store/memory_store.h"

namespace cairn::api::encryption_key_routes_test {
namespace {

const os::Deadline never = os::Deadline::never();

struct Fixture {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(9);
  auth::Seal seal{std::string(32, 'k')};
  std::unique_ptr<auth::Keys> keys =
      std::move(auth::Keys::open(*store, clock, *random, {}, never).value());
  std::unique_ptr<auth::ObjectKeys> object_keys =
      std::move(auth::ObjectKeys::open(*store, seal, clock, *random, never).value());
  std::shared_ptr<const auth::ObjectKey> first = object_keys->create("admin", never).value();
  std::unique_ptr<auth::Accounts> accounts =
      std::move(auth::Accounts::open(*store, *object_keys, clock, *random, never).value());
  std::unique_ptr<auth::EncryptionKeys> encryption_keys = std::move(
      auth::EncryptionKeys::open(
          {.store = *store, .seal = seal, .region = "us-east-1", .clock = clock, .random = *random},
          never)
          .value());
  std::unique_ptr<gate::AuditLog> audit =
      std::move(gate::AuditLog::open(os::system_files(), clock, {}).value());
  gate::Gate gate{*keys, *audit};
  os::Metrics metrics;
  std::unique_ptr<Dispatcher> dispatcher;
  std::string admin = key("admin", R"(["all"])");

  Fixture() {
    Router router;
    add_encryption_key_routes(router, *accounts, *encryption_keys);
    dispatcher = std::make_unique<Dispatcher>(std::move(router), gate, metrics, Options{});
  }
  std::string key(const std::string& id, const std::string& cluster) {
    auth::Key record;
    record.id = id;
    record.name = id;
    record.username = id;
    record.role_descriptors = parse_json(R"({"r":{"cluster":)" + cluster + "}}").value();
    REQUIRE(keys->install(record, "secret", never).ok());
    return "ApiKey " + auth::encoded_key(id, "secret");
  }
  MemoryReply ask(const std::string& method, const std::string& target,
                  const std::string& body = {}, const std::string& as = {}) {
    MemoryRequest request{.method = method, .target = target, .body = body};
    request.headers.add("Authorization", as.empty() ? admin : as);
    return exchange_in_memory([this](net::Exchange& e) { dispatcher->answer(e); }, request);
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
  const std::string reader = fixture.key("reader", R"(["read_security"])");
  CHECK(fixture.ask("GET", path, {}, reader).status == 200);
  CHECK(fixture.ask("POST", path, "{}", reader).status == 403);
}

}  // namespace
}  // namespace cairn::api::encryption_key_routes_test
