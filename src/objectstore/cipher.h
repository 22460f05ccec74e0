// SPDX-License-Identifier: Apache-2.0
// Bodies encrypted at rest: AES-256-GCM over chunks that fill a block of an extent each, so that
// any range can be read by itself and nothing that was changed is given out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/key_ring.h"
#include "s3/model.h"

namespace cairn::objectstore {

inline constexpr std::size_t sealed_chunk_bytes = 64 << 10;  // a block of an extent
inline constexpr std::size_t seal_bytes = 16;                // the tag at the end of each chunk
inline constexpr std::size_t plain_chunk_bytes = sealed_chunk_bytes - seal_bytes;

/// How long a body is once it is encrypted, and back.
constexpr std::uint64_t sealed_bytes(std::uint64_t plain) {
  return plain + (plain + plain_chunk_bytes - 1) / plain_chunk_bytes * seal_bytes;
}
constexpr std::uint64_t plain_bytes(std::uint64_t sealed) {
  return sealed - (sealed + sealed_chunk_bytes - 1) / sealed_chunk_bytes * seal_bytes;
}

/// Encrypts and decrypts the chunks of one object, or of the parts of one upload. `stream` tells
/// bodies under one key apart: the id of the extent, 0 for a body in a row. For one thread.
class BodyCipher {
 public:
  /// 32 bytes; 64 for two layers (kms_dsse): AES-256-CTR over what the first layer gives.
  explicit BodyCipher(std::string key);
  ~BodyCipher();
  BodyCipher(BodyCipher&&) noexcept;
  BodyCipher& operator=(BodyCipher&&) noexcept;

  /// Appends the sealed chunk: `plain` and 16 bytes more.
  Status seal(std::uint64_t stream, std::uint64_t chunk, std::string_view plain, std::string& out);
  /// Appends the plain bytes. Errors: corrupt, where the chunk is not as it was written, there.
  Status unseal(std::uint64_t stream, std::uint64_t chunk, std::string_view sealed,
                std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A new data key for a body, and its sealed form, which the record keeps.
struct DataKey {
  std::string key;
  std::string sealed;
};

/// Errors: those of the ring; unsupported, without one; InvalidArgument, for a customer's key of a
/// wrong length.
Result<DataKey> make_data_key(KeyRing* ring, const EncryptionRequest& wanted);
/// The data key of `how`. Errors: those of the ring; InvalidRequest, where a customer's key is
/// missing or given in vain; AccessDenied, where it is another one.
Result<std::string> open_data_key(KeyRing* ring, const s3::Encryption& how, std::string_view sealed,
                                  const std::optional<std::string>& customer_key);

/// A master key in memory as a ring for aes256: small installations, and tests.
class MasterKeyRing final : public KeyRing {
 public:
  /// 32 bytes.
  explicit MasterKeyRing(std::string key) : key_(std::move(key)) {}
  Result<std::string> seal(const s3::Encryption& how, std::string_view data_key) override;
  Result<std::string> unseal(const s3::Encryption& how, std::string_view sealed) override;

 private:
  const std::string key_;
};

/// A short secret under a key of 32 bytes, with AES-256-GCM: nonce, ciphertext, tag. `context` must
/// be the same when it is opened.
std::string seal_secret(std::string_view key, std::string_view secret, std::string_view context);
/// Errors: corrupt, where key, context or bytes are not those of the sealing.
Result<std::string> unseal_secret(std::string_view key, std::string_view sealed,
                                  std::string_view context);

}  // namespace cairn::objectstore
