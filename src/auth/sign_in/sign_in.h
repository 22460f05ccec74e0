// SPDX-License-Identifier: Apache-2.0
// Users of an OpenID Connect issuer: their tokens become callers with the roles of their groups.
// Sources: OpenID Connect Core 1.0; RFC 7519 (JWT), RFC 7515 (JWS), RFC 8725 (best practices).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/keys/key.h"
#include "auth/sign_in/public_keys.h"
#include "base/result.h"
#include "os/clock.h"

namespace cairn::auth {

struct SignInOptions {
  std::string issuer = {};              // "iss" of the tokens; empty: nobody signs in
  std::string audience = {};            // must be in their "aud"
  std::string user_claim = "sub";       // the user's name
  std::string groups_claim = "groups";  // a path into the claims: "realm_access.roles"
  /// Errors: invalid_argument, with the option.
  Status validate() const;
};

/// Role descriptors by group, as an API key has them; "*" is everybody who signs in.
using GroupRoles = std::map<std::string, Json, std::less<>>;
/// From {"group": {"role": {"cluster": […], "indices": […]}}}. Errors: invalid_argument, with the
/// group.
Result<GroupRoles> parse_group_roles(std::string_view json);

/// Whom a verified token names: enough to judge the user again when the token is no longer there.
struct IssuedUser {
  std::string issuer = {};
  std::string subject = {};
  std::string name = {};
  std::vector<std::string> groups = {};
  std::int64_t until_ms = 0;  // when the token expires
  Json to_json() const;
  static IssuedUser from_json(const Json& json);  // of to_json()
};

struct VerifiedToken {
  std::shared_ptr<const Key> key = {};
  IssuedUser user = {};
  std::string nonce = {};  // its claim; empty where it has none
};

/// Safe from any thread. Tokens that were verified are remembered until they expire.
class SignIn {
 public:
  /// `clock` outlives it. Nobody signs in before set() was called.
  SignIn(SignInOptions options, const os::Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  bool enabled() const { return !options_.issuer.empty(); }
  /// Other keys or roles; those of tokens that were seen are judged anew.
  void set(PublicKeys keys, GroupRoles roles);
  /// Whether this looks like a token at all, and not like an API key.
  static bool is_token(std::string_view text);

  /// The caller that a token stands for: a key that is stored nowhere, with `signed_in` set, the
  /// user's name and the union of the roles of its groups, and an id that is the same for each
  /// token of one user. A clock may be a minute off.
  /// Errors: unauthenticated, with the reason.
  Result<std::shared_ptr<const Key>> verify(std::string_view token) const;

  /// The same of an ID token that was made for `client_id`, with what it says. Is not remembered.
  Result<VerifiedToken> verify_id_token(std::string_view token, std::string_view client_id) const;
  /// The caller that such a user is under the roles of this moment.
  /// Errors: unauthenticated, where the token has expired or another issuer is asked now.
  Result<std::shared_ptr<const Key>> caller_again(const IssuedUser& user) const;
  const std::string& issuer() const { return options_.issuer; }

  static constexpr std::size_t token_bytes_max = 16 << 10;
  static constexpr std::size_t remembered_max = 10'000;

 private:
  struct Remembered {
    std::shared_ptr<const Key> key;
    std::int64_t until_ms = 0;
  };
  struct State {
    PublicKeys keys;
    GroupRoles roles;
  };
  /// What a token says, where it may be believed.
  struct Claims {
    Json all;
    std::int64_t expires_s = 0;
  };
  Result<Claims> judge(std::string_view token, const State& state, std::string_view audience) const;
  Result<IssuedUser> user_of(const Claims& claims) const;
  std::shared_ptr<const State> state() const;
  std::shared_ptr<const Key> remembered(const std::string& digest) const;
  void remember(const std::string& digest, const Remembered& verified,
                const std::shared_ptr<const State>& under) const;

  const SignInOptions options_;
  const os::Clock& clock_;
  mutable std::mutex mutex_;
  std::shared_ptr<const State> state_;                              // under mutex_
  mutable std::unordered_map<std::string, Remembered> remembered_;  // by digest; under mutex_
};

}  // namespace cairn::auth
