// SPDX-License-Identifier: Apache-2.0
// Access points made, shown, listed and deleted, and their policies.
#include <utility>

#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3api/access/access_point_rules.h"
#include "s3api/accesspoints/control.h"
#include "s3api/handlers.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view internet = "Internet";  // the one network that there is
constexpr std::int64_t list_access_points_max = 1000;
constexpr std::size_t alias_random_bytes = 34;

Result<objectstore::AccessPointView> own_access_point(const Call& call, std::string_view name) {
  auto point =
      call.engine().access_points().find(call.identity.account().account_id,
                                         s3::key_of(call.outpost_id, name));
  if (point != nullptr) return point;
  return s3::error("NoSuchAccessPoint").with_detail("AccessPointName", std::string(name));
}

Error no_scope() {
  return s3::error("InvalidRequest", "Only access points of directory buckets have a Scope.");
}

// Errors: InvalidRequest.
Result<s3::AccessPointScope> scope_of(const std::optional<s3::ScopeElement>& given) {
  s3::AccessPointScope scope;
  if (!given) return scope;
  std::size_t bytes = 0;
  for (const std::string& prefix : given->prefixes) bytes += prefix.size();
  if (bytes > s3::scope_prefix_bytes_max)
    return s3::error("InvalidRequest", "The prefixes of a scope have less than 256 bytes together.");
  for (const std::string& prefix : given->prefixes)
    if (prefix.empty())
      return s3::error("InvalidRequest", "A prefix of a scope must not be empty; leave it out.");
  scope.prefixes = given->prefixes;
  for (const std::string& permission : given->permissions) {
    if (!s3::is_scope_permission(permission))
      return s3::error("InvalidRequest", "A scope has no permission " + permission + ".");
    const bool again = !scope.permissions.empty() && scope.covers_permission(permission);
    if (!again) scope.permissions.push_back(permission);
  }
  return scope;
}

Status check_name(const std::string& name) {
  if (s3::is_access_point_name(name) || s3::is_directory_access_point_name(name))
    return ok_status();
  return s3::error("InvalidRequest",
                   "An access point is called by 3 to 50 lower-case letters, digits and hyphens in "
                   "between; one of a directory bucket has --<zone>--xa-s3 behind that.")
      .with_detail("AccessPointName", name);
}

// The name says what kind of bucket it is for, and in which zone.
Status check_fits(const std::string& name, const s3::Bucket& bucket) {
  const std::string_view zone = s3::zone_id_of_access_point_name(name);
  if (zone == (bucket.zone ? std::string_view(bucket.zone->id) : std::string_view()))
    return ok_status();
  return s3::error("InvalidRequest",
                   bucket.zone ? "An access point of this bucket has a name that ends with --" +
                                     bucket.zone->id + "--xa-s3."
                               : "Only access points of directory buckets have such a name.")
      .with_detail("AccessPointName", name);
}

Status check_offered(const s3::CreateAccessPointRequest& in) {
  if (in.vpc_configuration)
    return s3::error("NotImplemented",
                     "Access points of a virtual private cloud (VpcConfiguration) are not offered "
                     "here: requests come from the network that the service listens on.");
  if (!in.tags.empty())
    return s3::error("NotImplemented", "Tags of access points are not offered here.");
  return ok_status();
}

s3::AccessPointBlock block_of(const std::optional<s3::PublicAccessBlockElement>& given) {
  if (!given) return {};
  return {.block_public_acls = given->block_public_acls.value_or(false),
          .ignore_public_acls = given->ignore_public_acls.value_or(false),
          .block_public_policy = given->block_public_policy.value_or(false),
          .restrict_public_buckets = given->restrict_public_buckets.value_or(false)};
}

// Of an outpost's bucket the ARN may stand there, too.
std::string bucket_name_of(const Call& call, const std::string& given) {
  return name_on_outpost(call, "bucket", given);
}

// Another account's bucket is named with its account. Whether there is one such is told to nobody
// who does not know whose it is.
Result<s3::Bucket> bucket_of_new(const Call& call, const s3::CreateAccessPointRequest& in) {
  const std::string& own = call.identity.account().account_id;
  if (in.bucket_account_id && !s3::is_account_id(*in.bucket_account_id))
    return s3::error("InvalidRequest", "BucketAccountId must be an account of 12 digits.");
  auto bucket = call.engine().head_bucket(bucket_name_of(call, in.bucket));
  if (!bucket.ok() || bucket->owner.account_id != in.bucket_account_id.value_or(own) ||
      bucket->outpost_id != call.outpost_id)
    return s3::error("NoSuchBucket").with_detail("BucketName", in.bucket);
  if (bucket->is_of_outpost() && bucket->owner.account_id != own)
    return s3::error("InvalidRequest", "An access point of an outpost is of the bucket's account.");
  return bucket;
}

