// SPDX-License-Identifier: Apache-2.0
#include "nodes/registry.h"

#include <doctest/doctest.h>

#include <memory>

#include "store/memory_store.h"

namespace cairn::nodes::registry_test {
namespace {

const os::Deadline never = os::Deadline::never();

struct Rig {
  std::string refused;  // the call that fails next
  std::unique_ptr<store::Store> memory =
      store::memory_store({.before = [this](std::string_view call, std::string_view) -> Status {
        if (call != refused) return ok_status();
        refused.clear();
        return Error{.kind = ErrorKind::unavailable, .message = "the answer is lost"};
      }});
  os::FakeClock clock;
  Registry a{*memory, clock, {.id = "a", .name = "first"}};
  Registry b{*memory, clock, {.id = "b", .name = "second"}};
};

std::string ids(Registry& registry) {
  std::string all;
  const auto nodes = registry.look(never);
  REQUIRE(nodes.ok());
  for (const NodeRecord& node : *nodes) all += node.id;
  return all;
}

TEST_CASE("registry: nodes see each other; who is silent is ended, and learns it") {
  Rig rig;
  REQUIRE(rig.a.renew(never).ok());
  REQUIRE(rig.b.renew(never).ok());
  CHECK(rig.a.holds());
  CHECK(ids(rig.a) == "ab");
  CHECK(ids(rig.b) == "ab");
  CHECK(read_nodes(*rig.memory, never)->size() == 2);
  rig.clock.advance_ms(14'999);
  CHECK(rig.b.holds());
  rig.clock.advance_ms(1);
  CHECK_FALSE(rig.b.holds());
  REQUIRE(rig.a.renew(never).ok());
  CHECK(ids(rig.a) == "ab");
  CHECK(rig.a.end_silent(never).value() == 0);
  rig.clock.advance_ms(3'750);
  CHECK(rig.a.end_silent(never).value() == 1);
  CHECK(ids(rig.a) == "a");
  CHECK(read_nodes(*rig.memory, never)->size() == 1);
  const Status late = rig.b.renew(never);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == ErrorKind::conflict);
  CHECK(late.error().message.find("second") != std::string::npos);
  CHECK(rig.b.has_ended());
  CHECK_FALSE(rig.b.holds());
  CHECK_FALSE(rig.b.renew(never).ok());
  // Its record goes by and by.
  rig.clock.advance_ms(600'000);
  REQUIRE(rig.a.renew(never).ok());
  CHECK(rig.a.end_silent(never).ok());
  CHECK(rig.memory->head("nodes/b", never).value() == std::nullopt);
}

TEST_CASE("registry: whoever renews after it was looked at is not ended") {
  Rig rig;
  REQUIRE(rig.a.renew(never).ok());
  REQUIRE(rig.b.renew(never).ok());
  CHECK(ids(rig.a) == "ab");
  rig.clock.advance_ms(20'000);
  REQUIRE(rig.b.renew(never).ok());
  CHECK(rig.a.end_silent(never).value() == 0);
  CHECK(rig.b.renew(never).ok());
  CHECK(ids(rig.a) == "ab");
}

TEST_CASE("registry: a node that leaves is gone at once; a second start is another node") {
  Rig rig;
  REQUIRE(rig.a.renew(never).ok());
  REQUIRE(rig.b.renew(never).ok());
  REQUIRE(rig.b.leave(never).ok());
  CHECK(ids(rig.a) == "a");
  CHECK_FALSE(rig.b.holds());
  Registry again(*rig.memory, rig.clock, {.id = "a", .name = "a copy"});
  CHECK_FALSE(again.renew(never).ok());
  CHECK_FALSE(again.holds());
}

TEST_CASE("registry: a renewal that fails changes nothing, and the next one counts") {
  Rig rig;
  rig.refused = "put";
  CHECK_FALSE(rig.a.renew(never).ok());
  CHECK_FALSE(rig.a.holds());
  REQUIRE(rig.a.renew(never).ok());
  CHECK(rig.a.holds());
  rig.refused = "put";
  CHECK_FALSE(rig.a.renew(never).ok());
  CHECK(rig.a.holds());
  rig.refused = "get";  // which settles it
  CHECK_FALSE(rig.a.renew(never).ok());
  REQUIRE(rig.a.renew(never).ok());
  CHECK_FALSE(rig.a.has_ended());
}

TEST_CASE("registry: a record that is damaged is told, and its node is not taken for gone") {
  Rig rig;
  REQUIRE(rig.a.renew(never).ok());
  REQUIRE(rig.memory->put("nodes/b", "{", never).ok());
  const auto nodes = rig.a.look(never).value();
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[1].id == "b");
  CHECK(nodes[1].draining);
  rig.clock.advance_ms(20'000);
  CHECK(rig.a.end_silent(never).value() == 1);
  CHECK(ids(rig.a) == "a");
}

TEST_CASE("registry: a node whose process is gone from this machine is ended at once") {
  Rig rig;
  os::ProcessIdentity gone{.host = "h", .machine = "this one", .pid = 7, .started = "1"};
  Registry killed(*rig.memory, rig.clock, {.id = "k", .name = "killed", .process = gone});
  Registry watcher(*rig.memory, rig.clock, {.id = "w"},
                   {.is_gone = [&](const auto& process) { return process == gone; }});
  REQUIRE(killed.renew(never).ok());
  REQUIRE(watcher.renew(never).ok());
  REQUIRE(rig.a.renew(never).ok());
  CHECK(ids(rig.a) == "akw");
  CHECK(rig.a.end_silent(never).value() == 0);  // another machine cannot know
  CHECK(ids(watcher) == "akw");
  CHECK(watcher.end_silent(never).value() == 1);
  CHECK(ids(watcher) == "aw");
  CHECK_FALSE(killed.renew(never).ok());
}

/// A machine that slept: its steady clock stood still meanwhile.
class SleepyClock final : public os::Clock {
 public:
  std::int64_t unix_ms() const override { return 1'700'000'000'000 + slept_ms; }
  std::int64_t steady_ns() const override { return 1; }
  std::int64_t slept_ms = 0;
};

TEST_CASE("registry: whoever slept through its lease has lost it, though its steady clock stood") {
  const auto memory = store::memory_store();
  SleepyClock clock;
  Registry node(*memory, clock, {.id = "n"});
  REQUIRE(node.renew(never).ok());
  CHECK(node.holds_for_ms() == 15'000);
  clock.slept_ms = 15'000;
  CHECK_FALSE(node.holds());
}

TEST_CASE("registry: a record keeps what its node says of its machine") {
  Rig rig;
  const NodeFigures figures{.pid = 4711,
                            .running_ms = 61'000,
                            .disk_total_bytes = 1ull << 41,
                            .disk_free_bytes = 3,
                            .disk_available_bytes = 2,
                            .memory_total_bytes = 1ull << 35,
                            .memory_used_bytes = 1ull << 34,
                            .load = {0.5, 1.25, 12}};
  rig.b.set_figures(figures);
  REQUIRE(rig.b.renew(never).ok());
  const auto nodes = rig.a.look(never).value();
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].figures == figures);
  CHECK(decode_node_record(encode(nodes[0]), "nodes/b").value() == nodes[0]);
}

}  // namespace
}  // namespace cairn::nodes::registry_test
