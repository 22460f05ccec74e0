// SPDX-License-Identifier: Apache-2.0
#include "nodes/assignment.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "nodes/rendezvous.h"

namespace cairn::nodes {
namespace {

struct Target {
  const NodeRecord* node;
  double share = 0;       // of all shards, by weight
  std::size_t least = 0;  // loads between these are left alone
  std::size_t most = 0;
  std::size_t load = 0;  // what it owns and keeps, and what comes
};

using Entry = Owners::iterator;

class Assignment {
 public:
  Assignment(const OwnershipTable& table, const std::vector<NodeRecord>& nodes,
             const std::set<std::string, std::less<>>& shards, const AssignmentOptions& options)
      : before_(table), table_(table), shards_(shards), options_(options) {
    for (const NodeRecord& node : nodes) {
      there_.insert(node.id);
      if (!node.draining) targets_.push_back({.node = &node});
    }
    std::sort(targets_.begin(), targets_.end(),
              [](const Target& a, const Target& b) { return a.node->id < b.node->id; });
    for (std::size_t i = 0; i < targets_.size(); ++i) places_[targets_[i].node->id] = i;
  }

  std::optional<OwnershipTable> run() {
    match_shards();
    set_bounds();
    forget_lost_plans();
    std::erase_if(table_.draining, [&](const auto& id) { return !there_.contains(id); });
    count_loads();
    if (!targets_.empty()) {
      give_orphans();
      empty_draining();
      fill_up();
      lighten();
    }
    if (table_.shards == before_.shards && table_.draining == before_.draining)
      return std::nullopt;
    ++table_.version;
    return std::move(table_);
  }

 private:
  void match_shards() {
    // Both are in one order.
    Owners::sequence_type matched;
    matched.reserve(shards_.size());
    auto there = table_.shards.begin();
    for (const std::string& shard : shards_) {
      while (there != table_.shards.end() && there->first < shard) ++there;
      const bool known = there != table_.shards.end() && there->first == shard;
      matched.emplace_back(shard, known ? std::move(there->second) : Owner());
    }
    table_.shards.adopt_sequence(boost::container::ordered_unique_range, std::move(matched));
  }

  void set_bounds() {
    double weights = 0;
    for (const Target& target : targets_) weights += target.node->weight;
    const auto count = static_cast<double>(table_.shards.size());
    const double slack = options_.slack_percent / 100.0;
    for (Target& target : targets_) {
      target.share = count * target.node->weight / weights;
      target.least = static_cast<std::size_t>(target.share * (1 - slack));
      target.most = static_cast<std::size_t>(std::ceil(target.share * (1 + slack)));
    }
  }

  /// A next owner that is gone, or drains, is none; and an owner gives nothing to itself.
  void forget_lost_plans() {
    for (auto& [shard, owner] : table_.shards)
      if (!owner.next.empty() && (!places_.contains(owner.next) || owner.next == owner.node))
        owner.next.clear();
  }

  Target* target_of(const std::string& id) {
    const auto place = places_.find(id);
    return place == places_.end() ? nullptr : &targets_[place->second];
  }

  void count_loads() {
    for (const auto& [shard, owner] : table_.shards) {
      const bool lives = there_.contains(owner.node);
      if (!owner.next.empty()) {
        ++target_of(owner.next)->load;
        if (lives) ++moves_;
      } else if (Target* const target = lives ? target_of(owner.node) : nullptr) {
        ++target->load;
      }
    }
  }

  /// The one with room that is preferred; where none has room, the least loaded for its share.
  Target& best_for(const std::string& shard, const Target* except = nullptr) {
    Target* best = nullptr;
    double highest = 0;
    for (Target& target : targets_) {
      if (&target == except || target.load >= target.most) continue;
      const double here = score(shard, target.node->id, target.node->weight);
      if (best != nullptr && here <= highest) continue;
      best = &target;
      highest = here;
    }
    if (best != nullptr) return *best;
    return *std::min_element(
        targets_.begin(), targets_.end(), [](const Target& a, const Target& b) {
          return static_cast<double>(a.load) * b.share < static_cast<double>(b.load) * a.share;
        });
  }

  void give_orphans() {
    for (auto& [shard, owner] : table_.shards) {
      if (there_.contains(owner.node)) continue;
      // It was coming here anyway.
      Target* target = owner.next.empty() ? nullptr : target_of(owner.next);
      if (target == nullptr) {
        target = &best_for(shard);
        ++target->load;
      }
      owner = {.node = target->node->id, .epoch = owner.epoch + 1};
    }
  }

  bool may_move() const { return moves_ < options_.moves_max; }
  void move(Owner& owner, Target& to) {
    owner.next = to.node->id;
    ++to.load;
    ++moves_;
  }

  void empty_draining() {
    for (auto& [shard, owner] : table_.shards) {
      if (!may_move()) return;
      if (owner.next.empty() && !places_.contains(owner.node)) move(owner, best_for(shard));
    }
  }

  /// What a node owns and keeps, with its score there, the least preferred first.
  std::vector<std::pair<double, Entry>> kept_by(const Target& target) {
    std::vector<std::pair<double, Entry>> kept;
    for (auto entry = table_.shards.begin(); entry != table_.shards.end(); ++entry)
      if (entry->second.node == target.node->id && entry->second.next.empty())
        kept.emplace_back(score(entry->first, target.node->id, target.node->weight), entry);
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return kept;
  }

  /// A node that has too much gives away what others are preferred for.
  void lighten() {
    for (Target& target : targets_) {
      if (target.load <= target.most) continue;
      for (const auto& [at, entry] : kept_by(target)) {
        if (target.load <= target.most || !may_move()) break;
        Target& other = best_for(entry->first, &target);
        if (&other == &target || other.load >= other.most) break;
        --target.load;
        move(entry->second, other);
      }
    }
  }

  /// A node that has too little takes, from those above their share, what it is preferred for most.
  void fill_up() {
    for (Target& target : targets_) {
      if (target.load >= target.least || !may_move()) continue;
      std::vector<std::pair<double, Entry>> offers;
      for (auto entry = table_.shards.begin(); entry != table_.shards.end(); ++entry) {
        Target* const owner = target_of(entry->second.node);
        if (owner == nullptr || owner == &target || !entry->second.next.empty()) continue;
        if (static_cast<double>(owner->load) > owner->share)
          offers.emplace_back(score(entry->first, target.node->id, target.node->weight), entry);
      }
      std::sort(offers.begin(), offers.end(),
                [](const auto& a, const auto& b) { return a.first > b.first; });
      for (const auto& [at, entry] : offers) {
        if (target.load >= target.least || !may_move()) break;
        Target& owner = *target_of(entry->second.node);
        if (static_cast<double>(owner.load) <= owner.share) continue;
        --owner.load;
        move(entry->second, target);
      }
    }
  }

  const OwnershipTable& before_;
  OwnershipTable table_;
  const std::set<std::string, std::less<>>& shards_;
  const AssignmentOptions& options_;
  std::set<std::string, std::less<>> there_;
  std::vector<Target> targets_;
  std::unordered_map<std::string, std::size_t> places_;  // of targets_, by id
  std::size_t moves_ = 0;                                // shards on their way
};

}  // namespace

std::optional<OwnershipTable> assign(const OwnershipTable& table,
                                     const std::vector<NodeRecord>& nodes,
                                     const std::set<std::string, std::less<>>& shards,
                                     const AssignmentOptions& options) {
  return Assignment(table, nodes, shards, options).run();
}

}  // namespace cairn::nodes
