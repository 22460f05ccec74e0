// SPDX-License-Identifier: Apache-2.0
// Small files that only their owner may read: keys.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::os {

/// Replaces the file in one step; mode 0600; durable when it returns. Makes the folder (0700) where
/// it is missing. Errors: storage_full, permission_denied, internal.
Status write_secret_file(const std::string& path, std::string_view text);

/// All of it, at most 64 KiB; nothing where there is no such file.
/// Errors: permission_denied where others than the owner may read it, or it belongs to somebody
/// else than this process; too_large.
Result<std::optional<std::string>> read_secret_file(const std::string& path);

}  // namespace cairn::os
