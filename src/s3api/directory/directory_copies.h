// SPDX-License-Identifier: Apache-2.0
// What copies to and from directory buckets refuse.
#pragma once

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "s3/model.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// By the two buckets of a copy. Errors: InvalidRequest (across regions with a Local Zone on either
/// side); NotImplemented (a customer's key of a source, or a bucket key, with a directory bucket).
Status check_directory_copy(const Call& call, const objectstore::BucketState& source);

/// Errors: NotImplemented, for tags in a directory bucket.
Status check_directory_tags(const Call& call, const s3::Tags& tags);

}  // namespace cairn::s3api
