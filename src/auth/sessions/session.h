// SPDX-License-Identifier: Apache-2.0
// One browser that has signed in, as it is stored and listed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "auth/keys/key.h"
#include "auth/sign_in/sign_in.h"
#include "base/result.h"

namespace cairn::auth {

/// Immutable once published, but for the time of the last use. The token that opens it is not here:
/// only its SHA-256.
struct Session {
  std::string id = {};            // 20 url-safe characters: its name in lists, which opens nothing
  std::string token_sha256 = {};  // 32 raw bytes
  std::string key_id = {};        // whom it stands for
  std::string key_name = {};      // as it was when the session began, for lists
  std::string username = {};
  /// Of the key's secret that opened it, 32 raw bytes; the session ends when that secret does.
  std::string secret_sha256 = {};
  std::optional<IssuedUser> user = {};  // of an issuer of tokens, instead of a stored key
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
  std::string address = {};  // whence it was opened
  std::string browser = {};  // as it called itself
  mutable std::atomic<std::int64_t> used_ms = 0;
  mutable std::atomic<std::int64_t> stored_used_ms = 0;  // as its record has it

  std::string encode() const;
  /// Reads a record into this. Errors: corrupt.
  Status decode(std::string_view bytes);
};

/// What a page must send along with a change, to show that it may read what the server tells it:
/// derived from the token, so that nobody who lacks it can make one. 43 url-safe characters.
std::string csrf_token_of(std::string_view session_token);

}  // namespace cairn::auth
