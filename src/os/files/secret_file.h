// SPDX-License-Identifier: Apache-2.0
// Small files that only their owner may read: keys.
#pragma once

#include <functional>
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

/// The same, past all SecretPlaces.
Status write_one_secret_file(const std::string& path, std::string_view text);

/// While one lives, secret files below its folder are written and looked for as it says: where they
/// lie in more than one place. Safe from any thread; no file may be written while it begins or
/// ends.
class SecretPlaces {
 public:
  using Write = std::function<Status(const std::string& path, std::string_view text)>;
  using Find = std::function<std::string(const std::string& path)>;  // where it is read from
  SecretPlaces(std::string folder, Write write, Find find);
  ~SecretPlaces();
  SecretPlaces(const SecretPlaces&) = delete;
  SecretPlaces& operator=(const SecretPlaces&) = delete;

  const std::string folder;
  const Write write;
  const Find find;
};

}  // namespace cairn::os