// Of a directory bucket the name itself stands where a bucket's does.
std::string alias_of_new(const Call& call, const std::string& name, const s3::Bucket& bucket) {
  if (bucket.is_directory()) return name;
  if (bucket.is_of_outpost())
    return s3::outpost_alias({.name = name,
                              .region = region_of(bucket, call.context.options),
                              .outpost_id = bucket.outpost_id},
                             call.context.random.bytes(alias_random_bytes));
  return s3::access_point_alias(name, call.context.random.bytes(alias_random_bytes));
}

struct AskedPage {
  std::string bucket;  // empty: of any
  bool directory = false;
  std::optional<std::string> token;
  std::optional<std::int64_t> most;
};

Result<s3::ListAccessPointsOutput> page_of(Call& call, const AskedPage& asked) {
  const std::int64_t most = asked.most.value_or(list_access_points_max);
  if (most < 1 || most > list_access_points_max)
    return bad_argument("maxResults", std::to_string(most),
                        "Argument maxResults must be an integer between 1 and 1000");
  CAIRN_TRY(const std::string after, start_of_page(asked.token));
  const objectstore::AccessPointPage page =
      call.engine().access_points().list({.account_id = call.identity.account().account_id,
                                          .bucket = asked.bucket,
                                          .directory = asked.directory,
                                          .outpost_id = call.outpost_id,
                                          .after = after,
                                          .limit = static_cast<std::size_t>(most)});
  s3::ListAccessPointsOutput out;
  for (const objectstore::AccessPointView& each : page.points)
    out.access_point_list.push_back({.name = each->point.name,
                                     .network_origin = std::string(internet),
                                     .bucket = each->point.bucket,
                                     .access_point_arn = s3::arn_of(each->point),
                                     .alias = each->point.alias,
                                     .bucket_account_id = each->point.bucket_account_id});
  if (page.truncated) out.next_token = continuation_token(out.access_point_list.back().name);
  return out;
}

Status check_has_scope(const std::string& name) {
  if (!s3::zone_id_of_access_point_name(name).empty()) return ok_status();
  return no_scope().with_detail("AccessPointName", name);
}

}  // namespace

Result<s3::CreateAccessPointOutput> create_access_point(Call& call,
                                                        const s3::CreateAccessPointInput& in) {
  const s3::CreateAccessPointRequest& wanted = in.create_access_point_request;
  CAIRN_CHECK(check_name(in.name));
  CAIRN_CHECK(check_offered(wanted));
  CAIRN_TRY(s3::AccessPointScope scope, scope_of(wanted.scope));
  CAIRN_TRY(const s3::Bucket bucket, bucket_of_new(call, wanted));
  CAIRN_CHECK(check_fits(in.name, bucket));
  if (!bucket.is_directory() && wanted.scope) return no_scope();
  CAIRN_TRY(const objectstore::AccessPointView made,
            call.engine().access_points().create(
                {.name = in.name,
                 .owner = call.identity.account(),
                 .bucket = bucket.name,
                 .bucket_account_id = bucket.owner.account_id,
                 .region = region_of(bucket, call.context.options),
                 .alias = alias_of_new(call, in.name, bucket),
                 .block = block_of(wanted.public_access_block_configuration),
                 .scope = std::move(scope),
                 .outpost_id = bucket.outpost_id},
                call.deadline()));
  return s3::CreateAccessPointOutput{.access_point_arn = s3::arn_of(made->point),
                                     .alias = made->point.alias};
}

Result<s3::GetAccessPointOutput> get_access_point(Call& call, const s3::AccessPointInput& in) {
  CAIRN_TRY(const objectstore::AccessPointView found, own_access_point(call, in.name));
  const s3::AccessPoint& point = found->point;
  return s3::GetAccessPointOutput{
      .name = point.name,
      .bucket = point.bucket,
      .network_origin = std::string(internet),
      .public_access_block_configuration =
          s3::PublicAccessBlockElement{
              .block_public_acls = point.block.block_public_acls,
              .ignore_public_acls = point.block.ignore_public_acls,
              .block_public_policy = point.block.block_public_policy,
              .restrict_public_buckets = point.block.restrict_public_buckets},
      .creation_date = s3::Time{point.created_ms / 1000 * 1000},
      .alias = point.alias,
      .access_point_arn = s3::arn_of(point),
      .bucket_account_id = point.bucket_account_id};
}

