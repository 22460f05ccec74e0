// SPDX-License-Identifier: Apache-2.0
#include "nodes/ownership.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "store/memory_store.h"

namespace cairn::nodes::ownership_test {
namespace {

const os::Deadline never = os::Deadline::never();

/// Nodes that share one shard.
struct Rig {
  std::unique_ptr<store::Store> store = store::memory_store();
  os::FakeClock clock;
  std::string said;      // what the owners were told, in order
  bool is_ready = true;  // to give the shard away
  std::shared_ptr<const ShardNames> shards = std::make_shared<ShardNames>(ShardNames{"all"});

  std::unique_ptr<Ownership> node(const std::string& id) {
    OwnershipEvents events{.gained = [this, id](const auto&, std::uint64_t) { said += "+" + id; },
                           .finish = [this](const auto&) { return is_ready; },
                           .lost = [this, id](const auto&) { said += "-" + id; }};
    return std::make_unique<Ownership>(
        *store, clock, NodeRecord{.id = id, .name = id}, [this] { return shards; },
        std::move(events));
  }
  template <class... Nodes>
  void steps(int count, Nodes&... nodes) {
    for (int i = 0; i < count; ++i) {
      const bool fine = (nodes.step(never).ok() && ...);
      CHECK(fine);
      clock.advance_ms(1'000);
    }
  }
};

TEST_CASE("ownership: who is told to drain gives all away, and takes nothing until it is told so") {
  Rig rig;
  const auto a = rig.node("a");
  rig.steps(2, *a);
  const auto b = rig.node("b");
  rig.steps(6, *a, *b);
  CHECK(rig.said == "+a");
  CHECK(a->may_change("all"));
  REQUIRE(b->set_draining("a", true, never).ok());
  REQUIRE(b->set_draining("a", true, never).ok());  // said twice is said once
  rig.is_ready = false;
  CHECK_FALSE(a->is_moving());
  rig.steps(8, *a, *b);
  CHECK(rig.said == "+a");
  CHECK(b->nodes()[0].draining);
  CHECK(a->is_moving());
  rig.is_ready = true;
  rig.steps(8, *a, *b);
  CHECK(rig.said == "+a-a+b");
  CHECK(a->owner_of("all") == "b");
  // With both drained nobody could go on, so it stays.
  REQUIRE(a->set_draining("b", true, never).ok());
  rig.steps(8, *a, *b);
  CHECK(b->may_change("all"));
  REQUIRE(a->set_draining("a", false, never).ok());
  rig.steps(12, *a, *b);
  CHECK(rig.said == "+a-a+b-b+a");
}

TEST_CASE("ownership: nobody drains a node that is not there") {
  Rig rig;
  const auto a = rig.node("a");
  rig.steps(2, *a);
  const Status drained = a->set_draining("b", true, never);
  REQUIRE_FALSE(drained.ok());
  CHECK(drained.error().kind == ErrorKind::not_found);
}

TEST_CASE("ownership: what was said of a node that is gone is forgotten") {
  Rig rig;
  const auto a = rig.node("a");
  auto b = rig.node("b");
  rig.steps(4, *a, *b);
  const std::string owner = a->owner_of("all");
  REQUIRE(a->set_draining("b", true, never).ok());
  rig.steps(8, *a, *b);
  REQUIRE(b->leave(never).ok());
  b.reset();
  rig.steps(8, *a);
  const auto table = decode_ownership_table(rig.store->get("owners", never)->bytes, "owners");
  REQUIRE(table.ok());
  CHECK(table->draining.empty());
}

TEST_CASE("ownership: a node that leaves in order is followed with the next step") {
  Rig rig;
  const auto a = rig.node("a");
  const auto b = rig.node("b");
  rig.steps(2, *a);
  rig.steps(4, *a, *b);
  REQUIRE(a->leave(never).ok());
  CHECK_FALSE(a->may_change("all"));
  rig.steps(2, *b);
  CHECK(b->may_change("all"));
  CHECK_FALSE(b->is_moving());
}

}  // namespace
}  // namespace cairn::nodes::ownership_test
