// SPDX-License-Identifier: Apache-2.0
// The keys that an issuer of tokens signs with. Sources: RFC 7517 (JWK), RFC 7518 (JWA), RFC 8037
// (EdDSA).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::auth {

/// A set of public keys, as the issuer's jwks_uri gives it. A cheap, immutable handle; safe from
/// any thread.
class PublicKeys {
 public:
  PublicKeys() = default;
  /// RSA of 2,048 to 8,192 bits, EC on P-256, P-384 and P-521, OKP with Ed25519. Keys of other
  /// kinds, and those for encryption, are left out. Errors: invalid_argument: no JSON, no "keys", a
  /// key that cannot be, or none that can be used.
  static Result<PublicKeys> parse(std::string_view json_web_key_set);

  /// Whether one of the keys has signed `text` so. `id` is the token's "kid"; without one each key
  /// that fits the algorithm is tried. Algorithms: RS, PS and ES with 256, 384 and 512; EdDSA.
  /// Others, "none" and the secret ones (HS) among them, verify nothing.
  bool verify(std::string_view algorithm, std::string_view id, std::string_view text,
              std::string_view signature) const;
  std::size_t size() const;

 private:
  struct Key;
  std::shared_ptr<const std::vector<Key>> keys_;
};

}  // namespace cairn::auth
