// SPDX-License-Identifier: Apache-2.0
// A query as it was read, and made ready for one target.
#pragma once

#include <memory>
#include <vector>

#include "index/prepared_query.h"
#include "index/query.h"

namespace cairn::search {

struct Prepared {
  index::Query query;
  index::PreparedQueryPtr plan;
};

/// One for each target of a request.
using PreparedQueries = std::vector<Prepared>;

}  // namespace cairn::search
