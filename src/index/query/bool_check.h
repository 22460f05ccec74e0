// SPDX-License-Identifier: Apache-2.0
// Clauses that look at documents one by one, put together: they see what all others leave.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "index/query/doc_check.h"
#include "index/query/plan.h"

namespace cairn::index {

/// Whether a plan looks at documents one by one in all of its parts: a check, or such ones in a
/// bool.
bool only_checks(const Plan& plan);
/// What it looks at, as one; of a plan of which only_checks() is true. It outlives what is given
/// back.
Result<std::unique_ptr<DocCheck>> joint_check(const QueryContext& context, const Plan& plan,
                                              std::size_t segment);

}  // namespace cairn::index
