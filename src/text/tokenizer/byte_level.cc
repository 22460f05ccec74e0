// SPDX-License-Identifier: Apache-2.0
// The table of GPT-2.
#include "text/tokenizer/byte_level.h"

#include "text/tokenizer/characters.h"

namespace cairn::text::tokenizer {
namespace {

constexpr bool prints(int byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

std::array<std::int16_t, 0x180> make_bytes_of_characters() {
  std::array<std::int16_t, 0x180> out{};
  out.fill(-1);
  for (int byte = 0; byte < 256; ++byte)
    out.at(static_cast<std::size_t>(byte_characters()[static_cast<std::size_t>(byte)])) =
        static_cast<std::int16_t>(byte);
  return out;
}

}  // namespace

const std::array<UChar32, 256>& byte_characters() {
  static const std::array<UChar32, 256> table = [] {
    std::array<UChar32, 256> out{};
    UChar32 next = 0x100;
    for (int byte = 0; byte < 256; ++byte)
      out[static_cast<std::size_t>(byte)] = prints(byte) ? byte : next++;
    return out;
  }();
  return table;
}

int byte_of(UChar32 character) {
  static const auto table = make_bytes_of_characters();
  return character >= 0 && character < static_cast<UChar32>(table.size())
             ? table[static_cast<std::size_t>(character)]
             : -1;
}

std::optional<std::string> spelled_bytes(std::string_view token) {
  std::string out;
  for (std::size_t at = 0; at < token.size();) {
    const int byte = byte_of(next_character(token, at));
    if (byte < 0) return std::nullopt;
    out.push_back(static_cast<char>(byte));
  }
  return out;
}

}  // namespace cairn::text::tokenizer
