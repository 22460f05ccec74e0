// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/log_record.h"

#include <array>
#include <bit>

#include "base/bytes.h"
#include "base/checksum.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint32_t mask_delta = 0xa282ead8;
constexpr std::uint32_t reflected_castagnoli = 0x82f63b78;

struct Header {
  std::uint32_t crc;
  std::size_t length;
  std::uint8_t type;
};

Header header_of(std::string_view block) {
  ByteReader reader(block);
  const std::uint32_t masked = *reader.u32le() - mask_delta;
  const auto low = static_cast<unsigned char>(block[4]);
  const auto high = static_cast<unsigned char>(block[5]);
  return {.crc = std::rotl(masked, 15),
          .length = static_cast<std::size_t>(low | high << 8),
          .type = static_cast<std::uint8_t>(block[6])};
}

bool is_type(std::uint8_t type) { return type >= 1 && type <= 4; }

/// Type and bytes stand beside each other, so the checksum is that of one piece.
std::uint32_t crc_of(std::uint8_t type, std::string_view bytes) {
  const char first = static_cast<char>(type);
  return crc32c(bytes, crc32c({&first, 1}));
}

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ ((value & 1) != 0 ? reflected_castagnoli : 0);
    table[i] = value;
  }
  return table;
}();

/// Whether one bit of `count` bytes changes a checksum by `difference`: what a bit does to the
/// checksum depends on nothing but its distance from the end.
bool is_one_bit_of(std::uint32_t difference, std::size_t count) {
  std::array<std::uint32_t, 8> effects{};
  for (unsigned bit = 0; bit < 8; ++bit) effects[bit] = crc_table[1u << bit];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::uint32_t& effect : effects) {
      if (effect == difference) return true;
      effect = (effect >> 8) ^ crc_table[effect & 0xff];
    }
  }
  return false;
}

bool verifies(std::string_view block, std::uint8_t type, std::size_t length, std::uint32_t crc) {
  return is_type(type) && log_header_bytes + length <= block.size() &&
         crc_of(type, block.substr(log_header_bytes, length)) == crc;
}

/// The stored checksum is masked by an addition: a turned bit of it is tried as stored.
bool is_crc_one_bit_off(std::string_view block, std::uint32_t wanted) {
  const std::uint32_t stored = *ByteReader(block).u32le();
  const std::uint32_t right = std::rotr(wanted, 15) + mask_delta;
  return std::popcount(stored ^ right) == 1;
}

}  // namespace

std::optional<LogRecord> log_record_at(std::string_view block) {
  if (block.size() < log_header_bytes) return std::nullopt;
  const Header header = header_of(block);
  if (!verifies(block, header.type, header.length, header.crc)) return std::nullopt;
  return LogRecord{.type = static_cast<LogRecordType>(header.type),
                   .bytes = block.substr(log_header_bytes, header.length)};
}

std::size_t claimed_record_bytes(std::string_view block) {
  return log_header_bytes + header_of(block).length;
}

bool is_one_bit_off(std::string_view block) {
  if (block.size() < log_header_bytes) return false;
  const Header header = header_of(block);
  for (unsigned bit = 0; bit < 16; ++bit)
    if (verifies(block, header.type, header.length ^ (std::size_t{1} << bit), header.crc))
      return true;
  for (unsigned bit = 0; bit < 8; ++bit)
    if (verifies(block, static_cast<std::uint8_t>(header.type ^ (1u << bit)), header.length,
                 header.crc))
      return true;
  if (!is_type(header.type) || log_header_bytes + header.length > block.size()) return false;
  const std::uint32_t found = crc_of(header.type, block.substr(log_header_bytes, header.length));
  return is_crc_one_bit_off(block, found) || is_one_bit_of(found ^ header.crc, header.length);
}

}  // namespace cairn::objectstore
