// SPDX-License-Identifier: Apache-2.0
#include "store/update.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "store/memory_store.h"

namespace cairn::store::update_test {
namespace {

const os::Deadline never = os::Deadline::never();

Change add_one() {
  return [](const Object* current) -> Result<std::optional<std::string>> {
    return std::optional<std::string>(std::to_string(current ? std::stoi(current->bytes) + 1 : 1));
  };
}

}  // namespace

TEST_CASE("update: makes, changes, and leaves as it is") {
  const auto store = memory_store();
  const auto made = update(*store, "n", add_one(), never);
  REQUIRE(made.ok());
  REQUIRE(made->has_value());
  const auto changed = update(*store, "n", add_one(), never);
  REQUIRE(changed.ok());
  CHECK((*changed)->etag != (*made)->etag);
  CHECK(store->get("n", never)->bytes == "2");
  const auto left = update(
      *store, "n", [](const Object*) { return Result<std::optional<std::string>>(std::nullopt); },
      never);
  REQUIRE(left.ok());
  CHECK_FALSE(left->has_value());
  CHECK(store->get("n", never)->bytes == "2");
}

TEST_CASE("update: no change of many side by side is lost") {
  const auto store = memory_store();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&store] {
      for (int j = 0; j < 50; ++j)
        while (!update(*store, "n", add_one(), never).ok()) continue;
    });
  for (auto& thread : threads) thread.join();
  CHECK(store->get("n", never)->bytes == "200");
}

TEST_CASE("update: one that others always forestall ends with a conflict") {
  std::unique_ptr<Store> store;
  bool inside = false;
  store = memory_store({.before = [&](std::string_view call, std::string_view key) {
    if (call == "put" && !inside) {
      inside = true;
      REQUIRE(store->put(key, "0", never).ok());
      inside = false;
    }
    return ok_status();
  }});
  const auto refused = update(*store, "n", add_one(), never);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == ErrorKind::conflict);
  CHECK(refused.error().message.find("[n]") != std::string::npos);
}

TEST_CASE("update: errors of the change and of the store come through") {
  bool down = false;
  const auto store = memory_store({.before = [&](std::string_view, std::string_view) {
    return down ? Status(Error{ErrorKind::unavailable, {}, "down"}) : ok_status();
  }});
  const auto refused = update(
      *store, "n",
      [](const Object*) -> Result<std::optional<std::string>> {
        return Error{ErrorKind::not_found, {}, "no"};
      },
      never);
  CHECK(refused.error().kind == ErrorKind::not_found);
  down = true;
  CHECK(update(*store, "n", add_one(), never).error().kind == ErrorKind::unavailable);
}

}  // namespace cairn::store::update_test
