// SPDX-License-Identifier: Apache-2.0
// The other server that a body of a reindex names.
#pragma once

#include "base/result.h"
#include "format/json.h"
#include "tasks/by_query.h"

namespace cairn::api {

/// `source.remote`, and what of `source` is for that server; null where it is absent.
struct RemoteBody {
  const Json& remote;
  const Json* query = nullptr;
  const Json* slice = nullptr;
  const Json* sort = nullptr;
};

/// Reads it into `out`, whose `source_names` stand there already.
/// Errors: illegal_argument_exception, action_request_validation_exception,
/// x_content_parse_exception; none of them shows a credential.
Status read_remote(const RemoteBody& body, tasks::ByQuery& out);

}  // namespace cairn::api
