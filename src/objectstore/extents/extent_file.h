// SPDX-License-Identifier: Apache-2.0
// The form of an extent file: body | CRC-32C of each block (4 bytes each) | footer. The checksum of
// a block starts from the extent's id and the block's number, so that a block in the wrong place
// does not verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "objectstore/records.h"
#include "os/metrics.h"

namespace cairn::objectstore {

inline constexpr std::size_t extent_block_bytes = 64 << 10;  // what one checksum covers
inline constexpr std::size_t extent_footer_bytes = 4 + 4 + 8 + 8 + 4 + 4 + 4;

std::uint32_t extent_block_crc(std::uint64_t id, std::uint64_t number, std::string_view block);
/// What stands behind `table`, the checksums of the blocks in order.
std::string extent_footer(const ExtentSpan& span, std::string_view table);
/// The size of the body that a file of that many bytes has; nothing where no body gives such a file.
std::optional<std::uint64_t> extent_body_bytes(std::uint64_t file_bytes);
std::uint64_t extent_blocks(std::uint64_t body_bytes);
/// Of the whole file.
std::uint64_t extent_file_bytes(std::uint64_t body_bytes);

/// Counts what did not verify when it was read.
os::Counter& corrupt_blocks();

}  // namespace cairn::objectstore
