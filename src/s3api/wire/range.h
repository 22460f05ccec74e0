// SPDX-License-Identifier: Apache-2.0
// The Range field of a read: what it asks for, and which bytes of an object that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::s3api {

/// "bytes=0-8", "bytes=1-", "bytes=-2".
struct RangeAsked {
  std::optional<std::uint64_t> first = {};
  std::optional<std::uint64_t> last = {};  // without `first`: that many bytes at the end
};

/// Nothing where the field is no range of one stretch that makes sense: it is then as if absent.
std::optional<RangeAsked> parse_range(std::string_view field);

struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};

/// The bytes of an object of that size; nothing where none of them is there (416).
std::optional<ByteRange> resolve_range(const RangeAsked& asked, std::uint64_t size_bytes);

/// "bytes 0-8/10".
std::string content_range(const ByteRange& range, std::uint64_t size_bytes);

/// "bytes=first-last" of x-amz-copy-source-range, where both are required.
std::optional<ByteRange> parse_copy_range(std::string_view field);

}  // namespace cairn::s3api
