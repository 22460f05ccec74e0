// SPDX-License-Identifier: Apache-2.0
// POST /_cairn/buckets/{bucket}/_simulate: whether requests to a bucket would be allowed, and why.
#pragma once

#include "api/call.h"
#include "auth/accounts/accounts.h"
#include "s3api/service.h"

namespace cairn::app {

/// Errors: invalid_argument, for what the body may not say and for a principal that there is not;
/// those of s3api::Service::simulate_all.
Result<api::Reply> simulate_requests(api::Call& call, const s3api::Service& service,
                                     const auth::Accounts& accounts);

}  // namespace cairn::app