Result<s3::ListAccessPointsOutput> list_access_points(Call& call,
                                                      const s3::ListAccessPointsInput& in) {
  return page_of(call, {.bucket = bucket_name_of(call, in.bucket.value_or("")),
                        .token = in.next_token,
                        .most = in.max_results});
}

Result<s3::ListAccessPointsOutput> list_access_points_for_directory_buckets(
    Call& call, const s3::ListAccessPointsForDirectoryBucketsInput& in) {
  return page_of(call, {.bucket = in.directory_bucket.value_or(""),
                        .directory = true,
                        .token = in.next_token,
                        .most = in.max_results});
}

Result<s3::EmptyOutput> delete_access_point(Call& call, const s3::AccessPointInput& in) {
  CAIRN_CHECK(call.engine().access_points().remove(call.identity.account().account_id,
                                                   s3::key_of(call.outpost_id, in.name),
                                                   call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::EmptyOutput> put_access_point_policy(Call& call,
                                                const s3::PutAccessPointPolicyInput& in) {
  CAIRN_TRY(const objectstore::AccessPointView found, own_access_point(call, in.name));
  const std::string& text = in.put_access_point_policy_request.policy;
  CAIRN_TRY(const auto policy, policy_of_text(text, found->point));
  if (found->point.block.block_public_policy && policy->is_public())
    return s3::error("AccessDenied",
                     "The policy is public, and the access point blocks public policies.");
  CAIRN_CHECK(call.engine().access_points().set_policy(call.identity.account().account_id,
                                                       s3::key_of(call.outpost_id, in.name),
                                                       text, call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::GetAccessPointPolicyOutput> get_access_point_policy(Call& call,
                                                               const s3::AccessPointInput& in) {
  CAIRN_TRY(const objectstore::AccessPointView found, own_access_point(call, in.name));
  if (found->policy == nullptr)
    return s3::error("NoSuchAccessPointPolicy").with_detail("AccessPointName", in.name);
  return s3::GetAccessPointPolicyOutput{.policy = found->policy->text()};
}

Result<s3::EmptyOutput> delete_access_point_policy(Call& call, const s3::AccessPointInput& in) {
  CAIRN_CHECK(call.engine().access_points().set_policy(call.identity.account().account_id,
                                                       s3::key_of(call.outpost_id, in.name),
                                                       {}, call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::GetAccessPointPolicyStatusOutput> get_access_point_policy_status(
    Call& call, const s3::AccessPointInput& in) {
  CAIRN_TRY(const objectstore::AccessPointView found, own_access_point(call, in.name));
  if (found->point.is_directory())
    return s3::error("MethodNotAllowed",
                     "The status of a policy is not shown for access points of directory buckets.");
  const auto policy = policy_of(*found);
  if (policy == nullptr)
    return s3::error("NoSuchAccessPointPolicy").with_detail("AccessPointName", in.name);
  return s3::GetAccessPointPolicyStatusOutput{
      .policy_status = s3::PolicyStatusElement{.is_public = policy->is_public()}};
}

Result<s3::EmptyOutput> put_access_point_scope(Call& call, const s3::PutAccessPointScopeInput& in) {
  CAIRN_CHECK(own_access_point(call, in.name));
  CAIRN_CHECK(check_has_scope(in.name));
  const auto& given = in.put_access_point_scope_request.scope;
  if (!given) return s3::error("MalformedXML");
  CAIRN_TRY(s3::AccessPointScope scope, scope_of(given));
  CAIRN_CHECK(call.engine().access_points().set_scope(call.identity.account().account_id, in.name,
                                                      std::move(scope), call.deadline()));
  return s3::EmptyOutput{};
}

Result<s3::GetAccessPointScopeOutput> get_access_point_scope(Call& call,
                                                             const s3::AccessPointInput& in) {
  CAIRN_TRY(const objectstore::AccessPointView found, own_access_point(call, in.name));
  CAIRN_CHECK(check_has_scope(in.name));
  const s3::AccessPointScope& scope = found->point.scope;
  if (scope.empty()) return s3::GetAccessPointScopeOutput{};
  return s3::GetAccessPointScopeOutput{
      .scope = s3::ScopeElement{.prefixes = scope.prefixes, .permissions = scope.permissions}};
}

Result<s3::EmptyOutput> delete_access_point_scope(Call& call, const s3::AccessPointInput& in) {
  CAIRN_CHECK(own_access_point(call, in.name));
  CAIRN_CHECK(check_has_scope(in.name));
  CAIRN_CHECK(call.engine().access_points().set_scope(call.identity.account().account_id, in.name,
                                                      {}, call.deadline()));
  return s3::EmptyOutput{};
}

}  // namespace cairn::s3api
