// SPDX-License-Identifier: Apache-2.0
// Access grants: instances, locations and grants, made, shown, listed and deleted; and credentials.
#include "s3api/grants/grants.h"

#include <algorithm>
#include <utility>

#include "s3/errors.h"
#include "s3api/access/access.h"
#include "s3api/access/granted_access.h"
#include "s3api/handlers.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t grants_page_max = 1000;
constexpr std::int64_t duration_min_s = 900, duration_max_s = 43'200, duration_usual_s = 3600;

Error bad_grant(std::string message) { return s3::error("InvalidRequest", std::move(message)); }

const std::string& account_of(const Call& call) { return call.identity.account().account_id; }

std::string instance_arn(const Call& call) {
  return "arn:aws:s3:" + call.context.options.region + ":" + account_of(call) +
         ":access-grants/default";
}

s3::Time shown_time(std::int64_t ms) { return s3::Time{ms / 1000 * 1000}; }

Result<auth::AccessGrants*> grants_of(const Call& call) {
  if (call.context.grants.grants == nullptr)
    return s3::error("NotImplemented", "This service has no access grants.");
  return call.context.grants.grants;
}

Result<std::shared_ptr<const auth::GrantsOfAccount>> own_grants(const Call& call) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  auto found = book->find(account_of(call));
  if (found != nullptr) return found;
  return s3::error("AccessGrantsInstanceNotExistsError",
                   "The account has no access grants instance.");
}

Error no_such_location(const std::string& id) {
  return s3::error("NoSuchAccessGrantsLocationError",
                   "There is no access grants location " + id + ".");
}

/// The user of the call's account that an ARN names; empty: its root. There are no roles here:
/// a role stands for the user of its name. Errors: InvalidRequest.
Result<std::string> user_of_arn(const Call& call, std::string_view arn) {
  const std::string own = "arn:aws:iam::" + account_of(call) + ":";
  if (!arn.starts_with(own))
    return bad_grant("Users are those of the instance's own account: " + own + "user/NAME, but was " +
                     std::string(arn) + ".");
  const std::string_view rest = arn.substr(own.size());
  if (rest == "root") return std::string();
  for (const std::string_view kind : {"user/", "role/"})
    if (rest.starts_with(kind) && rest.size() > kind.size()) {
      std::string user(rest.substr(kind.size()));
      if (call.context.grants.find_user(account_of(call), user) != nullptr) return user;
      return bad_grant("The account has no user " + user + ".");
    }
  return bad_grant("An ARN ends with user/NAME, role/NAME or root, but was " + std::string(arn) +
                   ".");
}

/// Whoever hands the rights of a user on must have them, or be allowed to. Errors: AccessDenied.
Status check_may_pass(const Call& call, const std::string& user) {
  const auth::ObjectCaller& caller = *call.identity.who();
  const std::string arn = auth::principal_arn(account_of(call), user);
  if (caller.is_root() || caller.arn == arn) return ok_status();
  if (!user.empty() && decide_by_caller("iam:PassRole", access_of(call), arn).ok())
    return ok_status();
  return s3::error("AccessDenied", "Handing the rights of " + arn + " on takes iam:PassRole.");
}

Status check_own_bucket(const Call& call, const std::string& name) {
  const auto bucket = call.engine().head_bucket(name);
  if (!bucket.ok() || s3::is_reserved_bucket(name) ||
      bucket->owner.account_id != account_of(call))
    return s3::error("NoSuchBucket").with_detail("BucketName", name);
  if (bucket->is_directory()) return bad_grant("Directory buckets have no access grants.");
  if (bucket->is_of_outpost()) return bad_grant("Buckets of outposts have no access grants.");
  return ok_status();
}

s3::AccessGrantsLocationOutput shown_location(const Call& call,
                                              const auth::GrantLocation& location) {
  std::string scope = location.scope.text();
  return {.created_at = shown_time(location.creation_ms),
          .access_grants_location_id = location.id,
          .access_grants_location_arn = instance_arn(call) + "/location/" + location.id,
          .location_scope = std::move(scope),
          .iam_role_arn = location.role_arn};
}

