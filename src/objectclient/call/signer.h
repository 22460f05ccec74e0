// SPDX-License-Identifier: Apache-2.0
// Which scheme signs a request, with whose credentials, and the clocks of services.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/threads.h"
#include "net/http/message.h"
#include "objectclient/credentials.h"
#include "objectclient/endpoint/endpoint.h"
#include "objectclient/options.h"
#include "objectclient/tokens.h"
#include "s3/signing/signing.h"

namespace cairn::objectclient {

enum class Scheme { sigv4, sigv4a, session, bearer, none };

/// One way to sign.
struct Signing {
  Scheme scheme = Scheme::sigv4;
  std::string service = "s3";
  std::string region = {};
  std::string region_set = {};  // of sigv4a
  bool is_signature() const { return scheme != Scheme::bearer && scheme != Scheme::none; }
};

/// The first scheme of the preference that can be used here, else the endpoint's first.
Signing choose_signing(const Endpoint& endpoint, const ClientOptions& options, bool has_token);

/// What is signed, besides the headers.
struct SigningSubject {
  std::string_view method;
  std::string_view path;
  std::string_view query;
  std::string_view payload_hash;
};

/// Signs `headers`, which have Host. Errors: internal.
Result<s3::Signature> sign_with(const Signing& signing, const Credentials& credentials,
                                const SigningSubject& subject, s3::Dialect dialect,
                                std::int64_t time_ms, net::Headers& headers, s3::SigningKeys& keys);

/// Finds credentials and tokens when they are first asked for. Safe from any thread.
class Identity {
 public:
  /// `explicit_profile`: the caller named the profile. `environment.clock` outlives it.
  Identity(const ClientOptions& options, bool explicit_profile, Profiles profiles,
           Environment environment);
  /// Errors: unauthenticated, MissingCredentialsError, with every place that was looked at.
  Result<std::shared_ptr<const Credentials>> credentials(const os::Deadline& deadline);
  /// Null where there is none.
  const std::shared_ptr<TokenProvider>& tokens() const { return tokens_; }
  /// They were refused as expired: the next ones are fetched. False where that cannot help.
  bool expire();
  bool refreshable();

 private:
  Result<std::shared_ptr<CredentialsProvider>> provider();

  const ClientOptions& options_;
  const bool explicit_profile_;
  const Profiles profiles_;
  const Environment environment_;
  std::shared_ptr<TokenProvider> tokens_;
  Mutex mutex_;
  std::shared_ptr<CredentialsProvider> provider_ CAIRN_GUARDED_BY(mutex_);
};

/// How far the clocks of services are ahead of this machine's, by host. Safe from any thread.
class ClockSkew {
 public:
  std::int64_t ahead_ms(const std::string& host) const;
  /// Learns from the Date of a reply that called the time wrong, of a request that was signed
  /// `signed_ahead_ms` ahead of this machine's clock. True where that was more than five minutes
  /// off, so that another attempt can help. What is new is told in the log.
  bool learn(const std::string& host, const net::Headers& headers, std::int64_t now_ms,
             std::int64_t signed_ahead_ms);

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::int64_t> ahead_ms_ CAIRN_GUARDED_BY(mutex_);
};

/// True for codes that say the time, or what was made from it, is wrong.
bool is_clock_fault(std::string_view code);

}  // namespace cairn::objectclient
