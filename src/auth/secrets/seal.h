// SPDX-License-Identifier: Apache-2.0
// Secrets that must be read back, sealed under the master key with AES-256-GCM.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/random.h"

namespace cairn::auth {

/// Holds the 32 bytes of the master key. Safe from any thread.
class Seal {
 public:
  /// Reads the file, or draws and writes one (mode 0600) where there is none.
  /// Errors: permission_denied (readable by others, not ours), corrupt (no key in it).
  static Result<Seal> open(const std::string& path, os::Random& random);
  /// For tests: a key of 32 bytes.
  explicit Seal(std::string key) : key_(std::move(key)) {}

  /// Nonce, ciphertext and tag. `context` (what it belongs to) must be the same when opened.
  std::string seal(std::string_view secret, std::string_view context, os::Random& random) const;
  /// Errors: corrupt, where it was sealed under another key or context, or was changed.
  Result<std::string> unseal(std::string_view sealed, std::string_view context) const;

 private:
  std::string key_;
};

}  // namespace cairn::auth
