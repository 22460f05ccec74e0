// SPDX-License-Identifier: Apache-2.0
// What a change of a bucket would do. There is no such request in this protocol: the platform's
// port asks (Service::try_out).
#pragma once

#include "base/result.h"
#include "format/json.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// True for DeleteBucket, PutBucketLifecycleConfiguration and PutBucketPolicy.
bool can_be_tried(const s3::Operation& operation);

/// What such an operation would do; the call is admitted and its document read. Changes nothing,
/// and looks at a bounded number of versions for a bounded time: "more" says that it stopped there.
/// Errors: those of the operation, but for what a bucket that is to be deleted holds: that is told.
Result<Json> try_operation(Call& call);

}  // namespace cairn::s3api
