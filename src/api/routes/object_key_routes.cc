// SPDX-License-Identifier: Apache-2.0
#include "api/routes/object_key_routes.h"

#include <algorithm>

#include "api/routes/administrator_routes.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

using auth::Accounts;
using auth::ObjectKeys;

struct ObjectKeyRooms {
  ServiceRef<Accounts> accounts;
  ServiceRef<ObjectKeys> keys;
};

Error no_such_key_or_user(std::string message) {
  return {ErrorKind::not_found, "resource_not_found_exception", std::move(message)};
}

Json shown_object_key(const auth::Account& account) {
  Json out = Json::object(
      {{"id", account.id}, {"canonical_id", account.canonical_id}, {"name", account.name}});
  if (!account.email.empty()) out.set("email", account.email);
  out.set("creation", account.creation_ms);
  return out;
}

Json shown_object_key(const auth::AccountUser& user) {
  Json policies = Json::object();
  for (const auto& [name, document] : user.policies) {
    auto read = parse_json(document);
    policies.set(name, read.ok() ? std::move(*read) : Json(document));
  }
  return Json::object({{"name", user.name},
                       {"user_id", user.user_id},
                       {"arn", auth::principal_arn(user.account_id, user.name)},
                       {"policies", std::move(policies)},
                       {"creation", user.creation_ms}});
}

Json shown_object_key(const auth::ObjectKey& key) {
  return Json::object({{"access_key_id", key.access_key_id},
                       {"account", key.account_id},
                       {"user", key.account_user.empty() ? Json() : Json(key.account_user)},
                       {"arn", auth::principal_arn(key.account_id, key.account_user)},
                       {"active", key.active},
                       {"creation", key.creation_ms}});
}

/// A policy as an object, or as its text. Errors: those of a field of another type.
Result<std::optional<std::string>> policy_of(Fields& fields, std::string_view name) {
  const Json* value = fields.any(name);
  if (value == nullptr) return std::optional<std::string>();
  if (value->is_object()) return std::optional<std::string>(value->dump());
  if (value->is_string()) return std::optional<std::string>(value->as_string());
  return fields.fault(name, "a policy is an object, or its text");
}

/// Faults of a policy in the platform's own form.
Status worded(Status status) {
  if (status.ok() ||
      (status.error().code != "MalformedPolicyDocument" && status.error().code != "PolicyTooLarge"))
    return status;
  return illegal_argument("[policy] is refused: " + status.error().message);
}

Status check_policy(std::string_view document) {
  const auto policy = auth::Policy::of_identity(document);
  return worded(policy.ok() ? ok_status() : Status(policy.error()));
}

/// The one that is named, made where it is not there yet; the oldest where none is named.
Result<std::shared_ptr<const auth::Account>> account_for_key(const ObjectKeyRooms& rooms,
                                                             const std::optional<std::string>& id,
                                                             const os::Deadline& deadline) {
  auto account = id ? rooms.accounts->find(*id) : rooms.accounts->first();
  if (account != nullptr) return account;
  if (!id) return no_such_key_or_user("there is no account yet; name one with [account]");
  return rooms.accounts->create_account({.name = "account-" + *id, .id = id}, deadline);
}

Result<Reply> create_key(Call& call, const ObjectKeyRooms& rooms) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_key_request");
  CAIRN_TRY(const auto account_id, fields.string("account"));
  CAIRN_TRY(const auto user, fields.string("user"));
  CAIRN_TRY(const auto policy, policy_of(fields, "policy"));
  CAIRN_TRY(const auto policy_name, fields.string_or("policy_name", "policy"));
  CAIRN_CHECK(fields.finish());
  if (policy && !user)
    return illegal_argument(
        "[policy] bounds a user; the root of an account has all rights. Name a [user]");
  // Before anything is made for it.
  if (policy) CAIRN_CHECK(check_policy(*policy));
  CAIRN_TRY(const auto account, account_for_key(rooms, account_id, call.deadline()));
  if (user) {
    const auto made = rooms.accounts->create_user(account->id, *user, call.deadline());
    if (!made.ok() && made.error().kind != ErrorKind::already_exists) return made.error();
  }
  if (policy)
    CAIRN_CHECK(worded(rooms.accounts->put_user_policy(account->id, *user, policy_name, *policy,
                                                       call.deadline())));
  CAIRN_TRY(const auto key,
            rooms.accounts->create_key(account->id, user.value_or(""), call.deadline()));
  Json out = shown_object_key(*key);
  out.set("secret_access_key", key->secret);
  return Reply::json(std::move(out));
}

