// SPDX-License-Identifier: Apache-2.0
// The key of objects in a directory bucket: that of the bucket's default encryption, and no other.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// The ARN of the key that a request for SSE-KMS gets. Errors: InvalidRequest, where the bucket has
/// no default key, the request names another one (by id or ARN; never by an alias), or its context is
/// not the bucket's ARN; those of KeyNames.
Result<std::string> directory_key(const Call& call, const std::optional<std::string>& kms_key_id,
                                  const std::optional<std::string>& kms_context);

}  // namespace cairn::s3api
