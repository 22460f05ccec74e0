// SPDX-License-Identifier: Apache-2.0
#include "auth/applications/application_grants.h"

#include <algorithm>
#include <utility>

#include "auth/errors.h"
#include "base/encode.h"
#include "base/hash.h"
#include "os/threads/blocking.h"
#include "ratelimit/identity.h"

namespace cairn::auth {
namespace {

using ratelimit::IdentityKind;

constexpr std::string_view grant_records = "application-grant/";
constexpr std::int64_t hour_ms = 3'600'000;
constexpr std::size_t application_grants_max = 10'000;  // of one application

std::string folder_of_grants(std::string_view application) {
  return std::string(grant_records) + std::string(application) + "/";
}

std::string grant_record_of(std::string_view application, std::string_view account) {
  return folder_of_grants(application) + to_hex(sha256(account));
}

Error no_application(std::string_view id) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "there is no application [" + std::string(id) +
              "]: it is an API key of kind oauth_app that is good"};
}

Error no_such_grant(std::string_view account) {
  return {ErrorKind::not_found, "resource_not_found_exception",
          "nobody has granted this application tokens of [" + std::string(account) + "]"};
}

bool is_user(IdentityKind kind) {
  return kind == IdentityKind::user || kind == IdentityKind::oauth_user ||
         kind == IdentityKind::app_user;
}

bool may_be_granted(IdentityKind kind) {
  return is_user(kind) || kind == IdentityKind::installation || kind == IdentityKind::workflow;
}

bool is_good(const Key* key, std::int64_t now_ms) {
  return key != nullptr && !key->invalidation_ms && !key->disabled && !key->expired(now_ms);
}

/// Of the user that the key counts as. What raises limits comes from the key and the application,
/// never from who asks.
Result<Json> own_identity(const Key& by, const Key& application) {
  const std::string_view account = by.counted_as.account;
  if (!is_user(by.counted_as.kind) || !account.starts_with("user:"))
    return illegal_argument(
        "a key that counts as [" + std::string(account) +
        "] is no user's; authorize the application with a key that names a user, or name an "
        "[identity]");
  Json out = Json::object({{"kind", "oauth_user"}, {"user", account.substr(5)}});
  if (by.counted_as.facts.enterprise_member) out.set("enterprise_member", true);
  if (application.counted_as.facts.app_owner_enterprise) out.set("app_owner_enterprise", true);
  return out;
}

Json encoded_grant(const ApplicationGrant& grant) {
  return Json::object({{"application", grant.application},
                       {"account", grant.account},
                       {"identity", grant.identity},
                       {"role_descriptors", grant.role_descriptors},
                       {"granted_by", grant.granted_by},
                       {"username", grant.username},
                       {"granted_ms", grant.granted_ms}});
}

Result<ApplicationGrant> decode_application_grant(const store::Object& object) {
  const auto json = parse_json(object.bytes);
  const Json* const identity = json.ok() ? json->find("identity") : nullptr;
  const Json* const roles = json.ok() ? json->find("role_descriptors") : nullptr;
  if (identity == nullptr || roles == nullptr)
    return Error{ErrorKind::corrupt, "", "the record " + object.info.key + " does not read"};
  return ApplicationGrant{.application = json->string_or("application"),
                          .account = json->string_or("account"),
                          .identity = *identity,
                          .role_descriptors = *roles,
                          .granted_by = json->string_or("granted_by"),
                          .username = json->string_or("username"),
                          .granted_ms = json->int_or("granted_ms")};
}

}  // namespace

std::int64_t token_lifetime_ms(IdentityKind kind) {
  if (kind == IdentityKind::installation) return hour_ms;
  return kind == IdentityKind::workflow ? 24 * hour_ms : 8 * hour_ms;
}

Result<ApplicationGrant> ApplicationGrants::grant(std::string_view id, const Json& identity,
                                                  const Json& role_descriptors, const Key& by,
                                                  const os::Deadline& deadline) {
  const os::Blocking blocking;
  const auto application = keys_.get(id);
  if (!is_good(application.get(), clock_.unix_ms()) ||
      application->counted_as.kind != IdentityKind::oauth_app)
    return no_application(id);
  if (by.signed_in)
    return illegal_argument(
        "a token of an issuer ends soon; authorize the application with an API key of yours");
  ApplicationGrant out{
      .application = application->id,
      .account = {},
      .identity = identity,
      .role_descriptors = role_descriptors.is_null() ? Json::object() : role_descriptors,
      .granted_by = by.id,
      .username = by.username,
      .granted_ms = clock_.unix_ms()};
  if (identity.is_null()) {
    CAIRN_TRY(out.identity, own_identity(by, *application));
  } else if (!by.may_cluster("manage_api_key")) {
    return not_allowed(
        "[identity] may only be named with the cluster privilege [manage_api_key]; leave it out to "
        "authorize the application for yourself");
  }
  CAIRN_TRY(const auto counted, ratelimit::parse_identity(out.identity, by.username));
  // Of kind key: what another key counts for is not given away.
  if (!may_be_granted(counted.kind) || counted.account.starts_with("key:"))
    return illegal_argument(
        "[identity.kind] must be one of [user, oauth_user, app_user, installation, workflow]");
  out.account = counted.account;
  CAIRN_CHECK(Rights::parse(out.role_descriptors, Json::object()));
  CAIRN_TRY(const auto there, of(id, deadline));
  const auto same = [&](const ApplicationGrant& one) { return one.account == out.account; };
  if (there.size() >= application_grants_max && std::none_of(there.begin(), there.end(), same))
    return illegal_argument("an application has at most " + std::to_string(application_grants_max) +
                            " grants");
  CAIRN_CHECK(store_.put(grant_record_of(id, out.account), encoded_grant(out).dump(), deadline));
  return out;
}

