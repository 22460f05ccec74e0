// SPDX-License-Identifier: Apache-2.0
// Numbers and strings in stored records: little-endian fixed sizes, variable-length integers, and
// a reader that never reads past the end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace cairn {
static_assert(std::endian::native == std::endian::little, "stored numbers are copied as they are");

/// Appends the bytes of a number, lowest first.
template <class Number>
void put_fixed(std::string& out, Number v) {
  char bytes[sizeof v];
  std::memcpy(bytes, &v, sizeof v);
  out.append(bytes, sizeof v);
}
inline void put_u8(std::string& out, std::uint8_t v) { out += static_cast<char>(v); }
inline void put_u16le(std::string& out, std::uint16_t v) { put_fixed(out, v); }
inline void put_u32le(std::string& out, std::uint32_t v) { put_fixed(out, v); }
inline void put_u64le(std::string& out, std::uint64_t v) { put_fixed(out, v); }
inline void put_i64le(std::string& out, std::int64_t v) { put_fixed(out, v); }
inline void put_f32le(std::string& out, float v) { put_fixed(out, v); }
inline void put_f64le(std::string& out, double v) { put_fixed(out, v); }

/// Big-endian: keys that must sort by number.
inline void put_u32be(std::string& out, std::uint32_t v) { put_fixed(out, __builtin_bswap32(v)); }
inline void put_u64be(std::string& out, std::uint64_t v) { put_fixed(out, __builtin_bswap64(v)); }

/// 1 to 10 bytes, seven bits each, lowest first; the top bit says that more follow.
inline void put_varint(std::string& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}
/// A signed number as a varint whose length grows with its distance from zero.
inline void put_zigzag(std::string& out, std::int64_t v) {
  put_varint(out, static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63));
}
/// A varint length, then the bytes.
inline void put_string(std::string& out, std::string_view bytes) {
  put_varint(out, bytes.size());
  out += bytes;
}

/// Reads what the functions above wrote. The first read that does not fit gives nothing and makes
/// every later one give nothing (`failed()`), so a record can be read whole and checked once.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : all_(bytes) {}

  std::size_t position() const { return at_; }
  std::size_t remaining() const { return all_.size() - at_; }
  bool at_end() const { return !failed_ && at_ == all_.size(); }
  bool failed() const { return failed_; }

  template <class Number>
  std::optional<Number> fixed() {
    if (!has(sizeof(Number))) return std::nullopt;
    Number v;
    std::memcpy(&v, all_.data() + at_, sizeof v);
    at_ += sizeof v;
    return v;
  }
  std::optional<std::uint8_t> u8() { return fixed<std::uint8_t>(); }
  std::optional<std::uint16_t> u16le() { return fixed<std::uint16_t>(); }
  std::optional<std::uint32_t> u32le() { return fixed<std::uint32_t>(); }
  std::optional<std::uint64_t> u64le() { return fixed<std::uint64_t>(); }
  std::optional<std::int64_t> i64le() { return fixed<std::int64_t>(); }
  std::optional<float> f32le() { return fixed<float>(); }
  std::optional<double> f64le() { return fixed<double>(); }
  std::optional<std::uint32_t> u32be() {
    const auto v = u32le();
    return v ? std::optional(__builtin_bswap32(*v)) : std::nullopt;
  }
  std::optional<std::uint64_t> u64be() {
    const auto v = u64le();
    return v ? std::optional<std::uint64_t>(__builtin_bswap64(*v)) : std::nullopt;
  }

  std::optional<std::uint64_t> varint() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 64 && has(1); shift += 7) {
      const auto byte = static_cast<unsigned char>(all_[at_++]);
      if (shift == 63 && byte > 1) break;  // over 64 bits
      v |= std::uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return v;
    }
    failed_ = true;
    return std::nullopt;
  }
  std::optional<std::int64_t> zigzag() {
    const auto v = varint();
    if (!v) return std::nullopt;
    return static_cast<std::int64_t>(*v >> 1 ^ (0 - (*v & 1)));
  }
  /// The next `count` bytes, as a view into what the reader was given.
  std::optional<std::string_view> bytes(std::uint64_t count) {
    if (!has(count)) return std::nullopt;
    const std::string_view v = all_.substr(at_, count);
    at_ += count;
    return v;
  }
  /// What put_string wrote.
  std::optional<std::string_view> string() {
    const auto count = varint();
    return count ? bytes(*count) : std::nullopt;
  }

 private:
  bool has(std::uint64_t count) {
    if (failed_ || count > remaining()) failed_ = true;
    return !failed_;
  }
  std::string_view all_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace cairn
