// SPDX-License-Identifier: Apache-2.0
// Identifiers as text.
#include "base/ids.h"

#include "base/assert.h"
#include "base/encode.h"

namespace cairn {

std::string url_safe_id(std::string_view random_15_bytes) {
  CAIRN_ASSERT(random_15_bytes.size() == 15);
  std::string out = to_base64url(random_15_bytes);
  if (out.front() == '-' || out.front() == '_') out.front() = out.front() == '-' ? 'A' : 'B';
  return out;
}

std::string uuid_v4(std::string_view random_16_bytes) {
  CAIRN_ASSERT(random_16_bytes.size() == 16);
  std::string bytes(random_16_bytes);
  bytes[6] = static_cast<char>((bytes[6] & 0x0F) | 0x40);  // version 4
  bytes[8] = static_cast<char>((bytes[8] & 0x3F) | 0x80);  // variant of RFC 4122
  std::string out = to_hex(bytes);
  for (const std::size_t at : {8u, 13u, 18u, 23u}) out.insert(at, 1, '-');
  return out;
}

std::string ulid(std::int64_t milliseconds, std::string_view random_10_bytes) {
  CAIRN_ASSERT(random_10_bytes.size() == 10);
  CAIRN_ASSERT(milliseconds >= 0 && milliseconds < (std::int64_t{1} << 48));
  constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // Crockford
  std::string out(26, '0');
  auto time = static_cast<std::uint64_t>(milliseconds);
  for (std::size_t i = 10; i-- > 0; time >>= 5) out[i] = digits[time & 31];
  std::uint32_t pool = 0;
  int bits = 0;
  std::size_t at = 10;
  for (const char c : random_10_bytes) {
    pool = pool << 8 | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out[at++] = digits[pool >> bits & 31];
    }
  }
  return out;
}

}  // namespace cairn
