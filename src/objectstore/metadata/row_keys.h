// SPDX-License-Identifier: Apache-2.0
// Keys of the metadata's rows, and the version ids that clients know. Numbers are big-endian, so
// that rows sort by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::objectstore {

inline constexpr std::string_view bucket_row_prefix = "bucket/";
inline constexpr std::string_view serial_row = "serial";  // system: all lower serials are spent
inline constexpr std::string_view numbers_row = "numbers";  // system: all lower ones are spent
inline constexpr std::string_view journal_rows = "journal/";
inline constexpr std::string_view inventory_rows = "inventory/";
inline constexpr std::string_view inventory_state_rows = "inventorystate/";
inline constexpr std::string_view table_fault_rows = "tablefault/";
inline constexpr std::size_t object_row_key_at = 8;       // where the key starts in an objects row

std::string bucket_row(std::string_view name);                             // system
std::string object_row(std::uint64_t bucket_id, std::string_view key);     // objects
std::string body_row(std::uint64_t serial);                                // bodies
std::string piece_row(std::uint64_t serial, std::size_t piece);            // of a manifest; bodies
std::string reference_row(std::uint64_t extent_id, std::uint64_t serial);  // references
std::string extent_prefix(std::uint64_t extent_id);                        // of its references

/// Versions that are not in `objects`, sort by key and then the newest first: bucket, key with 00
/// as 00 FF, 00 01, the complement of the order.
std::string version_row(std::uint64_t bucket_id, std::string_view key, std::uint64_t order);
/// What the rows of all keys with that prefix start with.
std::string version_prefix(std::uint64_t bucket_id, std::string_view key_prefix);
/// What the rows of that very key start with.
std::string version_key_prefix(std::uint64_t bucket_id, std::string_view key);
/// Nothing for a row that is none.
std::optional<std::string> version_row_key(std::string_view row);
/// Where the version "null" of a key is, while it is in `versions`: its order.
std::string null_row(std::uint64_t bucket_id, std::string_view key);  // system

/// What the rows of a journal start with; a number follows. Numbers sort by the order of changes.
std::string journal_prefix(std::uint64_t table_id);                               // system
std::string journal_row(std::uint64_t table_id, std::uint64_t number);            // system
/// What the rows of an inventory start with; a key with 00 as 00 FF, 00 01, and a version id follow.
std::string inventory_prefix(std::uint64_t table_id);                             // system
std::string inventory_state_row(std::uint64_t table_id);                          // system
std::string table_fault_row(std::uint64_t table_id);                              // system

/// A key in the form that keeps its place in the order although something follows it.
std::string escaped_key(std::string_view key);
std::optional<std::string> unescaped_key(std::string_view text);
inline constexpr std::string_view escaped_key_end("\0\1", 2);

/// 32 hexadecimal digits that do not show the order.
std::string version_id(std::uint64_t order);
/// Nothing for a text that is no id.
std::optional<std::uint64_t> version_order(std::string_view version_id);

}  // namespace cairn::objectstore
