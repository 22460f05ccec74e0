// SPDX-License-Identifier: Apache-2.0
// Making a directory bucket.
#pragma once

#include "base/result.h"
#include "s3/operations/bucket_operations.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// CreateBucket of a directory bucket. Errors: InvalidBucketName, InvalidRequest, InvalidTag,
/// AccessDenied, BucketAlreadyOwnedByYou, BucketAlreadyExists.
Result<s3::CreateBucketOutput> create_directory_bucket(Call& call, const s3::CreateBucketInput& in);

}  // namespace cairn::s3api
