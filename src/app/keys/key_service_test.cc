// SPDX-License-Identifier: Apache-2.0
// Keys of the key service under the bodies of a real engine.
#include "app/keys/key_service.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "objectstore/engine.h"
#include "objectstore/engine_store.h"
#include "os/fake/fake_files.h"

namespace key_service_test {

using namespace cairn;
using namespace cairn::app;

namespace {

const os::Deadline never = os::Deadline::never();
const std::string account = "111111111111";
const std::string body(100'000, 'b');

/// As the app builds it: the keys lie in the engine that asks for them.
struct Rig {
  os::FakeFiles files;
  os::FakeClock clock;
  KeyService service{os::system_random()};
  std::unique_ptr<objectstore::Engine> engine;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<auth::EncryptionKeys> keys;

  Rig() { start(); }
  void start() {
    keys.reset();
    store.reset();
    engine.reset();
    auto opened = objectstore::Engine::open(
        {.data_dir = "/data", .key_ring = &service, .files = &files, .clock = &clock});
    REQUIRE_MESSAGE(opened.ok(), opened.error().message);
    engine = std::move(*opened);
    store = std::move(objectstore::reserved_store(*engine, ".cairn-auth").value());
    keys = std::move(auth::EncryptionKeys::open({.store = *store,
                                                 .seal = auth::Seal(std::string(32, 'm')),
                                                 .region = "us-east-1",
                                                 .clock = clock,
                                                 .random = os::system_random()},
                                                never)
                         .value());
    service.attach(*keys);
  }
  Status put(std::string_view key, const s3::Encryption& how) {
    CAIRN_CHECK(engine->put({"bucket", key}, body, {.encryption = {.how = how}}, never));
    return ok_status();
  }
  std::string get(std::string_view key) {
    const auto reader = engine->get({"bucket", key}, {}, never);
    if (!reader.ok()) return reader.error().code;
    std::string all;
    for (auto piece = (*reader)->next();; piece = (*reader)->next()) {
      REQUIRE(piece.ok());
      if (piece->empty()) return all;
      all += *piece;
    }
  }
};

}  // namespace

TEST_CASE("key service: every way to encrypt reads back after a restart") {
  Rig rig;
  REQUIRE(rig.engine->create_bucket({.name = "bucket"}, never).ok());
  const std::string arn =
      rig.keys->arn_of(*rig.keys->create({.account_id = account}, never).value());
  const std::string by_default = rig.service.resolve("", account).value();
  using s3::EncryptionMethod;
  const std::pair<const char*, s3::Encryption> ways[] = {
      {"s3", {.method = EncryptionMethod::aes256}},
      {"kms", {.method = EncryptionMethod::kms, .kms_key_id = arn, .kms_context = "e30="}},
      {"default", {.method = EncryptionMethod::kms, .kms_key_id = by_default}},
      {"dsse", {.method = EncryptionMethod::kms_dsse, .kms_key_id = arn}}};
  for (const auto& [key, how] : ways) REQUIRE(rig.put(key, how).ok());
  rig.start();
  for (const auto& [key, how] : ways) {
    CAPTURE(key);
    CHECK((rig.get(key) == body));
  }
  // Nothing of the bodies lies on the disk as it is.
  for (int folder = 0; folder < 256; ++folder) {
    char name[3];
    std::snprintf(name, sizeof name, "%02x", folder);
    const std::string path = std::string("/data/objects/extents/") + name;
    const auto names = rig.files.list(path);
    if (!names.ok()) continue;
    for (const auto& file : *names)
      CHECK(os::read_file(rig.files, path + "/" + file, 1 << 20)->find("bbbbbbbb") ==
            std::string::npos);
  }
}

TEST_CASE("key service: a disabled key opens nothing, and nothing opens under another context") {
  Rig rig;
  REQUIRE(rig.engine->create_bucket({.name = "bucket"}, never).ok());
  const auto key = rig.keys->create({.account_id = account}, never).value();
  const s3::Encryption how{.method = s3::EncryptionMethod::kms,
                           .kms_key_id = rig.keys->arn_of(*key)};
  REQUIRE(rig.put("k", how).ok());
  REQUIRE(rig.keys->set_enabled(key->id, false, never).ok());
  CHECK(rig.get("k") == "KMS.DisabledException");
  CHECK(rig.put("k2", how).error().code == "KMS.DisabledException");
  REQUIRE(rig.keys->set_enabled(key->id, true, never).ok());
  CHECK((rig.get("k") == body));
  const std::string sealed = rig.service.seal(how, "data key").value();
  CHECK(rig.service.unseal(how, sealed).value() == "data key");
  s3::Encryption other = how;
  other.kms_context = "e30=";
  CHECK(rig.service.unseal(other, sealed).error().kind == ErrorKind::corrupt);
}

TEST_CASE("F07: of a million data keys that are sealed under one key no nonce comes twice") {
  constexpr std::size_t many = 1'000'000, nonce_bytes = 12;
  Rig rig;
  std::vector<std::string> nonces(many);
  for (std::string& nonce : nonces)
    nonce = rig.service.seal({.method = s3::EncryptionMethod::aes256}, "data key")
                .value()
                .substr(0, nonce_bytes);
  std::sort(nonces.begin(), nonces.end());
  CHECK(std::adjacent_find(nonces.begin(), nonces.end()) == nonces.end());
}

TEST_CASE("key service: before its keys are there nothing is sealed") {
  KeyService service(os::system_random());
  CHECK(service.seal({.method = s3::EncryptionMethod::aes256}, "x").error().kind ==
        ErrorKind::unavailable);
  CHECK(service.resolve("", account).error().kind == ErrorKind::unavailable);
}

}  // namespace key_service_test