Result<std::vector<ApplicationGrant>> ApplicationGrants::of(std::string_view application,
                                                            const os::Deadline& deadline) {
  const os::Blocking blocking;
  std::vector<ApplicationGrant> out;
  CAIRN_CHECK(store::for_each_object(store_, folder_of_grants(application), deadline,
                                     [&](const store::ObjectInfo& info) -> Status {
                                       auto object = store_.get(info.key, deadline);
                                       if (!object.ok() &&
                                           object.error().kind == ErrorKind::not_found)
                                         return ok_status();
                                       if (!object.ok()) return object.error();
                                       CAIRN_TRY(auto one, decode_application_grant(*object));
                                       out.push_back(std::move(one));
                                       return ok_status();
                                     }));
  return out;
}

Result<std::optional<ApplicationGrant>> ApplicationGrants::find(std::string_view application,
                                                                std::string_view account,
                                                                const os::Deadline& deadline) {
  const auto object = store_.get(grant_record_of(application, account), deadline);
  if (!object.ok() && object.error().kind == ErrorKind::not_found)
    return std::optional<ApplicationGrant>();
  if (!object.ok()) return object.error();
  CAIRN_TRY(auto grant, decode_application_grant(*object));
  return std::optional(std::move(grant));
}

// The grant goes first: from then on no token comes that the sweep would not see.
Result<std::optional<std::size_t>> ApplicationGrants::revoke(std::string_view application,
                                                             std::string_view account,
                                                             const Key& by,
                                                             const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const auto grant, find(application, account, deadline));
  if (!grant) return std::optional<std::size_t>();
  const bool own = by.counted_as.account == grant->account || by.id == grant->granted_by;
  if (!own && !by.may_cluster("manage_api_key"))
    return not_allowed("a grant of [" + grant->account +
                       "] is ended by whom it is for, by who gave it, or with the cluster "
                       "privilege [manage_api_key]");
  CAIRN_CHECK(store_.remove(grant_record_of(application, account), deadline));
  KeyFilter tokens;
  for (const auto& key : keys_.find({.owner = std::string(application), .active_only = true}))
    if (key->created_by == application && key->counted_as.account == grant->account)
      tokens.ids.push_back(key->id);
  if (tokens.ids.empty()) return std::optional<std::size_t>(0);
  CAIRN_TRY(const Invalidated ended, keys_.invalidate(tokens, deadline));
  if (!ended.errors.empty()) return ended.errors.front();
  return std::optional<std::size_t>(ended.ids.size());
}

Result<CreatedKey> ApplicationGrants::mint(const Key& application, std::string_view account,
                                           std::optional<std::int64_t> lifetime_ms,
                                           const os::Deadline& deadline) {
  const os::Blocking blocking;
  CAIRN_TRY(const auto grant, find(application.id, account, deadline));
  if (!grant) return no_such_grant(account);
  const auto granting = keys_.get(grant->granted_by);
  if (!is_good(granting.get(), clock_.unix_ms()))
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "the key that granted tokens of [" + grant->account +
                     "] has ended or is disabled; the application must be authorized again"};
  CAIRN_TRY(const auto counted, ratelimit::parse_identity(grant->identity, grant->username));
  const std::int64_t most = token_lifetime_ms(counted.kind);
  const std::int64_t lifetime = lifetime_ms.value_or(most);
  if (lifetime < 1'000 || lifetime > most)
    return illegal_argument("[expires_in] of a token of kind [" +
                            std::string(name_of(counted.kind)) + "] must be from 1s to " +
                            std::to_string(most / hour_ms) + "h");
  CAIRN_TRY(auto made, keys_.create_token({.name = application.name + " for " + grant->account,
                                           .lifetime_ms = lifetime,
                                           .role_descriptors = grant->role_descriptors,
                                           .identity = grant->identity},
                                          *granting, application.id, deadline));
  // Revoked meanwhile: whoever revoked may not have seen it.
  CAIRN_TRY(const auto still, find(application.id, account, deadline));
  if (still) return made;
  CAIRN_CHECK(keys_.invalidate({.ids = {made.key->id}}, deadline));
  return no_such_grant(account);
}

Result<bool> ApplicationGrants::end_token(const Key& application, std::string_view token,
                                          const os::Deadline& deadline) {
  const os::Blocking blocking;
  const auto parts = decode_key(token);
  const auto key = parts ? keys_.get(parts->id) : nullptr;
  if (key == nullptr || key->created_by != application.id) return false;
  CAIRN_TRY(const Invalidated ended, keys_.invalidate({.ids = {key->id}}, deadline));
  if (!ended.errors.empty()) return ended.errors.front();
  return !ended.ids.empty();
}

}  // namespace cairn::auth
