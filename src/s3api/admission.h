// SPDX-License-Identifier: Apache-2.0
// The bucket of a request and the caller's right to it, before parameters and bodies are read: who
// may not ask hears that, and nothing of what the request says is weighed or kept for him.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// Finds the bucket, checks its owner, notes key and version, and judges the caller's right as far
/// as the head of the request and what is there decide it. Where a say of the object (its owner,
/// grants, tags) is needed and no body follows, the handler judges on the object that it opens
/// anyway. Errors: those of open_bucket; AccessDenied; InvalidBucketName; KeyTooLongError;
/// InvalidArgument.
Status admit(Call& call);

/// What the caller hears of parameters that cannot be read: `fault`, or AccessDenied where the
/// handler would have said so.
Error parameter_fault(Call& call, Error fault);

/// True where the body is a document and not an object's bytes.
bool has_document(const s3::Operation& operation);

}  // namespace cairn::s3api
