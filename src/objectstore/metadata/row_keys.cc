// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/row_keys.h"

#include "base/bytes.h"
#include "base/encode.h"
#include "base/hash.h"

namespace cairn::objectstore {
namespace {

constexpr std::string_view null_rows = "null/";
constexpr std::uint64_t id_seed = 0x76657273696f6e;

// A bijection (the finish of splitmix64) and its inverse: neighbours in order look unrelated.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

std::uint64_t unmixed(std::uint64_t x) {
  x = (x ^ x >> 31 ^ x >> 62) * 0x319642b2d24d8ec3;
  x = (x ^ x >> 27 ^ x >> 54) * 0x96de1b173f119089;
  return x ^ x >> 30 ^ x >> 60;
}

}  // namespace

std::string bucket_row(std::string_view name) {
  return std::string(bucket_row_prefix).append(name);
}

std::string object_row(std::uint64_t bucket_id, std::string_view key) {
  std::string row;
  row.reserve(object_row_key_at + key.size());
  put_u64be(row, bucket_id);
  row += key;
  return row;
}

std::string body_row(std::uint64_t serial) {
  std::string row;
  put_u64be(row, serial);
  return row;
}

std::string piece_row(std::uint64_t serial, std::size_t piece) {
  std::string row = body_row(serial);
  if (piece > 0) put_u32be(row, static_cast<std::uint32_t>(piece));
  return row;
}

std::string reference_row(std::uint64_t extent_id, std::uint64_t serial) {
  std::string row = extent_prefix(extent_id);
  put_u64be(row, serial);
  return row;
}

std::string extent_prefix(std::uint64_t extent_id) { return body_row(extent_id); }

std::string escaped_key(std::string_view key) {
  std::string out;
  out.reserve(key.size());
  for (const char c : key) {
    out += c;
    if (c == '\0') out += '\xff';
  }
  return out;
}

std::optional<std::string> unescaped_key(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] != '\0') continue;
    if (++i == text.size() || text[i] != '\xff') return std::nullopt;
  }
  return out;
}

std::string version_prefix(std::uint64_t bucket_id, std::string_view key_prefix) {
  std::string row;
  put_u64be(row, bucket_id);
  return row + escaped_key(key_prefix);
}

std::string version_key_prefix(std::uint64_t bucket_id, std::string_view key) {
  return version_prefix(bucket_id, key).append(escaped_key_end);
}

std::string version_row(std::uint64_t bucket_id, std::string_view key, std::uint64_t order) {
  std::string row = version_key_prefix(bucket_id, key);
  put_u64be(row, ~order);
  return row;
}

std::optional<std::string> version_row_key(std::string_view row) {
  const std::size_t head = 8, tail = escaped_key_end.size() + 8;
  if (row.size() < head + tail) return std::nullopt;
  return unescaped_key(row.substr(head, row.size() - head - tail));
}

std::string null_row(std::uint64_t bucket_id, std::string_view key) {
  return std::string(null_rows) + object_row(bucket_id, key);
}

std::string journal_prefix(std::uint64_t table_id) {
  std::string row(journal_rows);
  put_u64be(row, table_id);
  return row;
}

std::string journal_row(std::uint64_t table_id, std::uint64_t number) {
  std::string row = journal_prefix(table_id);
  put_u64be(row, number);
  return row;
}

std::string inventory_prefix(std::uint64_t table_id) {
  std::string row(inventory_rows);
  put_u64be(row, table_id);
  return row;
}

std::string inventory_state_row(std::uint64_t table_id) {
  std::string row(inventory_state_rows);
  put_u64be(row, table_id);
  return row;
}

std::string table_fault_row(std::uint64_t table_id) {
  std::string row(table_fault_rows);
  put_u64be(row, table_id);
  return row;
}

std::string version_id(std::uint64_t order) {
  std::string bytes;
  put_u64be(bytes, mixed(order));
  put_u64be(bytes, fast_hash(bytes, id_seed));
  return to_hex(bytes);
}

std::optional<std::uint64_t> version_order(std::string_view id) {
  const auto bytes = id.size() == 32 ? from_hex(id) : std::nullopt;
  if (!bytes) return std::nullopt;
  const std::uint64_t order = unmixed(*ByteReader(*bytes).u64be());
  return version_id(order) == id ? std::optional(order) : std::nullopt;
}

}  // namespace cairn::objectstore
