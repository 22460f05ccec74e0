// SPDX-License-Identifier: Apache-2.0
// How much more memory this process can use before the machine swaps or the kernel ends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::os {

/// What the kernel calls available (MemAvailable), or less where a control group of this process
/// allows less. Reads /proc and /sys. Nothing where the system does not tell.
std::optional<std::uint64_t> available_memory_bytes();

/// The number behind "name" in texts such as /proc/meminfo ("MemAvailable:   5 kB") and memory.stat
/// ("inactive_file 5"), in bytes. Nothing where it is not there.
std::optional<std::uint64_t> memory_line(std::string_view text, std::string_view name);

}  // namespace cairn::os
