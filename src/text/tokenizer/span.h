// SPDX-License-Identifier: Apache-2.0
// A half-open range of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cairn::text::tokenizer {

struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(Span, Span) = default;
};

inline Span span_of(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

}  // namespace cairn::text::tokenizer
