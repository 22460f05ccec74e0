// SPDX-License-Identifier: Apache-2.0
// The key service, as far as this room asks it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::s3api {

/// The names that clients give to the keys of SSE-KMS. Safe from any thread.
class KeyNames {
 public:
  virtual ~KeyNames() = default;
  /// The ARN of a key, from its id, ARN or alias; of the account's own default key where `name` is
  /// empty. Errors: KMS.NotFoundException, KMS.DisabledException; AccessDenied, for a key of
  /// another account.
  virtual Result<std::string> resolve(std::string_view name, std::string_view account_id) = 0;
};

}  // namespace cairn::s3api