s3::AccessGrantOutput shown_grant(const Call& call, const auth::AccessGrant& grant) {
  s3::AccessGrantOutput out{.created_at = shown_time(grant.creation_ms),
                            .access_grant_id = grant.id,
                            .access_grant_arn = instance_arn(call) + "/grant/" + grant.id,
                            .grantee = {.grantee_type = "IAM", .grantee_identifier = grant.grantee},
                            .permission = std::string(auth::name_of(grant.permission)),
                            .access_grants_location_id = grant.location_id,
                            .access_grants_location_configuration = {},
                            .grant_scope = grant.scope.text()};
  if (!grant.sub_prefix.empty())
    out.access_grants_location_configuration.s3_sub_prefix = grant.sub_prefix;
  return out;
}

Result<std::size_t> page_of(const std::optional<std::int64_t>& asked) {
  const std::int64_t most = asked.value_or(grants_page_max);
  if (most >= 1 && most <= grants_page_max) return static_cast<std::size_t>(most);
  return bad_argument("maxResults", std::to_string(most),
                      "Argument maxResults must be an integer between 1 and 1000");
}

template <class Tags>
Status check_no_tags(const Tags& tags) {
  return tags.empty() ? ok_status()
                      : Status(s3::error("NotImplemented",
                                         "Tags of access grants are not offered here."));
}

/// What a grant of a location covers. Errors: InvalidRequest.
Result<auth::GrantScope> scope_of_grant(const auth::GrantLocation& location,
                                        const std::string& sub_prefix, bool object) {
  if (object && sub_prefix.ends_with('*'))
    return bad_grant("S3PrefixType Object names one object, without an asterisk.");
  if (!object && !sub_prefix.empty() && !sub_prefix.ends_with('*'))
    return bad_grant("S3SubPrefix ends with an asterisk, unless S3PrefixType is Object.");
  std::string text = "s3://";
  if (!location.scope.bucket.empty())
    text += location.scope.bucket + "/" + location.scope.key;
  CAIRN_TRY(auto scope, auth::GrantScope::parse(text + sub_prefix, object));
  if (scope.bucket.empty())
    return bad_grant("A grant of the location s3:// names its bucket in S3SubPrefix.");
  return scope;
}

}  // namespace

bool is_about_grants(const ParsedCall& call) {
  return call.operation != nullptr && call.operation->path.starts_with(grants_path);
}

std::string resource_of_grants(const Call& call) {
  std::string arn = instance_arn(call);
  const std::string_view path = call.operation->path;
  if (path.ends_with("/location/{name}")) return arn + "/location/" + call.address.key;
  if (path.ends_with("/grant/{name}")) return arn + "/grant/" + call.address.key;
  return arn;
}

Result<s3::AccessGrantsInstanceOutput> create_access_grants_instance(
    Call& call, const s3::CreateAccessGrantsInstanceInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  if (const auto& wanted = in.create_access_grants_instance_request) {
    if (wanted->identity_center_arn)
      return s3::error("NotImplemented", "There is no identity center here; leave it out.");
    CAIRN_CHECK(check_no_tags(wanted->tags));
  }
  CAIRN_TRY(const auto made, book->create_instance(account_of(call), call.deadline()));
  return s3::AccessGrantsInstanceOutput{.created_at = shown_time(made.creation_ms),
                                        .access_grants_instance_id = made.id,
                                        .access_grants_instance_arn = instance_arn(call)};
}

Result<s3::AccessGrantsInstanceOutput> get_access_grants_instance(Call& call,
                                                                  const s3::AccessGrantsInput&) {
  CAIRN_TRY(const auto own, own_grants(call));
  return s3::AccessGrantsInstanceOutput{.created_at = shown_time(own->instance.creation_ms),
                                        .access_grants_instance_id = own->instance.id,
                                        .access_grants_instance_arn = instance_arn(call)};
}

