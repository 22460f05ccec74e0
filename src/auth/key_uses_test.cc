// SPDX-License-Identifier: Apache-2.0
#include "auth/key_uses.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "auth/last_use.h"
#include "format/json.h"
#include "store/memory_store.h"

namespace cairn::auth::key_uses_test {
namespace {

const os::Deadline soon = os::Deadline::never();

std::array<std::uint8_t, 16> v4(std::uint8_t last) { return {192, 0, 2, last}; }

struct UsesRig {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::unique_ptr<os::Random> random = os::seeded_random(5);
  std::unique_ptr<Keys> keys;
  std::unique_ptr<ObjectKeys> object_keys;
  std::unique_ptr<KeyUses> uses;

  UsesRig() { open(); }
  void open() {
    keys = std::move(Keys::open(*store, clock, *random, {}, soon).value());
    object_keys = std::move(
        ObjectKeys::open(*store, Seal(std::string(32, 'k')), clock, *random, soon).value());
    uses = std::move(KeyUses::open(*store, *keys, *object_keys, clock, soon).value());
  }
  std::string make() {
    Key admin;
    admin.id = "admin";
    admin.role_descriptors = *parse_json(
        R"({"a":{"cluster":["all"],"indices":[{"names":["*"],"privileges":["all"]}]}})");
    REQUIRE(admin.prepare().ok());
    return keys->create({.name = "k"}, admin, soon)->key->id;
  }
  LastUse& of(const std::string& id) { return *keys->get(id)->last_use; }
  std::string record() { return store->get("key-uses", soon)->bytes; }
};

}  // namespace

TEST_CASE("last use: the newest one and its address, of both families and without any") {
  LastUse last;
  CHECK(last.get().at_ms == 0);
  CHECK(last.is_due(7));
  last.note(7, v4(1), false);
  CHECK_FALSE(last.is_due(7));
  CHECK(last.get().at_ms == 7);
  CHECK(last.get().address == "192.0.2.1");
  last.note(8, {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true);
  CHECK(last.get().address == "2001:db8::1");
  last.note_without_address(9);
  CHECK(last.get().at_ms == 9);
  CHECK(last.get().address.empty());
  last.restore({.at_ms = 3, .address = "no address"});
  CHECK(last.get().address.empty());
}

TEST_CASE("last use: a time never comes with the address of another use") {
  LastUse last;
  std::atomic<bool> over = false;
  // The address is made of the time, so that a mixture shows.
  const auto noting = [&](std::uint8_t parity) {
    for (std::int64_t at = 2 + parity; !over; at += 2) {
      std::array<std::uint8_t, 16> address{};
      address.fill(static_cast<std::uint8_t>(1 + at % 200));
      last.note(at, address, true);
    }
  };
  std::thread even(noting, std::uint8_t{0}), odd(noting, std::uint8_t{1});
  for (int i = 0; i < 20'000; ++i) {
    const Use use = last.get();
    if (use.at_ms == 0) continue;
    LastUse wanted;
    std::array<std::uint8_t, 16> address{};
    address.fill(static_cast<std::uint8_t>(1 + use.at_ms % 200));
    wanted.note(1, address, true);
    REQUIRE(use.address == wanted.get().address);
  }
  over = true;
  even.join();
  odd.join();
}

TEST_CASE("key uses: what was written is known after a restart, of keys that have not ended") {
  UsesRig rig;
  const std::string one = rig.make(), two = rig.make(), unused = rig.make();
  const auto pair = rig.object_keys->create("ann", soon);
  REQUIRE(pair.ok());
  REQUIRE(rig.uses->write(soon).ok());
  rig.of(one).note(11, v4(1), false);
  rig.of(two).note(12, v4(2), false);
  (*pair)->last_use->note(13, v4(3), false);
  REQUIRE(rig.uses->write(soon).ok());
  rig.of(one).note(99, v4(9), false);  // not written
  REQUIRE(rig.keys->invalidate({.ids = {two}}, soon).ok());
  CHECK(rig.of(two).get().at_ms == 12);
  rig.open();
  CHECK(rig.of(one).get().at_ms == 11);
  CHECK(rig.of(one).get().address == "192.0.2.1");
  CHECK(rig.of(unused).get().at_ms == 0);
  CHECK(rig.object_keys->find((*pair)->access_key_id)->last_use->get().at_ms == 13);
  REQUIRE(rig.uses->write(soon).ok());
  CHECK(rig.record().find(two) == std::string::npos);
  CHECK(rig.record().find(one) != std::string::npos);
  const Json shown = rig.keys->get(one)->shown(false);
  CHECK(shown.find("last_used")->dump() == R"({"at":11,"address":"192.0.2.1"})");
  CHECK(rig.keys->get(unused)->shown(false).find("last_used") == nullptr);
}

TEST_CASE("hourly requests: counted by the hour, for a day, also where threads begin it together") {
  constexpr std::int64_t hour = HourlyRequests::hour_ms;
  HourlyRequests requests;
  CHECK(requests.get().empty());
  requests.add(100 * hour);
  requests.add(101 * hour - 1);
  requests.add(103 * hour, 5);
  REQUIRE(requests.get().size() == 2);
  CHECK(requests.get()[0].hour_ms == 100 * hour);
  CHECK(requests.get()[0].requests == 2);
  CHECK(requests.get()[1].hour_ms == 103 * hour);
  CHECK(requests.get()[1].requests == 5);
  requests.add(124 * hour);  // the same slot as hour 100, which is over
  requests.add(100 * hour);  // the clock went back: a slot stays with the newer hour
  requests.add(-1);
  REQUIRE(requests.get().size() == 2);
  CHECK(requests.get()[1].hour_ms == 124 * hour);
  CHECK(requests.get()[1].requests == 1);
  requests.add(200 * hour);  // what is a day older is told no more
  CHECK(requests.get().size() == 1);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) requests.add((1'000 + i / 1'000) * hour);
    });
  threads.clear();
  REQUIRE(requests.get().size() == 10);
  for (const auto& one : requests.get()) CHECK(one.requests == 4'000);
}

