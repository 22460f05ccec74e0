// SPDX-License-Identifier: Apache-2.0
// Who holds the keys under which the data keys of encrypted objects are sealed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/model.h"

namespace cairn::objectstore {

/// Every encrypted object, or multipart upload, has a data key of its own (32 bytes). The engine
/// keeps it sealed by one of these. Safe from any thread; may be called for every read.
class KeyRing {
 public:
  virtual ~KeyRing() = default;
  /// Seals `data_key` by the master key (aes256), or by the key and context that `how` names (kms,
  /// kms_dsse). Never called for customer keys.
  /// Errors: the caller's, with their wire codes: an unknown or disabled key.
  virtual Result<std::string> seal(const s3::Encryption& how, std::string_view data_key) = 0;
  /// The data key again. Errors: as above; corrupt.
  virtual Result<std::string> unseal(const s3::Encryption& how, std::string_view sealed) = 0;
};

/// What a writer asks for.
struct EncryptionRequest {
  s3::Encryption how = {};
  std::optional<std::string> customer_key = {};  // 32 raw bytes, with method customer
};

}  // namespace cairn::objectstore
