// SPDX-License-Identifier: Apache-2.0
// What requests may ask for that this service does not offer yet: refused by name, never ignored.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Looks through the header fields of a write. Errors: NotImplemented and InvalidRequest (with
/// Header), InvalidStorageClass.
Status check_write_offered(const Call& call);

/// Looks for known header fields of the dialect that the request does not speak.
/// Errors: InvalidArgument.
Status check_one_dialect(const Call& call);

/// Looks for parameters of the query that the operation of the call does not have, and that would
/// say of another object or part than the one it would change. Errors: InvalidArgument.
Status check_query_offered(const Call& call);

Error not_offered(std::string_view header);

}  // namespace cairn::s3api
