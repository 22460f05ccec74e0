// SPDX-License-Identifier: Apache-2.0
// Digests (OpenSSL), keyed digests, and the fast hash for tables (XXH3). Bytes in, raw bytes out.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cairn {

enum class DigestKind { md5, sha1, sha256, sha512 };

/// One digest in steps. Not for use from two threads at a time. `finish` may be called once.
class Digest {
 public:
  explicit Digest(DigestKind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;
  void update(std::string_view bytes);
  std::string finish();  // 16, 20, 32 or 64 raw bytes

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string digest(DigestKind kind, std::string_view bytes);
inline std::string md5(std::string_view bytes) { return digest(DigestKind::md5, bytes); }
inline std::string sha1(std::string_view bytes) { return digest(DigestKind::sha1, bytes); }
inline std::string sha256(std::string_view bytes) { return digest(DigestKind::sha256, bytes); }

/// RFC 2104 with SHA-256: 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view bytes);

/// XXH3, for tables and sampling; never for anything that a stranger could exploit.
std::uint64_t fast_hash(std::string_view bytes, std::uint64_t seed = 0);
std::array<std::uint64_t, 2> fast_hash_128(std::string_view bytes);

}  // namespace cairn
