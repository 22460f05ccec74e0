// SPDX-License-Identifier: Apache-2.0
// Runtime fields as columns of the documents that a search is about: what sorts by them, groups and
// counts reads them as it reads those of segments.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/query.h"
#include "index/query/plan.h"
#include "index/query/view_state.h"

namespace cairn::index {

/// The runtime fields of the mapping that a search sorts, groups or counts by.
std::vector<const Field*> computed_fields(const Mapping& mapping, const std::vector<SortKey>& sort,
                                          const std::string& collapse, const Json& aggregations);

/// The same view, apart; what is in it may be changed.
std::shared_ptr<ViewState> copy_of(const ViewState& view);

/// The view with the values of these fields in the live documents that a plan of it matches; no
/// other document is looked at. They take memory as the answer does: circuit_breaking_exception
/// beyond Options::aggregation_bytes_max.
Result<std::shared_ptr<const ViewState>> with_columns(const QueryContext& context,
                                                      std::shared_ptr<const ViewState> view,
                                                      const Plan& plan,
                                                      const std::vector<const Field*>& fields);

}  // namespace cairn::index
