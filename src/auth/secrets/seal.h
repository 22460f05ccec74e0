// SPDX-License-Identifier: Apache-2.0
// Secrets that must be read back, sealed under the master key with AES-256-GCM.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/random.h"

namespace cairn::auth {

/// What seals the file that holds the master key: a key service outside. Empty functions: the file
/// holds the key as it is. Each may block; errors are told with the file's name.
struct KeyFileSeal {
  std::function<Result<std::string>(std::string_view plain)> seal = {};
  std::function<Result<std::string>(std::string_view sealed)> open = {};
};

/// Holds the master key: 32 bytes that seal and, while the key is being changed, older ones that
/// only open. Copies share them. Safe from any thread.
///
/// A change of the key is three steps, each durable: begin_change(); everything that was sealed is
/// sealed again by those who keep it; end_change(). A crash between them leaves a file with both
/// keys, which open() reads: older_keys() says that the second step has to be done again.
class Seal {
 public:
  /// Reads the file, or draws and writes one (mode 0600) where there is none: a key in base64 in
  /// each line, the first one seals.
  /// With `file`, the text is what that opens and seals; a file that holds keys as they are is
  /// sealed at once. Errors: permission_denied (readable by others, not ours), corrupt (no key in
  /// it); those of `file`.
  static Result<Seal> open(const std::string& path, os::Random& random, KeyFileSeal file = {});
  /// For tests: a key of 32 bytes.
  explicit Seal(std::string key);

  /// Nonce, ciphertext and tag. `context` (what it belongs to) must be the same when opened.
  std::string seal(std::string_view secret, std::string_view context, os::Random& random) const;
  /// Errors: corrupt, where it was sealed under another key or context, or was changed.
  Result<std::string> unseal(std::string_view sealed, std::string_view context) const;

  /// Keys that open and do not seal.
  std::size_t older_keys() const;
  /// Draws the key that seals from now on, here and in all copies. Errors: conflict, where a change
  /// has not ended; those of writing the file.
  Status begin_change(os::Random& random);
  /// Older keys open nothing any more. Errors: those of writing the file.
  Status end_change();

 private:
  struct Keys;
  explicit Seal(std::shared_ptr<Keys> keys) : keys_(std::move(keys)) {}
  std::shared_ptr<Keys> keys_;
};

}  // namespace cairn::auth
