// SPDX-License-Identifier: Apache-2.0
// Keys of a store as names of objects that every cluster keeps, and back.
//
// A key that any cluster carries in a path and in XML is its own name: well-formed UTF-8 without
// control characters, in pieces of 1 to 255 bytes between slashes, none of them "." or "..".
// Any other key lies aside, as "~cairn/k/" and the hexadecimal digits of its bytes, which sort as
// the bytes do. Of one over 95 bytes the name has the first 95, a dot, and the SHA-256 of it all;
// the key itself stands in the object's metadata.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::remotestore {

inline constexpr std::size_t key_bytes_max = 1024;  // of a key, and of a name with its prefix
inline constexpr std::size_t aside_head_bytes = 95;
inline constexpr std::string_view own_area = "~cairn/";
inline constexpr std::string_view aside_area = "~cairn/k/";

/// True where the key is its own name below a prefix of so many bytes.
bool is_plain_key(std::string_view key, std::size_t prefix_bytes);
/// The same question of "a/b/", as a prefix of names.
bool is_plain_prefix(std::string_view prefix);
/// How many bytes from the first on can be sent as they are: well-formed UTF-8 without controls.
std::size_t sendable_bytes(std::string_view text);

/// The name of a key, without the store's prefix.
std::string name_of_key(std::string_view key, std::size_t prefix_bytes);

/// What a name below aside_area (the part after it) says of its key.
struct AsideName {
  std::string head;       // the key's first bytes, or all of them
  bool is_whole = false;  // head is the key; else it stands in the metadata
};
/// Nothing for a name that name_of_key makes of no key.
std::optional<AsideName> parse_aside_name(std::string_view name);
/// The longest beginning that all names aside of keys with this prefix have.
std::string aside_prefix(std::string_view key_prefix);

}  // namespace cairn::remotestore
