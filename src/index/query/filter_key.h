// SPDX-License-Identifier: Apache-2.0
// A name for what a filter selects, so that its documents are found again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "index/query.h"

namespace cairn::index {

/// The same for queries that select the same documents of a segment by the same words: scores and
/// the order of clauses do not matter. Nothing for queries whose answer depends on more than the
/// segment: the time, an analyzer, other segments.
std::optional<std::string> narrowing_key(const std::vector<Query>& filters,
                                         const std::vector<Query>& excluded);

}  // namespace cairn::index
