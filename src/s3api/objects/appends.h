// SPDX-License-Identifier: Apache-2.0
// PutObject with a write offset: bytes behind an object of a directory bucket.
#pragma once

#include "base/result.h"
#include "s3/operations/object_operations.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// `in` has a write offset. Errors: InvalidArgument (a negative offset), InvalidWriteOffset,
/// TooManyParts, EncryptionTypeMismatch; InvalidRequest (nothing to append, metadata for an object
/// that is there, a checksum of another algorithm than its own); those of put_object.
Result<s3::PutObjectOutput> append_object(Call& call, const s3::PutObjectInput& in);

}  // namespace cairn::s3api
