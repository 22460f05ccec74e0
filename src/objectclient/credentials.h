// SPDX-License-Identifier: Apache-2.0
// Who signs: credentials, and what fetches and renews them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::objectclient {

struct Credentials {
  std::string access_key_id = {};
  std::string secret_access_key = {};
  std::string session_token = {};
  std::string account_id = {};
  std::optional<std::int64_t> expiration_ms = {};  // since 1970; nothing: they do not expire
  bool complete() const { return !access_key_id.empty() && !secret_access_key.empty(); }
};

/// Safe from any thread.
class CredentialsProvider {
 public:
  virtual ~CredentialsProvider() = default;
  /// Credentials that are good now. May wait for a service or a program.
  virtual Result<std::shared_ptr<const Credentials>> get(const os::Deadline& deadline) = 0;
  /// True where fetching again can give other ones.
  virtual bool refreshable() const { return false; }
  /// The service said that the last ones have expired: the next get() fetches.
  virtual void expire() {}
};

/// Gives the code that the device with this serial number, or ARN, shows now. May ask somebody.
using MfaTokenCode =
    std::function<Result<std::string>(const std::string& serial, const os::Deadline& deadline)>;

/// Always the same.
std::shared_ptr<CredentialsProvider> static_credentials(Credentials credentials);

using FetchCredentials = std::function<Result<Credentials>(const os::Deadline& deadline)>;

/// Keeps what `fetch` gave and fetches again before it expires: with 10 minutes left one caller
/// does it while the others go on with the old ones, with 5 left all wait for it. A fetch that
/// fails leaves the old ones in use while they are good, and is tried again after 5 minutes.
/// `clock` outlives it.
std::shared_ptr<CredentialsProvider> refreshing_credentials(FetchCredentials fetch,
                                                            const os::Clock& clock);

}  // namespace cairn::objectclient
