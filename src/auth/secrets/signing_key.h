// SPDX-License-Identifier: Apache-2.0
// A key that shows others, who have no secret, that this installation made a text (Ed25519, RFC
// 8032).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/random.h"

namespace cairn::auth {

/// The secret half. Safe from any thread.
class SigningKey {
 public:
  /// Reads the file (PEM, PKCS#8 with the public half behind it, mode 0600), or draws and writes
  /// one where there is none. Errors: as read().
  static Result<SigningKey> open(const std::string& path, os::Random& random);
  /// Nothing where there is no such file. Errors: permission_denied (readable by others, not ours),
  /// corrupt (no such key in it).
  static Result<std::optional<SigningKey>> read(const std::string& path);
  /// For tests: from 32 bytes. Errors: corrupt.
  static Result<SigningKey> of_seed(std::string_view seed);

  std::string sign(std::string_view text) const;  // 64 bytes
  /// The other half, for whoever verifies: PEM, SubjectPublicKeyInfo.
  const std::string& public_pem() const { return public_pem_; }
  /// 16 hexadecimal digits that name the pair.
  const std::string& id() const { return id_; }

 private:
  std::string seed_;
  std::string public_pem_;
  std::string id_;
};

/// The half that verifies. Safe from any thread.
class VerifyingKey {
 public:
  /// Errors: invalid_argument where the text is no PEM of a public key of Ed25519.
  static Result<VerifyingKey> parse(std::string_view pem);
  bool verifies(std::string_view text, std::string_view signature) const;
  const std::string& id() const { return id_; }

 private:
  std::string raw_;  // 32 bytes
  std::string id_;
};

}  // namespace cairn::auth
