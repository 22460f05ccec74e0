// SPDX-License-Identifier: Apache-2.0
// The pair of keys of Signature Version 4A: derived from a secret that both sides have, so that a
// signature is good in several regions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/wire/dialect.h"

namespace cairn::s3 {

/// Immutable; safe from any thread.
class AsymmetricKey {
 public:
  /// Errors: internal (no pair comes of it, which has never been seen).
  static Result<AsymmetricKey> derive(std::string_view access_key_id, std::string_view secret,
                                      Dialect dialect);
  /// `signature`: DER of an ECDSA signature over the text's SHA-256.
  bool verifies(std::string_view text, std::string_view signature) const;
  /// A signature that verifies; another one each time.
  std::string sign(std::string_view text) const;
  /// The point, as 65 bytes: 4, x, y.
  const std::string& public_key() const;

 private:
  struct Pair;
  explicit AsymmetricKey(std::shared_ptr<const Pair> pair) : pair_(std::move(pair)) {}
  std::shared_ptr<const Pair> pair_;
};

}  // namespace cairn::s3
