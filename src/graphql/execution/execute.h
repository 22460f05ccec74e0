// SPDX-License-Identifier: Apache-2.0
// Runs a prepared operation (specification of October 2021, section 6).
#pragma once

#include <functional>

#include "format/json.h"
#include "graphql/execution/prepare.h"
#include "graphql/options.h"
#include "graphql/schema/schema.h"
#include "os/deadline.h"

namespace cairn::graphql {

struct ExecuteParams {
  Host& host;
  os::Deadline deadline;
  Options options = {};
  /// Adds to an error of the answer, which has message, locations and path, what programs read.
  std::function<void(const Error& error, Json& out)> describe = {};
};

/// {"data": …, "errors": […]}; errors only where there are some. A field that fails is null, and so
/// is the nearest field above it that may be. Fields run one after another, in the order of the
/// answer, on the calling thread. Ends with errors at the deadline, and where the answer outgrows
/// the options.
Json execute(const Schema& schema, const Prepared& prepared, const ExecuteParams& params);

}  // namespace cairn::graphql
