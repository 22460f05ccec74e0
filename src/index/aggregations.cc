// SPDX-License-Identifier: Apache-2.0
#include "index/aggregations.h"

#include "index/errors.h"

namespace cairn::index {

Result<std::unique_ptr<Aggregations>> make_aggregations(const QueryContext&, const Json&) {
  return Error{.kind = ErrorKind::unsupported,
               .code = "illegal_argument_exception",
               .message = "aggregations are not offered"};
}

}  // namespace cairn::index
