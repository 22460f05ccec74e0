// SPDX-License-Identifier: Apache-2.0
// Sessions with directory buckets: credentials for a few minutes, for one bucket. The client keeps
// what they are, sealed; nothing of them is stored here, and every node with the master key knows
// them, after a restart too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "auth/secrets/seal.h"
#include "base/result.h"
#include "os/random.h"

namespace cairn::s3api {

struct DirectorySession {
  std::string access_key_id = {};  // of the session
  std::string secret = {};
  std::string parent_key_id = {};  // the key whose holder made it, and whose end is its own
  std::string bucket = {};  // or the access point by whose name it was asked for
  bool read_only = false;
  std::int64_t expires_ms = 0;
};

/// Safe from any thread.
class DirectorySessions {
 public:
  DirectorySessions(auth::Seal seal, os::Random& random) : seal_(std::move(seal)), random_(random) {}

  /// Draws the key of a new session; the rest is given.
  DirectorySession draw(DirectorySession session) const;
  /// What the client sends with each request: base64url.
  std::string token(const DirectorySession& session) const;
  /// Errors: InvalidToken. Whether it has expired is the caller's to see.
  Result<DirectorySession> open(std::string_view token) const;

 private:
  const auth::Seal seal_;
  os::Random& random_;
};

}  // namespace cairn::s3api