TEST_CASE("key uses: requests by the hour are known after a restart, and go on") {
  UsesRig rig;
  constexpr std::int64_t hour = HourlyRequests::hour_ms;
  const std::string id = rig.make();
  const auto pair = rig.object_keys->create("ann", soon);
  REQUIRE(pair.ok());
  rig.of(id).note(500 * hour, v4(1), false);
  rig.of(id).requests().add(500 * hour, 3);
  rig.of(id).requests().add(501 * hour, 4);
  (*pair)->last_use->note(500 * hour, v4(1), false);
  (*pair)->last_use->requests().add(500 * hour, 9);
  REQUIRE(rig.uses->write(soon).ok());
  rig.open();
  rig.of(id).requests().add(501 * hour);
  CHECK(shown_requests(&rig.of(id)).dump() ==
        R"([{"hour":1800000000,"requests":3},{"hour":1803600000,"requests":5}])");
  CHECK(shown_requests(rig.object_keys->find((*pair)->access_key_id)->last_use.get()).dump() ==
        R"([{"hour":1800000000,"requests":9}])");
  CHECK(shown_requests(nullptr).dump() == "[]");
}

TEST_CASE("key uses: a change of a key keeps its use, and nothing is written where none came") {
  UsesRig rig;
  const std::string id = rig.make();
  rig.make();  // another administrator's key
  rig.of(id).note(11, v4(1), false);
  REQUIRE(rig.keys->set_enabled(id, false, Key{}, soon).ok());
  CHECK(rig.of(id).get().at_ms == 11);
  rig.of(id).note(12, v4(1), false);
  REQUIRE(rig.uses->write(soon).ok());
  REQUIRE(rig.store->remove("key-uses", soon).ok());
  REQUIRE(rig.uses->write(soon).ok());
  CHECK_FALSE(rig.store->get("key-uses", soon).ok());
}

TEST_CASE("key uses: a damaged record is left, and the server starts") {
  UsesRig rig;
  const std::string id = rig.make();
  for (const char* text :
       {"", "{", "[]", R"({"api_keys":[]})", R"({"api_keys":{"a":[1]}})",
        R"({"api_keys":{"a":["x","y"]},"object_keys":{}})",
        R"({"api_keys":{},"object_keys":{},"api_key_requests":[]})",
        R"({"api_keys":{},"object_keys":{},"api_key_requests":{"a":[1,2]}})",
        R"({"api_keys":{},"object_keys":{},"object_key_requests":{"a":[[1,-2]]}})",
        R"({"api_keys":{},"object_keys":{},"api_key_requests":{"a":[[99999999,1]]}})",
        R"({"api_keys":{},"object_keys":{},"api_key_requests":{"a":[[9,1099511627776]]}})"}) {
    CAPTURE(text);
    REQUIRE(rig.store->put("key-uses", text, soon).ok());
    rig.open();
    rig.of(id).note(7, v4(1), false);
    REQUIRE(rig.uses->write(soon).ok());
    rig.open();
    CHECK(rig.of(id).get().at_ms == 7);
  }
}

}  // namespace cairn::auth::key_uses_test