Result<Reply> list_keys(Call& call, const ObjectKeyRooms& rooms) {
  const auto account = call.query("account");
  const auto user = call.query("user");
  Json out = Json::array();
  for (const auto& key : rooms.keys->all())
    if ((!account || *account == key->account_id) && (!user || *user == key->account_user))
      out.push(shown_object_key(*key));
  return Reply::json(Json::object({{"object_keys", std::move(out)}}));
}

Result<Reply> change_key(Call& call, const ObjectKeyRooms& rooms) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_key_change");
  CAIRN_TRY(const auto active, fields.boolean("active"));
  CAIRN_CHECK(fields.finish());
  if (!active) return illegal_argument("Required [active]");
  CAIRN_TRY(const bool updated,
            rooms.keys->set_active(call.path("access_key_id"), *active, call.deadline()));
  return Reply::json(Json::object({{"updated", updated}}));
}

Result<Reply> delete_key(Call& call, const ObjectKeyRooms& rooms) {
  const std::string& id = call.path("access_key_id");
  CAIRN_TRY(const bool there, rooms.keys->remove(id, call.deadline()));
  if (!there) return no_such_key_or_user("there is no access key [" + id + "]");
  return Reply::json(Json::object({{"acknowledged", true}}));
}

Result<Reply> create_account(Call& call, const ObjectKeyRooms& rooms) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_account_request");
  auth::NewAccount wanted;
  CAIRN_TRY(wanted.name, fields.required_string("name"));
  CAIRN_TRY(wanted.id, fields.string("id"));
  CAIRN_TRY(wanted.email, fields.string_or("email", ""));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto account, rooms.accounts->create_account(wanted, call.deadline()));
  return Reply::json(shown_object_key(*account));
}

Result<Reply> list_accounts(Call&, const ObjectKeyRooms& rooms) {
  Json out = Json::array();
  for (const auto& account : rooms.accounts->all()) {
    Json one = shown_object_key(*account);
    Json users = Json::array();
    for (const auto& user : rooms.accounts->users(account->id)) users.push(shown_object_key(*user));
    one.set("users", std::move(users));
    out.push(std::move(one));
  }
  return Reply::json(Json::object({{"accounts", std::move(out)}}));
}

Result<Reply> put_user(Call& call, const ObjectKeyRooms& rooms) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json none = Json::object();
  Fields fields(body ? *body : none, "object_user_request");
  CAIRN_TRY(const Json* policies, fields.object("policies"));
  CAIRN_CHECK(fields.finish());
  const std::string& account = call.path("account");
  const std::string& name = call.path("user");
  const auto made = rooms.accounts->create_user(account, name, call.deadline());
  if (!made.ok() && made.error().kind != ErrorKind::already_exists) return made.error();
  if (policies != nullptr) {
    Fields each = fields.nested(*policies, "policies", "object_user_policies");
    for (const auto& [policy_name, value] : policies->as_object()) {
      CAIRN_TRY(const auto document, policy_of(each, policy_name));
      CAIRN_CHECK(worded(rooms.accounts->put_user_policy(account, name, policy_name,
                                                         document.value_or(""), call.deadline())));
    }
  }
  const auto user = rooms.accounts->find_user(account, name);
  if (user == nullptr)
    return no_such_key_or_user("account [" + account + "] has no user [" + name + "]");
  return Reply::json(shown_object_key(*user));
}