Result<s3::EmptyOutput> delete_access_grants_instance(Call& call, const s3::AccessGrantsInput&) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  CAIRN_CHECK(book->delete_instance(account_of(call), call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::ListAccessGrantsInstancesOutput> list_access_grants_instances(
    Call& call, const s3::AccessGrantsPageInput& in) {
  CAIRN_CHECK(page_of(in.max_results));
  s3::ListAccessGrantsInstancesOutput out;
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  if (const auto own = book->find(account_of(call)))
    out.access_grants_instances_list.push_back(
        {.created_at = shown_time(own->instance.creation_ms),
         .access_grants_instance_id = own->instance.id,
         .access_grants_instance_arn = instance_arn(call)});
  return out;
}

Result<s3::GetAccessGrantsInstanceForPrefixOutput> get_access_grants_instance_for_prefix(
    Call& call, const s3::GetAccessGrantsInstanceForPrefixInput& in) {
  CAIRN_TRY(const auto scope, auth::GrantScope::parse(in.s3_prefix, false));
  CAIRN_TRY(const auto own, own_grants(call));
  const bool known = std::any_of(own->locations.begin(), own->locations.end(), [&](const auto& one) {
    return one.second.scope.bucket.empty() || one.second.scope.bucket == scope.bucket;
  });
  if (!known)
    return s3::error("AccessGrantsInstanceNotExistsError",
                     "No location of the account's access grants instance has this prefix.");
  return s3::GetAccessGrantsInstanceForPrefixOutput{
      .access_grants_instance_arn = instance_arn(call),
      .access_grants_instance_id = own->instance.id};
}

Result<s3::AccessGrantsLocationOutput> create_access_grants_location(
    Call& call, const s3::CreateAccessGrantsLocationInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  const auto& wanted = in.create_access_grants_location_request;
  CAIRN_CHECK(check_no_tags(wanted.tags));
  CAIRN_TRY(auto scope, auth::GrantScope::parse(wanted.location_scope, false));
  if (!scope.bucket.empty()) CAIRN_CHECK(check_own_bucket(call, scope.bucket));
  CAIRN_TRY(auto user, user_of_arn(call, wanted.iam_role_arn));
  CAIRN_CHECK(check_may_pass(call, user));
  CAIRN_TRY(const auto made,
            book->create_location(account_of(call),
                                  {.id = {},
                                   .scope = std::move(scope),
                                   .role_arn = wanted.iam_role_arn,
                                   .user = std::move(user)},
                                  call.deadline()));
  return shown_location(call, made);
}

Result<s3::AccessGrantsLocationOutput> get_access_grants_location(
    Call& call, const s3::AccessGrantsNameInput& in) {
  CAIRN_TRY(const auto own, own_grants(call));
  const auto found = own->locations.find(in.name);
  if (found == own->locations.end()) return no_such_location(in.name);
  return shown_location(call, found->second);
}

Result<s3::AccessGrantsLocationOutput> update_access_grants_location(
    Call& call, const s3::UpdateAccessGrantsLocationInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  const std::string& arn = in.update_access_grants_location_request.iam_role_arn;
  CAIRN_TRY(const auto user, user_of_arn(call, arn));
  CAIRN_CHECK(check_may_pass(call, user));
  CAIRN_TRY(const auto changed,
            book->update_location(account_of(call), in.name, arn, user, call.deadline()));
  return shown_location(call, changed);
}

Result<s3::EmptyOutput> delete_access_grants_location(Call& call,
                                                      const s3::AccessGrantsNameInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  CAIRN_CHECK(book->delete_location(account_of(call), in.name, call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::ListAccessGrantsLocationsOutput> list_access_grants_locations(
    Call& call, const s3::ListAccessGrantsLocationsInput& in) {
  CAIRN_TRY(const std::size_t most, page_of(in.max_results));
  CAIRN_TRY(const std::string after, start_of_page(in.next_token));
  CAIRN_TRY(const auto own, own_grants(call));
  s3::ListAccessGrantsLocationsOutput out;
  for (auto at = own->locations.upper_bound(after); at != own->locations.end(); ++at) {
    if (in.location_scope && *in.location_scope != at->second.scope.text()) continue;
    if (out.access_grants_locations_list.size() == most) {
      out.next_token = continuation_token(
          out.access_grants_locations_list.back().access_grants_location_id);
      break;
    }
    out.access_grants_locations_list.push_back(shown_location(call, at->second));
  }
  return out;
}

Result<s3::AccessGrantOutput> create_access_grant(Call& call,
                                                  const s3::CreateAccessGrantInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  const auto& wanted = in.create_access_grant_request;
  CAIRN_CHECK(check_no_tags(wanted.tags));
  if (wanted.grantee.grantee_type != "IAM")
    return s3::error("NotImplemented", "There is no directory here; grantees are of the type IAM.");
  if (wanted.application_arn)
    return s3::error("NotImplemented", "There is no identity center here; leave ApplicationArn out.");
  CAIRN_TRY(const auto own, own_grants(call));
  const auto location = own->locations.find(wanted.access_grants_location_id);
  if (location == own->locations.end()) return no_such_location(wanted.access_grants_location_id);
  CAIRN_TRY(const std::string grantee, user_of_arn(call, wanted.grantee.grantee_identifier));
  const auto& where = wanted.access_grants_location_configuration;
  std::string sub_prefix = where ? where->s3_sub_prefix.value_or("") : std::string();
  CAIRN_TRY(auto scope,
            scope_of_grant(location->second, sub_prefix, wanted.s3_prefix_type.has_value()));
  CAIRN_CHECK(check_own_bucket(call, scope.bucket));
  CAIRN_TRY(const auto made,
            book->create_grant(
                account_of(call),
                {.id = {},
                 .location_id = location->first,
                 .sub_prefix = std::move(sub_prefix),
                 .scope = std::move(scope),
                 .permission = *auth::find_grant_permission(wanted.permission),
                 .grantee = auth::principal_arn(account_of(call), grantee)},
                call.deadline()));
  return shown_grant(call, made);
}

Result<s3::AccessGrantOutput> get_access_grant(Call& call, const s3::AccessGrantsNameInput& in) {
  CAIRN_TRY(const auto own, own_grants(call));
  const auto found = own->grants.find(in.name);
  if (found != own->grants.end()) return shown_grant(call, found->second);
  return s3::error("NoSuchAccessGrantError", "There is no access grant " + in.name + ".");
}

Result<s3::EmptyOutput> delete_access_grant(Call& call, const s3::AccessGrantsNameInput& in) {
  CAIRN_TRY(auth::AccessGrants* const book, grants_of(call));
  CAIRN_CHECK(book->delete_grant(account_of(call), in.name, call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::ListAccessGrantsOutput> list_access_grants(Call& call,
                                                      const s3::ListAccessGrantsInput& in) {
  CAIRN_TRY(const std::size_t most, page_of(in.max_results));
  CAIRN_TRY(const std::string after, start_of_page(in.next_token));
  CAIRN_TRY(const auto own, own_grants(call));
  const auto fits = [&](const auth::AccessGrant& grant) {
    return (!in.grantee_type || *in.grantee_type == "IAM") &&
           (!in.grantee_identifier || *in.grantee_identifier == grant.grantee) &&
           (!in.permission || *in.permission == auth::name_of(grant.permission)) &&
           (!in.grant_scope || *in.grant_scope == grant.scope.text());
  };
  s3::ListAccessGrantsOutput out;
  for (auto at = own->grants.upper_bound(after); at != own->grants.end(); ++at) {
    if (!fits(at->second)) continue;
    if (out.access_grants_list.size() == most) {
      out.next_token = continuation_token(out.access_grants_list.back().access_grant_id);
      break;
    }
    out.access_grants_list.push_back(shown_grant(call, at->second));
  }
  return out;
}

Result<s3::GetDataAccessOutput> get_data_access(Call& call, const s3::GetDataAccessInput& in) {
  if (call.context.grant_tokens == nullptr)
    return s3::error("NotImplemented", "This service gives no credentials.");
  CAIRN_TRY(const auto own, own_grants(call));
  const bool object = in.target_type.has_value();
  if (!object && !in.target.ends_with('*'))
    return bad_grant("A target ends with an asterisk, unless targetType is Object.");
  CAIRN_TRY(const auto target, auth::GrantScope::parse(in.target, object));
  const std::int64_t duration_s = in.duration_seconds.value_or(duration_usual_s);
  if (duration_s < duration_min_s || duration_s > duration_max_s)
    return bad_argument("durationSeconds", std::to_string(duration_s),
                        "Argument durationSeconds must be an integer between 900 and 43200");
  const auto permission = *auth::find_grant_permission(in.permission);
  const auth::AccessGrant* const grant =
      own->find(call.identity.who()->arn, target, permission);
  if (grant == nullptr)
    return s3::error("AccessDenied", "You do not have " + in.permission + " permissions to the "
                                     "requested S3 Prefix: " + in.target);
  const bool minimal = in.privilege && *in.privilege == "Minimal";
  const GrantedAccess given = call.context.grant_tokens->draw(
      {.parent_key_id = call.identity.claim().access_key_id,
       .account_id = account_of(call),
       .grant_id = grant->id,
       .scope = minimal ? target : grant->scope,
       .permission = permission,
       .expires_ms = (call.context.clock.unix_ms() / 1000 + duration_s) * 1000});
  return s3::GetDataAccessOutput{
      .credentials = {.access_key_id = given.access_key_id,
                      .secret_access_key = given.secret,
                      .session_token = call.context.grant_tokens->token(given),
                      .expiration = s3::Time{given.expires_ms}},
      .matched_grant_target = given.scope.text(),
      .grantee = {.grantee_type = "IAM", .grantee_identifier = grant->grantee}};
}

}  // namespace cairn::s3api
