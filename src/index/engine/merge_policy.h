// SPDX-License-Identifier: Apache-2.0
// Which segments to merge: those of about one size, and those that hold many deleted documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::index {

struct MergeCandidate {
  std::uint64_t bytes = 0;
  std::uint32_t documents = 0;
  std::uint32_t deleted = 0;
};

struct MergePolicy {
  std::uint64_t floor_bytes = 2u << 20;
  std::uint64_t max_bytes = 1u << 30;
  std::size_t factor = 8;
};

/// Indices of what to merge into one, ascending; empty where nothing is to be done. Costs grow with
/// the logarithm of what there is: sizes count by what is live, tiers grow by the factor, and a
/// tier is merged once it holds `factor` segments. A segment more than a third of which is deleted
/// is written anew by itself.
std::vector<std::size_t> pick_merge(const std::vector<MergeCandidate>& candidates,
                                    const MergePolicy& policy);

}  // namespace cairn::index
