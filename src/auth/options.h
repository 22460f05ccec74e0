// SPDX-License-Identifier: Apache-2.0
// What can be set about keys.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace cairn::auth {

struct Options {
  /// How long an invalidated or expired key is still shown before its record is deleted.
  std::int64_t retention_ms = 7ll * 24 * 3600 * 1000;
  /// How long the key of the first start is taken beside another administrator's key.
  std::int64_t first_key_overlap_ms = 24ll * 3600 * 1000;
  Status validate() const {
    if (retention_ms >= 0) return ok_status();
    return Error{ErrorKind::invalid_argument, {}, "auth.key_retention must not be negative"};
  }
};

}  // namespace cairn::auth
