// SPDX-License-Identifier: Apache-2.0
// The key of a backup repository: what it holds is nothing without it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/random.h"

namespace cairn::backup {

/// 32 secret bytes, and what is derived from them. Safe from any thread.
class Key {
 public:
  static Key draw(os::Random& random);
  /// The text of a key file: one line, "cairn-backup-key-1:" and base64. Errors: invalid_argument.
  static Result<Key> parse(std::string_view text);
  std::string text() const;

  /// The name of a piece: 64 hexadecimal digits, the same for the same bytes, which say nothing of
  /// the bytes to whoever lacks the key.
  std::string name_of(std::string_view plain) const;
  /// Compressed where that helps, and encrypted with AES-256-GCM under a key of its own, which
  /// `context` (what the bytes are) gives. It opens in that context alone.
  std::string seal(std::string_view plain, std::string_view context) const;
  /// At most `limit_bytes`. Errors: corrupt, where key, context or bytes are not those of sealing.
  Result<std::string> open(std::string_view sealed, std::string_view context,
                           std::size_t limit_bytes) const;

 private:
  explicit Key(std::string secret);
  std::string secret_;
  std::string naming_;
};

}  // namespace cairn::backup
