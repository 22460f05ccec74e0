// SPDX-License-Identifier: Apache-2.0
#include "api/routes/security/application_routes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/forms/error_json.h"
#include "api/forms/fields.h"

namespace cairn::api {
namespace {

using auth::ApplicationGrant;
using auth::ApplicationGrants;

Json grant_json(const ApplicationGrant& grant) {
  return Json::object({{"application", grant.application},
                       {"account", grant.account},
                       {"identity", grant.identity},
                       {"role_descriptors", grant.role_descriptors},
                       {"granted_by", grant.granted_by},
                       {"username", grant.username},
                       {"granted", grant.granted_ms}});
}

bool sees_all_grants(const Call& call) {
  return call.caller().may_cluster("read_security") || call.caller().may_cluster("manage_api_key");
}

Result<Reply> grant(Call& call, ApplicationGrants& grants) {
  CAIRN_TRY(const auto body, call.optional_body());
  const Json empty = Json::object();
  Fields fields(body ? *body : empty, "application_grant");
  CAIRN_TRY(const Json* identity, fields.object("identity"));
  CAIRN_TRY(const Json* roles, fields.object("role_descriptors"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto made,
            grants.grant(call.path("application"), identity == nullptr ? Json() : *identity,
                         roles == nullptr ? Json() : *roles, call.caller().key(), call.deadline()));
  return Reply::json(grant_json(made));
}

Result<Reply> list_grants(Call& call, ApplicationGrants& grants) {
  CAIRN_TRY(auto all, grants.of(call.path("application"), call.deadline()));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.account < b.account; });
  const auth::Key& self = call.caller().key();
  Json shown = Json::array();
  for (const ApplicationGrant& one : all)
    if (sees_all_grants(call) || one.account == self.counted_as.account ||
        one.granted_by == self.id || one.application == self.id)
      shown.push(grant_json(one));
  return Reply::json(Json::object({{"grants", std::move(shown)}}));
}

Result<Reply> revoke(Call& call, ApplicationGrants& grants) {
  CAIRN_TRY(const auto ended, grants.revoke(call.path("application"), call.path("account"),
                                            call.caller().key(), call.deadline()));
  if (!ended)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "application [" + call.path("application") + "] has no grant of [" +
                     call.path("account") + "]"};
  return Reply::json(
      Json::object({{"acknowledged", true}, {"tokens_ended", static_cast<std::int64_t>(*ended)}}));
}

/// The key of the application that asks: its client id and secret.
Result<const auth::Key*> application_of(const Call& call) {
  const bool is_one = call.caller().has_key() &&
                      call.caller().counted_as().kind == ratelimit::IdentityKind::oauth_app;
  if (is_one) return &call.caller().key();
  return illegal_argument(
      "tokens are for applications: come with a client id and its secret, an API key of kind "
      "[oauth_app]");
}

Result<Reply> create_token(Call& call, ApplicationGrants& grants) {
  CAIRN_TRY(const auth::Key* const application, application_of(call));
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "token_request");
  CAIRN_TRY(const std::string account, fields.required_string("account"));
  std::optional<std::int64_t> lifetime_ms;
  if (!fields.is_null("expires_in")) {
    CAIRN_TRY(lifetime_ms, fields.time_ms("expires_in"));
  }
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const auto made, grants.mint(*application, account, lifetime_ms, call.deadline()));
  const auth::Key& key = *made.key;
  return Reply::json(Json::object(
      {{"access_token", auth::encoded_key(key.id, made.secret)},
       {"token_type", "bearer"},
       {"expires_in", (key.expiration_ms.value_or(key.creation_ms) - key.creation_ms) / 1'000},
       {"account", key.counted_as.account},
       {"kind", name_of(key.counted_as.kind)},
       {"id", key.id}}));
}

Result<Reply> end_token(Call& call, ApplicationGrants& grants) {
  CAIRN_TRY(const auth::Key* const application, application_of(call));
  CAIRN_TRY(const Json body, call.body());
  Fields fields(body, "token_end");
  CAIRN_TRY(const std::string token, fields.required_string("access_token"));
  CAIRN_CHECK(fields.finish());
  CAIRN_TRY(const bool ended, grants.end_token(*application, token, call.deadline()));
  if (!ended)
    return Error{ErrorKind::not_found, "resource_not_found_exception",
                 "this application has no such token, or it has ended"};
  return Reply::json(Json::object({{"acknowledged", true}}));
}

}  // namespace

void add_application_routes(Router& router, ServiceRef<ApplicationGrants> grants) {
  router.add({.method = "PUT",
              .path = "/_security/application/{application}/grant",
              .operation = "security.grant_application",
              .content = true,
              .summary = "Lets an application have tokens that act for the caller."},
             [grants](Call& call) { return grant(call, *grants); });
  router.add({.method = "GET",
              .path = "/_security/application/{application}/grant",
              .operation = "security.get_application_grants",
              .summary = "For whom an application may have tokens: the caller's grants, or all."},
             [grants](Call& call) { return list_grants(call, *grants); });
  router.add({.method = "DELETE",
              .path = "/_security/application/{application}/grant/{account}",
              .operation = "security.revoke_application",
              .summary = "Ends a grant and all tokens that it has given."},
             [grants](Call& call) { return revoke(call, *grants); });
  router.add({.method = "POST",
              .path = "/_security/application/token",
              .operation = "security.create_token",
              .content = true,
              .public_data = true,  // applications have no rights of their own
              .summary = "A token of a user, an installation or a workflow, for an application.",
              .body_required = true},
             [grants](Call& call) { return create_token(call, *grants); });
  router.add({.method = "DELETE",
              .path = "/_security/application/token",
              .operation = "security.end_token",
              .public_data = true,
              .summary = "Ends a token before its time.",
              .body_required = true},
             [grants](Call& call) { return end_token(call, *grants); });
}

}  // namespace cairn::api
