// SPDX-License-Identifier: Apache-2.0
// Credentials as programs and metadata services print them.
#pragma once

#include <string_view>

#include "base/result.h"
#include "objectclient/credentials.h"

namespace cairn::objectclient {

/// Reads {"AccessKeyId", "SecretAccessKey", "SessionToken" | "Token", "Expiration", "AccountId"}.
/// `source` stands in errors. Errors: unavailable, without a word of the text, which may hold
/// secrets.
Result<Credentials> credentials_of_json(std::string_view text, std::string_view source);

}  // namespace cairn::objectclient
