// SPDX-License-Identifier: Apache-2.0
// Gives the keys of the local key service to the engine, which seals by them, and to the object
// service, where requests name them.
#pragma once

#include <string>
#include <string_view>

#include "auth/secrets/encryption_keys.h"
#include "base/result.h"
#include "objectstore/key_ring.h"
#include "os/random.h"
#include "s3api/objects/encryption.h"

namespace cairn::app {

/// The keys lie in a bucket of the engine that asks for them, so they come later than it: until
/// attach() nothing can be sealed. From then on safe from any thread.
class KeyService final : public objectstore::KeyRing, public s3api::KeyNames {
 public:
  explicit KeyService(os::Random& random) : random_(random) {}
  /// Once, before the first request. `keys` outlives this.
  void attach(const auth::EncryptionKeys& keys);

  Result<std::string> seal(const s3::Encryption& how, std::string_view data_key) override;
  Result<std::string> unseal(const s3::Encryption& how, std::string_view sealed) override;
  Result<std::string> resolve(std::string_view name, std::string_view account_id) override;

 private:
  Result<std::string> key_of(const s3::Encryption& how) const;

  os::Random& random_;
  const auth::EncryptionKeys* keys_ = nullptr;
  std::string own_key_;  // of SSE-S3
};

}  // namespace cairn::app
