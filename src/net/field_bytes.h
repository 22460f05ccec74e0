// SPDX-License-Identifier: Apache-2.0
// Which bytes would end a header field, or begin another, where they stand inside one.
#pragma once

#include <array>
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

/// True where a field of that name and value would be read as something else.
constexpr bool breaks_a_head(std::string_view name, std::string_view value) {
  return name.empty() || breaks_a_name.any_of(name) || breaks_a_value.any_of(value);
}

}  // namespace cairn::net
