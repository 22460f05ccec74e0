// SPDX-License-Identifier: Apache-2.0
// Keys of objects as paths of files, and back. Any bytes make a safe path: no "..", no name that
// starts with a dot, no name over 241 bytes, and never a file where another key needs a directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cairn::stores {

/// What a name in a folder stands for.
struct KeyName {
  std::string text;      // the bytes of the key that it stands for, with the "/" of a directory
  bool is_file = false;  // the end of a key
};

/// The path of a key below the folder, without a leading slash.
std::string path_of_key(std::string_view key);
/// Nothing for a name that path_of_key makes for no key.
std::optional<KeyName> key_of_name(std::string_view name);

}  // namespace cairn::stores
