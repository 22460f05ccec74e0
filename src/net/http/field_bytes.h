// SPDX-License-Identifier: Apache-2.0
// Which bytes would end a header field, or begin another, where they stand inside one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cairn::net {

/// A set of bytes that a table answers for: one look-up a byte, whatever the set's size.
class ByteSet {
 public:
  constexpr explicit ByteSet(std::string_view bytes) {
    for (const char byte : bytes) in_[static_cast<unsigned char>(byte)] = true;
  }
  constexpr bool any_of(std::string_view text) const {
    bool found = false;
    for (const char byte : text) found |= in_[static_cast<unsigned char>(byte)];
    return found;
  }

 private:
  std::array<bool, 256> in_ = {};
};

inline constexpr ByteSet breaks_a_value{std::string_view("\r\n\0", 3)};
inline constexpr ByteSet breaks_a_name{std::string_view("\r\n\0: ", 5)};

/// True where a byte of the text is below `bound` (at most 0x80), or is `other`; eight at a time.
inline bool has_byte_below(std::uint64_t bound, std::uint64_t other, std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const auto is_in = [&](std::uint64_t word) {
    const std::uint64_t unlike = word ^ other * ones;
    return (((word - bound * ones) & ~word) | ((unlike - ones) & ~unlike)) & 0x80 * ones;
  };
  std::uint64_t word = 0x7e * ones;  // stands for bytes that are not there
  if (text.size() < sizeof word) {
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return is_in(word) != 0;
  }
  std::uint64_t found = 0;
  for (std::size_t at = 0; at < text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + std::min(at, text.size() - sizeof word), sizeof word);
    found |= is_in(word);
  }
  return found != 0;
}

/// True where a field of that name and value would be read as something else.
inline bool breaks_a_head(std::string_view name, std::string_view value) {
  // Hardly any field has a byte that could be one of those, so that few are looked at singly.
  return name.empty() || (has_byte_below(0x21, ':', name) && breaks_a_name.any_of(name)) ||
         (has_byte_below(0x20, '\r', value) && breaks_a_value.any_of(value));
}

}  // namespace cairn::net
