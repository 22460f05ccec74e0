// SPDX-License-Identifier: Apache-2.0
#include "gate/limit_metrics.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "gate/decision_counts.h"
#include "gate/refused_count.h"

namespace cairn::gate {
namespace {

using ratelimit::Surface;
using Samples = std::vector<os::Metrics::Sample>;

constexpr Surface surfaces[] = {Surface::platform, Surface::code_hosting, Surface::large_files,
                                Surface::objects};
static_assert(std::size(surfaces) == ratelimit::surface_count);

}  // namespace

struct LimitMetrics::State {
  DecisionCounts counts;
  Mutex mutex;
  // The last slot is for all that come when the others are taken.
  std::map<std::pair<Surface, std::string>, Decisions> by_name CAIRN_GUARDED_BY(mutex);

  std::map<std::string, RuleDecisions> by_rule CAIRN_GUARDED_BY(mutex);

  Samples rules() {
    Samples out;
    const MutexLock lock(mutex);
    for (const auto& [rule, of] : by_rule)
      for (const auto& [name, count] : {std::pair{"admitted", of.admitted},
                                        {"refused", of.refused},
                                        {"shadowed", of.would_be_refused}})
        out.push_back({{{"rule", rule}, {"result", name}}, static_cast<double>(count)});
    return out;
  }
  Samples decided() {
    Samples out;
    const MutexLock lock(mutex);
    for (const auto& [names, of] : by_name) {
      for (const auto& [result, name] : {std::pair{DecisionCounts::admitted, "admitted"},
                                         {DecisionCounts::refused, "refused"},
                                         {DecisionCounts::shadowed, "shadowed"}})
        out.push_back({{{"surface", std::string(ratelimit::name_of(names.first))},
                        {"resource", names.second},
                        {"result", name}},
                       static_cast<double>(counts.decided(of.slot, result))});
    }
    return out;
  }
  Samples near_limit() {
    Samples out;
    const MutexLock lock(mutex);
    for (const auto& [names, of] : by_name)
      out.push_back(
          {{{"surface", std::string(ratelimit::name_of(names.first))}, {"resource", names.second}},
           static_cast<double>(counts.decided(of.slot, DecisionCounts::near_limit))});
    return out;
  }
  Samples refused() const {
    Samples out;
    for (const Surface surface : surfaces) {
      for (std::size_t kind = 1; kind < DecisionCounts::refusals; ++kind) {
        const auto refusal = static_cast<ratelimit::Refusal>(kind);
        if (const std::uint64_t count = counts.refused_for(surface, refusal))
          out.push_back({{{"surface", std::string(ratelimit::name_of(surface))},
                          {"kind", std::string(ratelimit::name_of(refusal))}},
                         static_cast<double>(count)});
      }
    }
    return out;
  }
  template <class Read>
  static Samples by_surface(const Read& read) {
    Samples out;
    for (const Surface surface : surfaces)
      out.push_back({{{"surface", std::string(ratelimit::name_of(surface))}}, read(surface)});
    return out;
  }
};

os::Counter& refused_in_all() {
  static os::Counter& counter = *new os::Counter;  // not shown: the families by limit are
  return counter;
}

LimitMetrics::LimitMetrics(os::Metrics& metrics) : state_(std::make_shared<State>()) {
  const auto read = [weak = std::weak_ptr(state_)](auto pick) -> os::Metrics::Samples {
    return [weak, pick] {
      const auto alive = weak.lock();
      return alive ? pick(*alive) : Samples{};
    };
  };
  metrics.counters_from("cairn_ratelimit_decisions_total", "Requests that were decided on",
                        read([](State& s) { return s.decided(); }));
  metrics.counters_from("cairn_ratelimit_near_limit_total",
                        "Requests admitted with four fifths of the primary limit used",
                        read([](State& s) { return s.near_limit(); }));
  metrics.counters_from("cairn_ratelimit_refused_total", "Refusals, by what was exceeded",
                        read([](State& s) { return s.refused(); }));
  metrics.counters_from("cairn_ratelimit_rule_decisions_total",
                        "What the operator's own rules said",
                        read([](State& s) { return s.rules(); }));
  metrics.gauges_from("cairn_ratelimit_requests_live",
                      "Requests that were admitted and are not answered yet", read([](State& s) {
                        return State::by_surface(
                            [&](Surface at) { return static_cast<double>(s.counts.live(at)); });
                      }));
  metrics.counters_from("cairn_ratelimit_cpu_seconds_total",
                        "CPU time charged to those who asked, pools included", read([](State& s) {
                          return State::by_surface([&](Surface at) {
                            return static_cast<double>(s.counts.cpu_ns(at)) / 1e9;
                          });
                        }));
}

const LimitMetrics::Decisions& LimitMetrics::decisions(Surface surface,
                                                       const std::string& resource) {
  const MutexLock lock(state_->mutex);
  const std::size_t next = std::min(state_->by_name.size(), DecisionCounts::slots - 1);
  return state_->by_name.try_emplace({surface, resource}, Decisions{resource, next}).first->second;
}

void LimitMetrics::decided(const Decisions& of, Surface surface,
                           const ratelimit::Decision& decision) {
  state_->counts.decided(of.slot, surface, decision);
  if (!decision.admitted()) refused_in_all().add();
}

void LimitMetrics::rule_decided(const std::string& rule, RuleResult result) {
  const MutexLock lock(state_->mutex);
  RuleDecisions& of = state_->by_rule[rule];
  ++(result == RuleResult::admitted   ? of.admitted
     : result == RuleResult::shadowed ? of.would_be_refused
                                      : of.refused);
}

void LimitMetrics::rules_decided(const ratelimit::RuleCounts& counts, bool admitted) {
  for (const ratelimit::RuleCount& count : counts.counts()) {
    const bool refused = counts.refused() != nullptr && &count == &counts.counts().back();
    if (!refused && !admitted) continue;  // was taken back
    rule_decided(count.rule->name, refused          ? RuleResult::refused
                                   : count.shadowed ? RuleResult::shadowed
                                                    : RuleResult::admitted);
  }
}

LimitMetrics::RuleDecisions LimitMetrics::of_rule(const std::string& rule) const {
  const MutexLock lock(state_->mutex);
  const auto found = state_->by_rule.find(rule);
  return found == state_->by_rule.end() ? RuleDecisions{} : found->second;
}

void LimitMetrics::began(Surface surface) { state_->counts.began(surface); }

void LimitMetrics::ended(Surface surface, std::int64_t cpu_ns) {
  state_->counts.ended(surface, cpu_ns);
}

}  // namespace cairn::gate
