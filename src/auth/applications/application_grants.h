// SPDX-License-Identifier: Apache-2.0
// What applications may ask tokens for. An application is an API key of the kind oauth_app: its id
// and its secret are the client id and the client secret. A grant says for whom it may have tokens,
// and a token is an API key that expires soon, counts as its kind, and may no more than the grant.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/keys/keys.h"
#include "base/result.h"
#include "format/json.h"
#include "os/clock.h"
#include "os/deadline.h"
#include "store/store.h"

namespace cairn::auth {

struct ApplicationGrant {
  std::string application;         // id of its key
  std::string account;             // whom tokens count for: "user:ann", "inst:17", "wf:acme/models"
  Json identity = Json::object();  // of the tokens, as metadata._cairn.identity has it
  Json role_descriptors = Json::object();  // empty: all that the granting key may
  std::string granted_by;                  // id of that key
  std::string username;                    // of that key
  std::int64_t granted_ms = 0;
};

/// How long a token of this kind lasts where nobody says, and at most: of a user 8 hours, of an
/// installation 1, of a workflow 24.
std::int64_t token_lifetime_ms(ratelimit::IdentityKind kind);

/// Safe from any thread; calls may block on the store. Grants are records
/// "application-grant/<application>/<hash of the account>".
class ApplicationGrants {
 public:
  /// All of them outlive it.
  ApplicationGrants(store::Store& store, Keys& keys, const os::Clock& clock)
      : store_(store), keys_(keys), clock_(clock) {}

  /// Lets an application have tokens; a grant for the same account is replaced. Without an identity
  /// they are for the user that `by` counts as, whose key it must be. Any other identity, of kind
  /// user, oauth_user, app_user, installation or workflow, takes manage_api_key.
  /// Errors: not_found for an application that is none or has ended; invalid_argument;
  /// permission_denied.
  Result<ApplicationGrant> grant(std::string_view application, const Json& identity,
                                 const Json& role_descriptors, const Key& by,
                                 const os::Deadline& deadline);
  /// In no order.
  Result<std::vector<ApplicationGrant>> of(std::string_view application,
                                           const os::Deadline& deadline);
  /// Ends the grant, and with it all tokens that it has given: how many; nothing where there is no
  /// such grant. For whom it is for, who gave it, and manage_api_key. Errors: permission_denied.
  Result<std::optional<std::size_t>> revoke(std::string_view application, std::string_view account,
                                            const Key& by, const os::Deadline& deadline);

  /// A token for the application whose key this is. Its rights are those of the grant, as far as
  /// the granting key has them now. Errors: not_found where there is no grant, or its key has
  /// ended; invalid_argument for a lifetime that is none or too long.
  Result<CreatedKey> mint(const Key& application, std::string_view account,
                          std::optional<std::int64_t> lifetime_ms, const os::Deadline& deadline);
  /// Ends one token of the application: false where it is none.
  Result<bool> end_token(const Key& application, std::string_view token,
                         const os::Deadline& deadline);

 private:
  Result<std::optional<ApplicationGrant>> find(std::string_view application,
                                               std::string_view account,
                                               const os::Deadline& deadline);
  store::Store& store_;
  Keys& keys_;
  const os::Clock& clock_;
};

}  // namespace cairn::auth
