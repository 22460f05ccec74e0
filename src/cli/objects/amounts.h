// SPDX-License-Identifier: Apache-2.0
// Bytes and seconds in few characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::cli {

/// "12.3 MiB", "512 Bytes".
std::string human_bytes(std::uint64_t bytes);
/// "0:05", "1:02:03".
std::string human_seconds(std::uint64_t seconds);
/// "5242880", "8MB", "16MiB", "1g": powers of 1024. Nothing for anything else, and beyond 64 bits.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace cairn::cli