Result<Reply> delete_user(Call& call, const ObjectKeyRooms& rooms) {
  CAIRN_CHECK(
      rooms.accounts->delete_user(call.path("account"), call.path("user"), call.deadline()));
  return Reply::json(Json::object({{"acknowledged", true}}));
}

Result<Reply> delete_policy(Call& call, const ObjectKeyRooms& rooms) {
  const std::string& name = call.path("policy");
  CAIRN_TRY(const bool there, rooms.accounts->delete_user_policy(
                                  call.path("account"), call.path("user"), name, call.deadline()));
  if (!there)
    return no_such_key_or_user("user [" + call.path("user") + "] has no policy [" + name + "]");
  return Reply::json(Json::object({{"acknowledged", true}}));
}

using ObjectKeyWork = Result<Reply> (*)(Call&, const ObjectKeyRooms&);

void add_object_key_route(Router& router, const ObjectKeyRooms& rooms, gate::Route route,
                          ObjectKeyWork work) {
  router.add(for_administrators(std::move(route)),
             [rooms, work](Call& call) { return work(call, rooms); });
}

void add_key_rows(Router& router, const ObjectKeyRooms& rooms) {
  for (const auto* method : {"POST", "PUT"})
    add_object_key_route(
        router, rooms,
        {.method = method,
         .path = "/_security/object_key",
         .operation = "security.create_object_key",
         .content = true,
         .summary = "Makes an access key for the object storage, with its account and user where "
                    "they are not there yet; its secret is shown in this answer only.",
         .body_required = true},
        create_key);
  add_object_key_route(
      router, rooms,
      {.method = "GET",
       .path = "/_security/object_key",
       .operation = "security.get_object_keys",
       .query = {{"account", "string", "Only keys of this account."},
                 {"user", "string", "Only keys of users of this name."}},
       .summary = "Shows access keys of the object storage, without their secrets."},
      list_keys);
  add_object_key_route(router, rooms,
                       {.method = "PUT",
                        .path = "/_security/object_key/{access_key_id}",
                        .operation = "security.update_object_key",
                        .summary = "Makes an access key idle, or active again.",
                        .body_required = true},
                       change_key);
  add_object_key_route(router, rooms,
                       {.method = "DELETE",
                        .path = "/_security/object_key/{access_key_id}",
                        .operation = "security.delete_object_key",
                        .summary = "Deletes an access key at once."},
                       delete_key);
}

void add_account_rows(Router& router, const ObjectKeyRooms& rooms) {
  for (const auto* method : {"POST", "PUT"})
    add_object_key_route(router, rooms,
                         {.method = method,
                          .path = "/_security/object_account",
                          .operation = "security.create_object_account",
                          .content = true,
                          .summary = "Makes an account of the object storage.",
                          .body_required = true},
                         create_account);
  add_object_key_route(
      router, rooms,
      {.method = "GET",
       .path = "/_security/object_account",
       .operation = "security.get_object_accounts",
       .summary = "Shows the accounts of the object storage, with their users and policies."},
      list_accounts);
  add_object_key_route(router, rooms,
                       {.method = "PUT",
                        .path = "/_security/object_account/{account}/user/{user}",
                        .operation = "security.put_object_user",
                        .summary = "Makes a user of an account, and sets policies of one."},
                       put_user);
  add_object_key_route(router, rooms,
                       {.method = "DELETE",
                        .path = "/_security/object_account/{account}/user/{user}",
                        .operation = "security.delete_object_user",
                        .summary = "Deletes a user that has no access keys."},
                       delete_user);
  add_object_key_route(router, rooms,
                       {.method = "DELETE",
                        .path = "/_security/object_account/{account}/user/{user}/policy/{policy}",
                        .operation = "security.delete_object_user_policy",
                        .summary = "Deletes a policy of a user."},
                       delete_policy);
}

}  // namespace

void add_object_key_routes(Router& router, ServiceRef<Accounts> accounts,
                           ServiceRef<ObjectKeys> keys) {
  const ObjectKeyRooms rooms{accounts, keys};
  add_key_rows(router, rooms);
  add_account_rows(router, rooms);
}

}  // namespace cairn::api
