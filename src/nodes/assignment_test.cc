// SPDX-License-Identifier: Apache-2.0
#include "nodes/assignment.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "nodes/rendezvous.h"
#include "os/random.h"

namespace cairn::nodes::assignment_test {
namespace {

using Names = std::set<std::string, std::less<>>;

Names shard_names(std::size_t count) {
  Names names;
  for (std::size_t i = 0; i < count; ++i) names.insert("index/" + std::to_string(i));
  return names;
}

std::vector<NodeRecord> some_nodes(std::size_t count) {
  std::vector<NodeRecord> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back({.id = "node" + std::to_string(i)});
  return nodes;
}

/// As owners do it: what is to go has gone.
void hand_over(OwnershipTable& table) {
  for (auto& [shard, owner] : table.shards)
    if (!owner.next.empty()) owner = {.node = owner.next, .epoch = owner.epoch + 1};
  ++table.version;
}

/// Until nothing changes any more; how many changes of owners that took.
std::size_t settle(OwnershipTable& table, const std::vector<NodeRecord>& nodes, const Names& shards,
                   const AssignmentOptions& options = {}) {
  std::size_t changes = 0;
  for (int round = 0; round < 200; ++round) {
    auto next = assign(table, nodes, shards, options);
    if (!next) return changes;
    CHECK(next->version == table.version + 1);
    const OwnershipTable before = table;
    table = std::move(*next);
    hand_over(table);
    for (const auto& [shard, owner] : table.shards) {
      const auto was = before.shards.find(shard);
      if (was == before.shards.end() || was->second.node == owner.node) continue;
      CHECK(owner.epoch > was->second.epoch);
      ++changes;
    }
  }
  FAIL("it never settles");
  return changes;
}

std::map<std::string, std::size_t> loads(const OwnershipTable& table) {
  std::map<std::string, std::size_t> loads;
  for (const auto& [shard, owner] : table.shards) ++loads[owner.node];
  return loads;
}

void check_balance(const OwnershipTable& table, const std::vector<NodeRecord>& nodes) {
  double weights = 0;
  for (const NodeRecord& node : nodes) weights += node.draining ? 0 : node.weight;
  const auto found = loads(table);
  for (const NodeRecord& node : nodes) {
    const double share =
        node.draining ? 0 : static_cast<double>(table.shards.size()) * node.weight / weights;
    const auto load = found.find(node.id);
    const double have = load == found.end() ? 0 : static_cast<double>(load->second);
    CAPTURE(node.id);
    CAPTURE(share);
    CAPTURE(have);
    CHECK(std::abs(have - share) <= 0.05 * share + 1);
  }
}

TEST_CASE("rendezvous: weights are shares, and who goes takes no other's place") {
  const char* const nodes[] = {"a", "b", "c", "d"};
  const std::uint32_t weights[] = {1, 1, 2, 4};
  std::size_t first[4] = {}, moved = 0;
  for (int i = 0; i < 16'000; ++i) {
    const std::string shard = "shard" + std::to_string(i);
    std::size_t best = 0, without_d = 0;
    for (std::size_t n = 1; n < 4; ++n) {
      if (score(shard, nodes[n], weights[n]) > score(shard, nodes[best], weights[best])) best = n;
      if (n < 3 &&
          score(shard, nodes[n], weights[n]) > score(shard, nodes[without_d], weights[without_d]))
        without_d = n;
    }
    ++first[best];
    if (best != 3 && best != without_d) ++moved;
  }
  CHECK(moved == 0);
  for (std::size_t n = 0; n < 4; ++n)
    CHECK(std::abs(static_cast<double>(first[n]) - 2000.0 * weights[n]) < 250);
}

TEST_CASE("assignment: every shard has an owner, and loads are shares") {
  for (const std::size_t shards : {0, 1, 2, 3, 10, 1000})
    for (const std::size_t count : {1, 2, 3, 7, 20}) {
      CAPTURE(shards);
      CAPTURE(count);
      OwnershipTable table;
      auto nodes = some_nodes(count);
      settle(table, nodes, shard_names(shards));
      CHECK(table.shards.size() == shards);
      check_balance(table, nodes);
      if (count < 2) continue;
      nodes[0].weight = 3;
      settle(table, nodes, shard_names(shards));
      check_balance(table, nodes);
    }
}

TEST_CASE("assignment: a node that comes or goes moves little more than its share") {
  OwnershipTable table;
  auto nodes = some_nodes(20);
  const Names shards = shard_names(2000);
  settle(table, nodes, shards);
  nodes.push_back({.id = "late"});
  const std::size_t came = settle(table, nodes, shards);
  check_balance(table, nodes);
  CHECK(came <= 110);  // 95 are its share
  nodes.pop_back();
  const std::size_t went = settle(table, nodes, shards);
  check_balance(table, nodes);
  CHECK(went <= 130);
  CHECK(settle(table, nodes, shards) == 0);
}

TEST_CASE("assignment: what a node owned that is gone goes at once, elsewhere in two steps") {
  OwnershipTable table{.version = 7,
                       .shards = {{"index/0", {.node = "gone", .epoch = 4}},
                                  {"index/1", {.node = "gone", .epoch = 9, .next = "node1"}},
                                  {"index/2", {.node = "node0", .epoch = 2, .next = "gone"}}}};
  auto next = assign(table, some_nodes(2), shard_names(3));
  REQUIRE(next);
  CHECK(next->version == 8);
  CHECK(next->shards.at("index/0").epoch == 5);
  CHECK(next->shards.at("index/0").next.empty());
  CHECK(next->shards.at("index/1") == Owner{.node = "node1", .epoch = 10});
  CHECK(next->shards.at("index/2") == Owner{.node = "node0", .epoch = 2});
  CHECK_FALSE(assign(*next, some_nodes(2), shard_names(3)));
}

TEST_CASE("assignment: a draining node keeps what it owns until it has given it away") {
  OwnershipTable table;
  auto nodes = some_nodes(3);
  const Names shards = shard_names(60);
  settle(table, nodes, shards);
  nodes[1].draining = true;
  const auto next = assign(table, nodes, shards);
  REQUIRE(next);
  for (const auto& [shard, owner] : next->shards) {
    CHECK(owner.node == table.shards.at(shard).node);
    CHECK(owner.next.empty() == (owner.node != "node1"));
  }
  table = *next;
  hand_over(table);
  settle(table, nodes, shards);
  check_balance(table, nodes);
  // Nobody else is there: it keeps them.
  for (NodeRecord& node : nodes) node.draining = true;
  CHECK_FALSE(assign(table, nodes, shards));
}

TEST_CASE("assignment: shards come and go; few move at one time") {
  OwnershipTable table;
  const auto nodes = some_nodes(4);
  settle(table, nodes, shard_names(100));
  settle(table, nodes, shard_names(40));
  CHECK(table.shards.size() == 40);
  check_balance(table, nodes);
  auto more = nodes;
  more.push_back({.id = "late", .weight = 4});
  const auto next = assign(table, more, shard_names(40), {.moves_max = 3});
  REQUIRE(next);
  std::size_t moving = 0;
  for (const auto& [shard, owner] : next->shards) moving += owner.next.empty() ? 0 : 1;
  CHECK(moving == 3);
  CHECK_FALSE(assign(*next, more, shard_names(40), {.moves_max = 3}));
  settle(table, more, shard_names(40), {.moves_max = 3});
  check_balance(table, more);
}

TEST_CASE("table of owners: what was written reads back, and nothing else") {
  const OwnershipTable table{
      .version = 3,
      .shards = {{"a/0", {}},
                 {"a/1", {.node = "x", .epoch = 18'000'000'000'000'000'000u}},
                 {"b\"/0", {.node = "y", .epoch = 2, .next = "x"}}},
      .draining = {"gone", "y"}};
  CHECK(decode_ownership_table(encode(table), "owners").value() == table);
  const std::string good =
      R"({"version":1,"nodes":["x"],"shards":["a","b"],"owners":[0,-1],"epochs":[1,2],"moves":[[1,0]],"draining":[0]})";
  REQUIRE(decode_ownership_table(good, "owners").ok());
  std::vector<std::string> bad = {"", "{}", "[]", "1"};
  // Each has one thing in another form.
  for (const auto& [part, instead] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("version":1)", R"("version":-1)"},
           {R"(["x"])", R"([])"},
           {R"(["x"])", R"([1])"},
           {R"(["x"])", R"([""])"},
           {R"(["x"])", R"({})"},
           {R"(["a","b"])", R"(["a","a"])"},
           {R"(["a","b"])", R"(["b","a"])"},
           {R"(["a","b"])", R"(["a"])"},
           {R"(["a","b"])", R"(["a",1])"},
           {R"([0,-1])", R"([0,-2])"},
           {R"([0,-1])", R"([0,1])"},
           {R"([0,-1])", R"([0,"0"])"},
           {R"([0,-1])", R"([0])"},
           {R"([1,2])", R"([1,-2])"},
           {R"([1,2])", R"([1,2,3])"},
           {R"([[1,0]])", R"([[2,0]])"},
           {R"([[1,0]])", R"([[1,1]])"},
           {R"([[1,0]])", R"([[1,-1]])"},
           {R"([[1,0]])", R"([[1]])"},
           {R"([[1,0]])", R"([1,0])"},
           {R"("draining":[0])", R"("draining":[1])"},
           {R"("draining":[0])", R"("draining":["x"])"},
           {R"("draining":[0])", R"("drained":[0])"}}) {
    std::string text = good;
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    bad.push_back(text.replace(at, std::string_view(part).size(), instead));
  }
  for (const std::string& text : bad) {
    CAPTURE(text);
    const auto read = decode_ownership_table(text, "owners");
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == ErrorKind::corrupt);
    CHECK(read.error().message.find("[owners]") != std::string::npos);
  }
  const NodeRecord node{.id = "i",
                        .name = "n",
                        .address = "http://h:1",
                        .version = "0.1.0",
                        .weight = 7,
                        .started_ms = 5,
                        .leaving = true,
                        .draining = true,
                        .beat = 9,
                        .ended_by = "other"};
  CHECK(decode_node_record(encode(node), "nodes/i").value() == node);
  CHECK(decode_node_record("{\"id\":1}", "nodes/i").error().kind == ErrorKind::corrupt);
}

}  // namespace
}  // namespace cairn::nodes::assignment_test
