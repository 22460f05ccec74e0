// SPDX-License-Identifier: Apache-2.0
#include "cli/objects/transfer/sync_plan.h"

#include <algorithm>
#include <utility>

namespace cairn::cli {
namespace {

void sort_by_name(std::vector<Entry>& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
}

std::int64_t seconds_of(std::int64_t ms) { return ms >= 0 ? ms / 1000 : (ms - 999) / 1000; }

}  // namespace

std::string_view why_transfer(const Entry& source, const Entry& target, const SyncRules& rules) {
  if (source.size != target.size) return "size";
  if (rules.size_only) return {};
  const std::int64_t ahead = seconds_of(source.modified_ms) - seconds_of(target.modified_ms);
  if (rules.direction != Direction::download) return ahead > 0 ? "time" : "";
  if (rules.exact_timestamps) return ahead != 0 ? "time" : "";
  return ahead < 0 ? "time" : "";
}

std::vector<SyncStep> plan_sync(std::vector<Entry> source, std::vector<Entry> target,
                                const SyncRules& rules) {
  sort_by_name(source);
  sort_by_name(target);
  std::vector<SyncStep> steps;
  std::vector<SyncStep> removals;
  auto there = target.begin();
  const auto pass_extra = [&] {
    if (rules.delete_extra)
      removals.push_back({SyncStep::Kind::remove, std::move(*there), "extra"});
    ++there;
  };
  for (Entry& entry : source) {
    while (there != target.end() && there->name < entry.name) pass_extra();
    const bool both = there != target.end() && there->name == entry.name;
    const std::string_view why = both ? why_transfer(entry, *there, rules) : "new";
    if (!why.empty()) steps.push_back({SyncStep::Kind::transfer, std::move(entry), why});
    if (both) ++there;
  }
  while (there != target.end()) pass_extra();
  std::move(removals.begin(), removals.end(), std::back_inserter(steps));
  return steps;
}

}  // namespace cairn::cli
