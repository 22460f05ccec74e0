// SPDX-License-Identifier: Apache-2.0
// A store on a real cluster: the contract, and a repository's objects as others see
// them. CAIRN_TEST_STORE names the place ("s3://bucket/{name}?endpoint=…"), AWS_* who signs.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "remotestore/cluster.h"
#include "store/store_contract.h"

using namespace cairn;
using namespace cairn::remotestore;

namespace {

const os::Deadline patience = os::Deadline::in_ms(500'000);

Place place_of(const std::string& test) {
  const char* const given = std::getenv("CAIRN_TEST_STORE");
  REQUIRE_MESSAGE(given != nullptr, "run by on_cluster.py");
  std::string url = given;
  const std::string name = test + "-" + std::to_string(::getpid());
  if (const auto at = url.find("{name}"); at != std::string::npos) url.replace(at, 6, name);
  const auto place = parse_place(url);
  REQUIRE_MESSAGE(place.ok(), (place.ok() ? std::string() : place.error().message));
  return *place;
}

std::unique_ptr<Cluster> open_cluster(const Place& place) {
  auto cluster = Cluster::open({.place = place, .access = {}});
  REQUIRE_MESSAGE(cluster.ok(), (cluster.ok() ? std::string() : cluster.error().message));
  return std::move(*cluster);
}

/// Nobody else writes at these places.
class Alone final : public Guard {
 public:
  Result<os::Deadline> check(const os::Deadline& deadline) const override { return deadline; }
};

}  // namespace

TEST_CASE("remote store on a cluster: keeps the contract for one who is alone") {
  const auto cluster = open_cluster(place_of("contract"));
  const Alone alone;
  const auto store = cluster->store("s/", {.guard = &alone});
  store::check_store_contract(*store, std::random_device{}(), 200);
}

TEST_CASE("remote store on a cluster: uploads in parts, and copies of what is large") {
  const auto cluster = open_cluster(place_of("parts"));
  const Alone alone;
  constexpr std::size_t part = 5u << 20;
  const auto store = cluster->store("s/", {.part_bytes = part, .guard = &alone});
  std::string bytes(2 * part + 12'345, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(i * 2'654'435'761u >> 13);
  const auto put = store->put("large", bytes, patience, {.if_none_match = true});
  REQUIRE_MESSAGE(put.ok(), (put.ok() ? std::string() : put.error().message));
  CHECK(store->get("large", patience)->bytes == bytes);
  CHECK(store->get("large", patience)->info.etag == put->etag);
  CHECK(store->get("large", patience, {.offset = part - 3, .count = 7})->bytes ==
        bytes.substr(part - 3, 7));
  CHECK(store->put("large", bytes, patience, {.if_none_match = true}).error().kind ==
        ErrorKind::precondition_failed);
  const auto copied = store->copy("large", "copy", patience, {.if_none_match = true});
  REQUIRE_MESSAGE(copied.ok(), (copied.ok() ? std::string() : copied.error().message));
  CHECK(store->get("copy", patience)->bytes == bytes);
  CHECK(store->get("copy", patience)->info.etag == copied->etag);
  CHECK(store->copy("large", "copy", patience, {.if_match = put->etag}).error().kind ==
        ErrorKind::precondition_failed);
  auto left = store->begin_upload("left", patience);
  REQUIRE((*left)->write(bytes).ok());
  const auto began = std::chrono::steady_clock::now();
  left->reset();
  MESSAGE("an upload was aborted in ",
          std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), " s");
  CHECK(store->remove_batch({"large", "copy", "left"}, patience).value() == 2);
}

TEST_CASE("remote store on a cluster: without marks, objects are what was put") {
  const Place place = place_of("plain");
  const auto store = open_store({.place = place, .access = {}});
  REQUIRE(store.ok());
  check_keys(**store);
  check_copying(**store);
  check_uploads(**store);
  check_listing(**store);
  check_contention(**store);
  REQUIRE((*store)->put("a/b", "bytes", patience).ok());
  const auto other = open_store({.place = place, .access = {}});
  CHECK((*other)->get("a/b", patience)->bytes == "bytes");
  CHECK((*other)->list({}, patience)->objects.at(0).size_bytes == 5);
  CHECK((*store)->remove("a/b", patience).value());
}

TEST_CASE("remote store on a cluster: of many who create one object at once, one does") {
  const auto store = open_store({.place = place_of("creators"), .access = {}});
  REQUIRE(store.ok());
  constexpr int threads = 6, objects = 40;
  std::vector<std::string> keys;
  for (int i = 0; i < objects; ++i) keys.push_back("k" + std::to_string(i));
  std::vector<std::atomic<int>> made(objects);
  std::atomic<int> refused{0};
  {
    std::vector<std::jthread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        for (int i = 0; i < objects; ++i) {
          const auto put =
              (*store)->put(keys[static_cast<std::size_t>(i)], "by " + std::to_string(t), patience,
                            {.if_none_match = true});
          if (put.ok()) ++made[static_cast<std::size_t>(i)];
          if (!put.ok() && put.error().kind == ErrorKind::precondition_failed) ++refused;
        }
      });
  }
  for (const auto& count : made) CHECK(count == 1);
  CHECK(refused == (threads - 1) * objects);
  CHECK((*store)->remove_batch(keys, patience).value() == keys.size());
}
