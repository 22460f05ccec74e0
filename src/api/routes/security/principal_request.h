// SPDX-License-Identifier: Apache-2.0
// Who a new credential is for, as bodies of requests say it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/forms/fields.h"
#include "api/router.h"
#include "auth/accounts/accounts.h"
#include "auth/keys/keys.h"
#include "auth/principals.h"
#include "auth/secrets/object_keys.h"
#include "base/result.h"
#include "format/json.h"
#include "os/deadline.h"

namespace cairn::api {

/// Everything that knows of credentials; all of it outlives the router's dispatcher.
struct KeyBooks {
  ServiceRef<auth::Keys> keys = {};
  ServiceRef<auth::Accounts> accounts = {};
  ServiceRef<auth::ObjectKeys> object_keys = {};
  ServiceRef<auth::Principals> principals = {};
  /// Whether an index can be asked a query of a role, as far as one knows without a mapping.
  /// Empty: any.
  std::function<Status(const Json& query, const os::Deadline& deadline)> check_query = {};
};

/// {"account", "user", "kind", "policy", "policy_name"}, all of them optional.
struct PrincipalRequest {
  std::optional<std::string> account = {};  // none: the oldest
  std::optional<std::string> user = {};     // none: the root of the account
  std::optional<bool> service = {};         // what a new user is, and one that is there must be
  std::optional<std::string> policy = {};
  std::string policy_name = "policy";
  bool empty() const { return !account && !user && !service && !policy; }
};

/// Errors: those of the fields; invalid_argument (a policy that is none, or without a user).
Result<PrincipalRequest> read_principal(Fields& fields);

/// A policy as an object, or as its text. Errors: those of a field of another type.
Result<std::optional<std::string>> read_policy(Fields& fields, std::string_view name);

/// Faults of a policy in the platform's own form.
Status worded_policy(Status status);

/// Makes the account, the user and the policy where they are not there yet; the account.
/// Errors: those of auth::Accounts; conflict for a user of another kind.
Result<std::shared_ptr<const auth::Account>> make_principal(const KeyBooks& books,
                                                            const PrincipalRequest& wanted,
                                                            const os::Deadline& deadline);

/// "user" or "service". Errors: invalid_argument.
Result<std::optional<bool>> read_user_kind(Fields& fields);
/// Makes a user where it is not there yet. Errors: conflict for one of another kind.
Status make_user(const KeyBooks& books, const std::string& account, const std::string& user,
                 std::optional<bool> service, const os::Deadline& deadline);

/// Asks answers for auth::shown_requests of each key.
extern const gate::Parameter with_requests_parameter;

/// An access key as answers show it, without its secret.
Json shown_access_key(const auth::ObjectKey& key);

}  // namespace cairn::api
