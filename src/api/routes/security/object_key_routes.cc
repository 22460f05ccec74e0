// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/object_key_routes.h"

#include <algorithm>

#include "api/routes/security/administrator_routes.h"
#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

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
  Json out = Json::object({{"name", user.name},
                          {"user_id", user.user_id},
                          {"arn", auth::principal_arn(user.account_id, user.name)},
                          {"policies", std::move(policies)},
                          {"creation", user.creation_ms}});
  if (user.service) out.set("kind", "service");
  return out;
}

Result<Reply> create_access_key(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_key_request");
  CAIRN_TRY(const auto wanted, read_principal(fields));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto account, make_principal(books, wanted, call.deadline()));
  CAIRN_TRY(const auto key, books.accounts->create_key(account->id, wanted.user.value_or(""),
                                                       call.deadline()));
  Json out = shown_access_key(*key);
  out.set("secret_access_key", key->secret);
  return Reply::json(std::move(out));
}

Result<Reply> list_access_keys(Call& call, const KeyBooks& books) {
  const auto account = call.query("account");
  const auto user = call.query("user");
  CAIRN_TRY(const bool requests, call.flag("with_requests", false));
  Json out = Json::array();
  for (const auto& key : books.object_keys->all()) {
    if ((account && *account != key->account_id) || (user && *user != key->account_user)) continue;
    Json one = shown_access_key(*key);
    if (requests) one.set("requests", auth::shown_requests(key->last_use.get()));
    out.push(std::move(one));
  }
  return Reply::json(Json::object({{"object_keys", std::move(out)}}));
}

Result<Reply> change_access_key(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_key_change");
  CAIRN_TRY(const auto active, fields.boolean("active"));
  CAIRN_CHECK(fields.finish());
  if (!active) return illegal_argument("Required [active]");
  CAIRN_TRY(const bool updated,
            books.object_keys->set_active(call.path("access_key_id"), *active, call.deadline()));
  return Reply::json(Json::object({{"updated", updated}}));
}

Result<Reply> switch_access_key(Call& call, const KeyBooks& books, bool enabled) {
  const std::string& id = call.path("access_key_id");
  if (!enabled && call.caller().key().access_key_id == id)
    return illegal_argument("API key [" + call.caller().key().id +
                            "] is good only while access key [" + id +
                            "] is, and could not take its disabling back; ask with another key");
  CAIRN_CHECK(books.object_keys->set_active(id, enabled, call.deadline()));
  return Reply::json(Json::object({{"id", id}, {"enabled", enabled}}));
}

Result<Reply> disable_access_key(Call& call, const KeyBooks& books) {
  return switch_access_key(call, books, false);
}

Result<Reply> enable_access_key(Call& call, const KeyBooks& books) {
  return switch_access_key(call, books, true);
}

Result<Reply> delete_access_key(Call& call, const KeyBooks& books) {
  const std::string& id = call.path("access_key_id");
  CAIRN_TRY(const bool there, books.principals->remove(id, call.deadline()));
  if (!there) return no_such_key_or_user("there is no access key [" + id + "]");
  return Reply::json(Json::object({{"acknowledged", true}}));
}

Result<Reply> create_account(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "object_account_request");
  auth::NewAccount wanted;
  CAIRN_TRY(wanted.name, fields.required_string("name"));
  CAIRN_TRY(wanted.id, fields.string("id"));
  CAIRN_TRY(wanted.email, fields.string_or("email", ""));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto account, books.accounts->create_account(wanted, call.deadline()));
  return Reply::json(shown_object_key(*account));
}

Result<Reply> list_accounts(Call&, const KeyBooks& books) {
  Json out = Json::array();
  for (const auto& account : books.accounts->all()) {
    Json one = shown_object_key(*account);
    Json users = Json::array();
    for (const auto& user : books.accounts->users(account->id)) users.push(shown_object_key(*user));
    one.set("users", std::move(users));
    out.push(std::move(one));
  }
  return Reply::json(Json::object({{"accounts", std::move(out)}}));
}

Result<Reply> put_user(Call& call, const KeyBooks& books) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json none = Json::object();
  Fields fields(body ? *body : none, "object_user_request");
  CAIRN_TRY(const auto service, read_user_kind(fields));
  CAIRN_TRY(const Json* policies, fields.object("policies"));
  CAIRN_CHECK(fields.finish());
  const std::string& account = call.path("account");
  const std::string& name = call.path("user");
  CAIRN_CHECK(make_user(books, account, name, service, call.deadline()));
  if (policies != nullptr) {
    Fields each = fields.nested(*policies, "policies", "object_user_policies");
    for (const auto& [policy_name, value] : policies->as_object()) {
      CAIRN_TRY(const auto document, read_policy(each, policy_name));
      CAIRN_CHECK(worded_policy(books.accounts->put_user_policy(account, name, policy_name,
                                                         document.value_or(""), call.deadline())));
    }
  }
  const auto user = books.accounts->find_user(account, name);
  if (user == nullptr)
    return no_such_key_or_user("account [" + account + "] has no user [" + name + "]");
  return Reply::json(shown_object_key(*user));
}

