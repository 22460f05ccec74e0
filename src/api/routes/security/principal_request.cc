// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/principal_request.h"

#include "api/forms/error_json.h"
#include "auth/policy/policy.h"

namespace cairn::api {

Result<std::optional<std::string>> read_policy(Fields& fields, std::string_view name) {
  const Json* value = fields.any(name);
  if (value == nullptr) return std::optional<std::string>();
  if (value->is_object()) return std::optional<std::string>(value->dump());
  if (value->is_string()) return std::optional<std::string>(value->as_string());
  return fields.fault(name, "a policy is an object, or its text");
}

Status worded_policy(Status status) {
  if (status.ok() ||
      (status.error().code != "MalformedPolicyDocument" && status.error().code != "PolicyTooLarge"))
    return status;
  return illegal_argument("[policy] is refused: " + status.error().message);
}

Result<std::optional<bool>> read_user_kind(Fields& fields) {
  CAIRN_TRY(const auto kind, fields.string("kind"));
  if (!kind) return std::optional<bool>();
  if (*kind != "user" && *kind != "service")
    return illegal_argument("[kind] of a user is [user] or [service], but was [" + *kind + "]");
  return std::optional<bool>(*kind == "service");
}

Result<PrincipalRequest> read_principal(Fields& fields) {
  PrincipalRequest out;
  CAIRN_TRY(out.account, fields.string("account"));
  CAIRN_TRY(out.user, fields.string("user"));
  CAIRN_TRY(out.service, read_user_kind(fields));
  CAIRN_TRY(out.policy, read_policy(fields, "policy"));
  CAIRN_TRY(out.policy_name, fields.string_or("policy_name", "policy"));
  if (out.policy && !out.user)
    return illegal_argument(
        "[policy] bounds a user; the root of an account has all rights. Name a [user]");
  if (out.service && !out.user)
    return illegal_argument("[kind] is that of a user. Name a [user]");
  if (!out.policy) return out;
  // Before anything is made for it.
  const auto policy = auth::Policy::of_identity(*out.policy);
  CAIRN_CHECK(worded_policy(policy.ok() ? ok_status() : Status(policy.error())));
  return out;
}

Status make_user(const KeyBooks& books, const std::string& account, const std::string& user,
                 std::optional<bool> service, const os::Deadline& deadline) {
  const auto made = books.accounts->create_user(account, user, deadline, service.value_or(false));
  if (made.ok()) return ok_status();
  if (made.error().kind != ErrorKind::already_exists) return made.error();
  const auto there = books.accounts->find_user(account, user);
  if (there == nullptr || !service || there->service == *service) return ok_status();
  return Error{ErrorKind::conflict, "status_exception",
               "user [" + user + "] of account [" + account + "] is a " +
                   (there->service ? "service" : "user") + ", and stays one"};
}

Result<std::shared_ptr<const auth::Account>> make_principal(const KeyBooks& books,
                                                            const PrincipalRequest& wanted,
                                                            const os::Deadline& deadline) {
  auto& accounts = *books.accounts;
  auto account = wanted.account ? accounts.find(*wanted.account) : accounts.first();
  if (account == nullptr && !wanted.account)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "there is no account yet; name one with [account]"};
  if (account == nullptr) {
    CAIRN_TRY(account, accounts.create_account({.name = "account-" + *wanted.account,
                                                .id = wanted.account},
                                               deadline));
  }
  if (wanted.user)
    CAIRN_CHECK(make_user(books, account->id, *wanted.user, wanted.service, deadline));
  if (wanted.policy)
    CAIRN_CHECK(worded_policy(accounts.put_user_policy(account->id, *wanted.user,
                                                       wanted.policy_name, *wanted.policy,
                                                       deadline)));
  return account;
}

const gate::Parameter with_requests_parameter = {
    "with_requests", "boolean", "Adds requests: how many came with each key, hour by hour."};

Json shown_access_key(const auth::ObjectKey& key) {
  Json out =
      Json::object({{"access_key_id", key.access_key_id},
                    {"account", key.account_id},
                    {"user", key.account_user.empty() ? Json() : Json(key.account_user)},
                    {"arn", auth::principal_arn(key.account_id, key.account_user)},
                    {"active", key.active},
                    {"enabled", key.active},
                    {"creation", key.creation_ms}});
  if (key.last_use != nullptr)
    if (auto use = auth::shown_use(key.last_use->get())) out.set("last_used", *std::move(use));
  if (!key.api_key_id.empty()) out.set("api_key", key.api_key_id);
  return out;
}

}  // namespace cairn::api
