// SPDX-License-Identifier: Apache-2.0
// Where allocations go: by processors, by memory, and the same for the same arguments.
#include "inference/placement/placement_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace cairn::inference::placement_plan_test {
namespace {

PlacedDeployment deployment(std::string id, std::int64_t allocations, std::int64_t threads = 1,
                            std::uint64_t bytes = 100) {
  return {.id = id,
          .model_id = "m-" + id,
          .model_bytes = bytes,
          .allocations = allocations,
          .threads = threads};
}

PlacementNode node(std::string id, std::size_t processors, std::uint64_t memory = 1'000'000) {
  return {.id = std::move(id), .processors = processors, .memory_bytes = memory};
}

std::int64_t elsewhere(const Placement& placement, const std::string& deployment) {
  std::int64_t out = 0;
  for (const auto& [id, there] : placement)
    if (const auto count = there.find(deployment); count != there.end()) out += count->second;
  return out;
}

TEST_CASE("placement: one allocation stays, further ones go where processors have least to do") {
  CHECK(plan_placement({deployment("a", 1)}, {node("x", 8)}, 2).empty());
  CHECK(plan_placement({deployment("a", 0)}, {node("x", 8)}, 2).empty());
  CHECK(plan_placement({deployment("a", 4)}, {}, 2).empty());
  CHECK(plan_placement({deployment("a", 2)}, {node("x", 2)}, 2) == Placement{{"x", {{"a", 1}}}});
  // Half of 8 where each machine has as much, and three quarters on one of three times as much.
  CHECK(plan_placement({deployment("a", 8)}, {node("x", 4)}, 4) == Placement{{"x", {{"a", 4}}}});
  CHECK(plan_placement({deployment("a", 8)}, {node("x", 12)}, 4) == Placement{{"x", {{"a", 6}}}});
  CHECK(plan_placement({deployment("a", 3)}, {node("x", 4), node("y", 4)}, 4) ==
        Placement{{"x", {{"a", 1}}}, {"y", {{"a", 1}}}});
}

TEST_CASE("placement: what stays here counts, and so do threads") {
  PlacedDeployment text = deployment("text", 3, 2);
  text.stays_here = true;
  // Six threads are here already.
  CHECK(plan_placement({text, deployment("a", 4)}, {node("x", 4)}, 4) ==
        Placement{{"x", {{"a", 3}}}});
  CHECK(plan_placement({deployment("a", 2, 8), deployment("b", 2)}, {node("x", 8)}, 8) ==
        Placement{{"x", {{"a", 1}, {"b", 1}}}});
}

TEST_CASE("placement: a node takes no model that its memory does not hold while it loads") {
  CHECK(plan_placement({deployment("a", 2, 1, 500)}, {node("x", 4, 999)}, 1).empty());
  CHECK(plan_placement({deployment("a", 2, 1, 500)}, {node("x", 4, 1'000)}, 1) ==
        Placement{{"x", {{"a", 1}}}});
  // What is there needs no more, and the first of two takes the room of both.
  PlacementNode loaded = node("x", 4, 0);
  loaded.models = {"m-a"};
  CHECK(elsewhere(plan_placement({deployment("a", 2, 1, 500)}, {loaded}, 1), "a") == 1);
  const auto both = plan_placement({deployment("a", 2, 1, 500), deployment("b", 2, 1, 500)},
                                   {node("x", 8, 1'500)}, 1);
  CHECK(both == Placement{{"x", {{"a", 1}}}});
}

TEST_CASE("placement: any cluster, in any order: balanced, within memory, and nothing is lost") {
  std::mt19937 dice(1);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(dice);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<PlacedDeployment> deployments;
    std::vector<PlacementNode> nodes;
    const std::size_t own = static_cast<std::size_t>(draw(1, 16));
    for (int i = draw(0, 6); i > 0; --i)
      deployments.push_back(deployment("d" + std::to_string(i), draw(0, 20), 1,
                                       static_cast<std::uint64_t>(draw(1, 1'000))));
    for (int i = draw(0, 5); i > 0; --i)
      nodes.push_back(node("n" + std::to_string(i), static_cast<std::size_t>(draw(1, 16)),
                           static_cast<std::uint64_t>(draw(0, 1) == 0 ? draw(0, 4'000) : 1 << 30)));
    const Placement first = plan_placement(deployments, nodes, own);
    std::shuffle(deployments.begin(), deployments.end(), dice);
    std::shuffle(nodes.begin(), nodes.end(), dice);
    REQUIRE(plan_placement(deployments, nodes, own) == first);
    std::int64_t here = 0, here_always = 0;
    for (const PlacedDeployment& one : deployments) {
      const std::int64_t there = elsewhere(first, one.id);
      REQUIRE((there == 0 || there < one.allocations));
      here += one.allocations - there;
      here_always += std::min<std::int64_t>(one.allocations, 1);
    }
    for (const PlacementNode& one : nodes) {
      const auto there = first.find(one.id);
      std::uint64_t bytes = 0;
      std::int64_t threads = 0;
      if (there != first.end())
        for (const auto& [id, count] : there->second) {
          const auto placed = std::find_if(deployments.begin(), deployments.end(),
                                           [&](const auto& d) { return d.id == id; });
          bytes += placed->model_bytes * 2;
          threads += count;
        }
      REQUIRE(bytes <= one.memory_bytes);
      // Nobody else has a whole allocation more for its processors than a node with room.
      if (one.memory_bytes < 1 << 30 || here == here_always) continue;
      REQUIRE(here * static_cast<std::int64_t>(one.processors) <=
              (threads + 1) * static_cast<std::int64_t>(own));
    }
  }
}

}  // namespace
}  // namespace cairn::inference::placement_plan_test
