// SPDX-License-Identifier: Apache-2.0
// One record of a RocksDB log: seven bytes of header, then its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cairn::objectstore {

inline constexpr std::size_t log_block_bytes = 32 << 10;  // no record crosses a block
inline constexpr std::size_t log_header_bytes = 7;

/// A group of writes is one full record, or a first, any number of middle, and a last one.
enum class LogRecordType : std::uint8_t { full = 1, first = 2, middle = 3, last = 4 };

struct LogRecord {
  LogRecordType type;
  std::string_view bytes;
  std::size_t size() const { return log_header_bytes + bytes.size(); }
  bool begins_group() const { return type == LogRecordType::full || type == LogRecordType::first; }
  bool ends_group() const { return type == LogRecordType::full || type == LogRecordType::last; }
};

/// The record at the beginning of `block`, where it verifies.
std::optional<LogRecord> log_record_at(std::string_view block);
/// Bytes that the header at the beginning of `block` claims, the header included. `block` has at
/// least a header.
std::size_t claimed_record_bytes(std::string_view block);
/// Whether the record at the beginning of `block` would verify with one bit turned.
bool is_one_bit_off(std::string_view block);

}  // namespace cairn::objectstore
