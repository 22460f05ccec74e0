// SPDX-License-Identifier: Apache-2.0
// Which bytes of an object were asked for, and which ones a reply says it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cairn::objectclient {

/// Of a Content-Range: the first and the last byte, and the size of the object where it is told.
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total = {};
  std::uint64_t length() const { return last - first + 1; }
  bool is_whole() const { return first == 0 && total == last + 1; }
};

/// "bytes a-b/n" or "bytes a-b/*". Nothing for what contradicts itself.
/// Source: RFC 9110, section 14.4.
std::optional<ContentRange> parse_content_range(std::string_view text);

/// Of a Range with one range: "bytes=a-b", "bytes=a-" or "bytes=-n".
struct AskedRange {
  std::optional<std::uint64_t> first = {};
  std::optional<std::uint64_t> last = {};  // without `first`: how many bytes at the end
};
/// Nothing for several ranges, other units, and what is no range.
std::optional<AskedRange> parse_asked_range(std::string_view text);

/// True where `given` is what a service gives to one who asks for `asked`: these bytes, cut at the
/// end of the object and nowhere else.
bool answers(const ContentRange& given, const AskedRange& asked);

}  // namespace cairn::objectclient
