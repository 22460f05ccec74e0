// SPDX-License-Identifier: Apache-2.0
// Keys as paths below a folder: a key never names a file outside of it.
#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

/// Why no file below a folder can have this name; empty where one can. Keys may have anything in
/// them; names of files no empty or dotted pieces ("", ".", ".."), no NUL, and at most 255 bytes a
/// piece.
std::string why_no_path(std::string_view relative);

/// Why no key can have this name; empty where one can: not UTF-8, or longer than 1,024 bytes.
std::string why_no_key(std::string_view key);

}  // namespace cairn::cli