Result<Reply> delete_user(Call& call, const KeyBooks& books) {
  CAIRN_CHECK(
      books.accounts->delete_user(call.path("account"), call.path("user"), call.deadline()));
  return Reply::json(Json::object({{"acknowledged", true}}));
}

Result<Reply> delete_policy(Call& call, const KeyBooks& books) {
  const std::string& name = call.path("policy");
  CAIRN_TRY(const bool there, books.accounts->delete_user_policy(
                                  call.path("account"), call.path("user"), name, call.deadline()));
  if (!there)
    return no_such_key_or_user("user [" + call.path("user") + "] has no policy [" + name + "]");
  return Reply::json(Json::object({{"acknowledged", true}}));
}

using ObjectKeyWork = Result<Reply> (*)(Call&, const KeyBooks&);

void add_object_key_route(Router& router, const KeyBooks& books, gate::Route route,
                          ObjectKeyWork work) {
  router.add(for_administrators(std::move(route)),
             [books, work](Call& call) { return work(call, books); });
}

void add_access_key_rows(Router& router, const KeyBooks& books) {
  for (const auto* method : {"POST", "PUT"})
    add_object_key_route(
        router, books,
        {.method = method,
         .path = "/_security/object_key",
         .operation = "security.create_object_key",
         .content = true,
         .summary = "Makes an access key for the object storage, with its account and user where "
                    "they are not there yet; its secret is shown in this answer only.",
         .body_required = true},
        create_access_key);
  add_object_key_route(
      router, books,
      {.method = "GET",
       .path = "/_security/object_key",
       .operation = "security.get_object_keys",
       .query = {{"account", "string", "Only keys of this account."},
                 {"user", "string", "Only keys of users of this name."},
                 with_requests_parameter},
       .summary = "Shows access keys of the object storage, without their secrets."},
      list_access_keys);
  add_object_key_route(router, books,
                       {.method = "PUT",
                        .path = "/_security/object_key/{access_key_id}",
                        .operation = "security.update_object_key",
                        .summary = "Makes an access key idle, or active again.",
                        .body_required = true},
                       change_access_key);
  add_object_key_route(
      router, books,
      {.method = "PUT",
       .path = "/_security/object_key/{access_key_id}/_disable",
       .operation = "security.disable_object_key",
       .summary = "Has signatures by an access key refused from now on, of presigned addresses "
                  "too, and its API key, until it is enabled again."},
      disable_access_key);
  add_object_key_route(router, books,
                       {.method = "PUT",
                        .path = "/_security/object_key/{access_key_id}/_enable",
                        .operation = "security.enable_object_key",
                        .summary = "Has an access key taken again that was disabled."},
                       enable_access_key);
  add_object_key_route(router, books,
                       {.method = "DELETE",
                        .path = "/_security/object_key/{access_key_id}",
                        .operation = "security.delete_object_key",
                        .summary = "Deletes an access key at once, and invalidates its API key."},
                       delete_access_key);
}

void add_account_rows(Router& router, const KeyBooks& books) {
  for (const auto* method : {"POST", "PUT"})
    add_object_key_route(router, books,
                         {.method = method,
                          .path = "/_security/object_account",
                          .operation = "security.create_object_account",
                          .content = true,
                          .summary = "Makes an account of the object storage.",
                          .body_required = true},
                         create_account);
  add_object_key_route(
      router, books,
      {.method = "GET",
       .path = "/_security/object_account",
       .operation = "security.get_object_accounts",
       .summary = "Shows the accounts of the object storage, with their users and policies."},
      list_accounts);
  add_object_key_route(router, books,
                       {.method = "PUT",
                        .path = "/_security/object_account/{account}/user/{user}",
                        .operation = "security.put_object_user",
                        .summary = "Makes a user or a service of an account, and sets policies of one."},
                       put_user);
  add_object_key_route(router, books,
                       {.method = "DELETE",
                        .path = "/_security/object_account/{account}/user/{user}",
                        .operation = "security.delete_object_user",
                        .summary = "Deletes a user that has no access keys."},
                       delete_user);
  add_object_key_route(router, books,
                       {.method = "DELETE",
                        .path = "/_security/object_account/{account}/user/{user}/policy/{policy}",
                        .operation = "security.delete_object_user_policy",
                        .summary = "Deletes a policy of a user."},
                       delete_policy);
}

}  // namespace

void add_object_key_routes(Router& router, const KeyBooks& books) {
  add_access_key_rows(router, books);
  add_account_rows(router, books);
}

}  // namespace cairn::api
