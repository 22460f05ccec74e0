// SPDX-License-Identifier: Apache-2.0
// Signing in with a browser at an issuer: the authorization code flow, with PKCE, state and nonce.
// Sources: OpenID Connect Core 1.0 section 3.1, RFC 6749, RFC 7636 (PKCE), RFC 9207 (iss), RFC 9700
// (best practices).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "auth/sign_in/sign_in.h"
#include "base/result.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "os/random.h"

namespace cairn::auth {

struct CodeFlowOptions {
  std::string name = {};                    // of the issuer, as people know it
  std::string client_id = {};               // of this server at the issuer
  std::string authorization_endpoint = {};  // where the browser is sent; empty: nobody is
  std::string token_endpoint = {};
  std::string scope = "openid";
  bool enabled() const { return !authorization_endpoint.empty(); }
  /// Errors: invalid_argument, with the setting.
  Status validate() const;
};

/// What the token endpoint is asked for.
struct TokenRequest {
  std::string code;
  std::string redirect_uri;
  std::string code_verifier;
};
/// The ID token that the issuer gives for a code. Blocks up to the deadline. Errors: unavailable,
/// timeout; unauthenticated where the issuer refuses.
using AskForToken =
    std::function<Result<std::string>(const TokenRequest& request, const os::Deadline& deadline)>;

/// Safe from any thread. What is under way is in memory: a restart asks people to begin again.
class CodeFlow {
 public:
  /// All references outlive it.
  CodeFlow(CodeFlowOptions options, const SignIn& sign_in, AskForToken ask, const os::Clock& clock,
           os::Random& random);

  struct Begun {
    std::string location;  // where the browser goes
    std::string browser;   // for a cookie: shows that the one that comes back is the same
  };
  /// Where `all_max` are under way the oldest ends.
  Begun begin(std::string redirect_uri);

  /// What the browser brings back in the query.
  struct Answer {
    std::optional<std::string> code = {}, state = {}, error = {}, issuer = {};
  };
  /// Takes each state once. Errors: unauthenticated, with the reason; those of asking.
  Result<VerifiedToken> finish(const Answer& answer, std::string_view browser,
                               const os::Deadline& deadline);

  const CodeFlowOptions& options() const { return options_; }

  static constexpr std::size_t all_max = 4'096;
  static constexpr std::int64_t lifetime_ms = 600'000;

 private:
  struct Pending {
    std::string browser_sha256 = {};
    std::string nonce = {};
    TokenRequest request = {};  // without the code
    std::int64_t made = 0;      // in which order
    std::int64_t expires_ms = 0;
  };
  std::optional<Pending> take(std::string_view state, std::string_view browser);
  void make_room();

  const CodeFlowOptions options_;
  const SignIn& sign_in_;
  const AskForToken ask_;
  const os::Clock& clock_;
  os::Random& random_;
  std::mutex mutex_;
  std::unordered_map<std::string, Pending> pending_;  // by SHA-256 of the state; under mutex_
  std::int64_t made_ = 0;                             // likewise
};

}  // namespace cairn::auth
