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
  /// The same without the filter of an alias: their words are marked in what is shown. Several where
  /// any of several queries was asked for.
  std::vector<index::PreparedQueryPtr> asked = {};
};

/// One for each target of a request.
using PreparedQueries = std::vector<Prepared>;

}  // namespace cairn::search
