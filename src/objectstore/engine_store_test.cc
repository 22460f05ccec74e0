// SPDX-License-Identifier: Apache-2.0
#include "objectstore/engine_store.h"

#include <doctest/doctest.h>

#include <random>

#include "base/encode.h"
#include "base/hash.h"
#include "objectstore/cipher.h"
#include "objectstore/engine_rig_test.h"
#include "store/store_contract.h"

namespace engine_store_test {

using namespace cairn;
using namespace cairn::objectstore;
using namespace cairn::objectstore::testing;

namespace {

struct Rig : EngineHost {
  Rig() {
    start();
  }
};

std::string all_bytes_below(os::FakeFiles& files, const std::string& folder) {
  std::string all;
  for (const std::string& name : must(files.list(folder))) {
    const std::string path = folder + "/" + name;
    all += must(files.info(path)).is_directory ? all_bytes_below(files, path)
                                               : must(os::read_file(files, path, 64u << 20));
  }
  return all;
}

}  // namespace

TEST_CASE("engine store: a reserved bucket keeps the contract of a store, and over a restart") {
  Rig rig;
  {
    auto store = reserved_store(*rig.engine, ".cairn-index");
    REQUIRE(store.ok());
    store::check_store_contract(**store, std::random_device{}());
    REQUIRE((*store)->put("kept", "bytes", never).ok());
  }
  rig.start();
  auto store = reserved_store(*rig.engine, ".cairn-index");
  CHECK((*store)->get("kept", never)->bytes == "bytes");
}

TEST_CASE("engine store: a user's bucket below a prefix keeps the contract of a store") {
  Rig rig;
  CHECK(bucket_store(*rig.engine, "backups").error().kind == ErrorKind::not_found);
  CHECK(bucket_store(*rig.engine, "backups").error().code.empty());
  REQUIRE(rig.engine->create_bucket({.name = "backups"}, never).ok());
  REQUIRE(rig.engine->put({"backups", "repo"}, "outside", {}, never).ok());
  REQUIRE(rig.engine->put({"backups", "repo0"}, "outside", {}, never).ok());
  auto store = bucket_store(*rig.engine, "backups", "repo/");
  REQUIRE(store.ok());
  // Keys of 1,024 bytes do not fit below a prefix; the other checks hold.
  store::check_reading(**store);
  store::check_conditions(**store);
  store::check_copying(**store);
  store::check_uploads(**store);
  store::check_listing(**store);
  store::check_deadlines(**store);
  store::check_contention(**store);
  store::check_against_map(**store, std::random_device{}(), 500);
  CHECK((*store)->list({}, never)->objects.empty());

  // What it puts are objects of the service, with the ETag that its clients compute.
  REQUIRE((*store)->put("index-0", "snapshot", never).ok());
  auto upload = (*store)->begin_upload("blob", never);
  REQUIRE((*upload)->write(std::string(100'000, 'b')).ok());
  REQUIRE((*upload)->finish().ok());
  CHECK(rig.engine->head({"backups", "repo/index-0"}, never)->etag == to_hex(md5("snapshot")));
  CHECK(rig.engine->head({"backups", "repo/blob"}, never)->etag ==
        to_hex(md5(std::string(100'000, 'b'))));
  CHECK((*store)->list({}, never)->objects.at(1).key == "index-0");
}

TEST_CASE("engine store: only reserved buckets that exist are given") {
  Rig rig;
  CHECK(reserved_store(*rig.engine, "photos").error().kind == ErrorKind::not_found);
  CHECK(reserved_store(*rig.engine, ".cairn-else").error().kind == ErrorKind::not_found);
  for (const std::string_view name : reserved_buckets)
    CHECK(reserved_store(*rig.engine, name).ok());
  CHECK(bucket_store(*rig.engine, ".cairn-auth").error().kind == ErrorKind::not_found);
}

TEST_CASE("engine store: a sealed store keeps its contract, and no body in the clear") {
  MasterKeyRing ring{std::string(32, 'k')};
  EngineHost host;
  host.options.key_ring = &ring;
  host.start();
  const s3::Encryption sealed{.method = s3::EncryptionMethod::aes256};
  const std::string secret = "the name of an object", plain = "what nobody hides";
  auto store = must(sealed_store(*host.engine, ".cairn-tables", {}, sealed));
  store::check_store_contract(*store, std::random_device{}(), 200);
  auto open = must(reserved_store(*host.engine, ".cairn-tables", "u/"));
  for (const std::size_t times : {1, 20'000}) {
    std::string body, shown;
    for (std::size_t i = 0; i < times; ++i) body += secret, shown += plain;
    REQUIRE(store->put("k" + std::to_string(times), body, never).ok());
    REQUIRE(open->put("k" + std::to_string(times), shown, never).ok());
  }
  host.engine.reset();
  const std::string disk = all_bytes_below(host.files, "/data");
  CHECK(disk.find(secret) == std::string::npos);
  CHECK(disk.find(plain) != std::string::npos);
  host.start();
  store = must(sealed_store(*host.engine, ".cairn-tables", {}, sealed));
  CHECK(must(store->get("k1", never)).bytes == secret);
  CHECK(must(store->get("k20000", never, {.offset = secret.size() * 19'999})).bytes == secret);
  REQUIRE(store->copy("k20000", "copy", never).ok());
  CHECK(must(store->get("copy", never)).bytes.size() == secret.size() * 20'000);
}

TEST_CASE("engine store: an upload is finished once") {
  Rig rig;
  auto store = reserved_store(*rig.engine, ".cairn-models");
  auto upload = (*store)->begin_upload("m", never);
  REQUIRE((*upload)->finish().ok());
  CHECK((*upload)->finish().error().kind == ErrorKind::conflict);
}

}  // namespace engine_store_test
