// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "s3/errors.h"
#include "s3/values.h"
#include "s3api/continuation.h"
#include "s3api/handlers.h"
#include "s3api/offered.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t list_buckets_max = 10'000;
constexpr std::string_view global_region = "us-east-1";

std::string region_of(const s3::Bucket& bucket, const Options& options) {
  if (bucket.location_constraint.empty()) return options.region;
  return bucket.location_constraint == "EU" ? "eu-west-1" : bucket.location_constraint;
}

std::string arn_of(std::string_view bucket, s3::Dialect dialect) {
  return std::string(dialect == s3::Dialect::aws ? "arn:aws:s3:::" : "arn:svc:s3:::") +
         std::string(bucket);
}

// The global endpoint makes buckets of every region; a regional one only its own.
Status check_location(const std::optional<std::string>& constraint, const Options& options) {
  const auto incompatible = [](std::string_view what) {
    return s3::error("IllegalLocationConstraintException",
                     "The " + std::string(what) +
                         " location constraint is incompatible for the region specific endpoint "
                         "this request was sent to.");
  };
  if (options.region == global_region) {
    if (!constraint || constraint->empty()) return ok_status();
    const auto& known = s3::location_constraint_names;
    if (std::find(std::begin(known), std::end(known), *constraint) != std::end(known))
      return ok_status();
    return s3::error("InvalidLocationConstraint").with_detail("LocationConstraint", *constraint);
  }
  if (!constraint || constraint->empty()) return incompatible("unspecified");
  const bool own =
      *constraint == options.region || (*constraint == "EU" && options.region == "eu-west-1");
  return own ? ok_status() : incompatible(*constraint);
}

Status check_creation(const Call& call, const s3::CreateBucketInput& in) {
  if ((in.acl && *in.acl != "private") || in.grant_full_control || in.grant_read ||
      in.grant_read_acp || in.grant_write || in.grant_write_acp)
    return s3::error("InvalidBucketAclWithObjectOwnership");
  if (in.object_lock_enabled_for_bucket.value_or(false))
    return not_offered("x-amz-bucket-object-lock-enabled");
  if (in.object_ownership && *in.object_ownership != "BucketOwnerEnforced")
    return not_offered("x-amz-object-ownership");
  if (!in.create_bucket_configuration) return check_location({}, call.around.options);
  const auto& configuration = *in.create_bucket_configuration;
  if (configuration.location || configuration.bucket)
    return s3::error("InvalidRequest",
                     "Directory buckets are not offered here; leave out Location and Bucket.");
  if (!configuration.tags.empty())
    return s3::error("NotImplemented", "Tags of buckets are not offered here.");
  return check_location(configuration.location_constraint, call.around.options);
}

}  // namespace

Result<s3::ListBucketsOutput> list_buckets(Call& call, const s3::ListBucketsInput& in) {
  const std::int64_t most = in.max_buckets.value_or(list_buckets_max);
  if (most < 1 || most > list_buckets_max)
    return bad_argument("max-buckets", std::to_string(most),
                        "Argument max-buckets must be an integer between 1 and 10000");
  std::string after;
  if (in.continuation_token) {
    auto token = read_continuation_token(*in.continuation_token);
    if (!token)
      return bad_argument("continuation-token", *in.continuation_token,
                          "The continuation token provided is incorrect");
    after = std::move(*token);
  }
  s3::ListBucketsOutput out;
  out.owner = s3::OwnerElement{.id = call.caller.id};
  if (in.prefix) out.prefix = *in.prefix;
  for (const s3::Bucket& bucket : call.engine().list_buckets(call.caller.id)) {
    if (s3::is_reserved_bucket(bucket.name) || bucket.name <= after) continue;
    if (in.prefix && !bucket.name.starts_with(*in.prefix)) continue;
    const std::string region = region_of(bucket, call.around.options);
    if (in.bucket_region && *in.bucket_region != region) continue;
    if (static_cast<std::int64_t>(out.buckets.size()) == most) {
      out.continuation_token = continuation_token(out.buckets.back().name);
      break;
    }
    out.buckets.push_back({.name = bucket.name,
                           .creation_date = s3::Time{bucket.created_ms / 1000 * 1000},
                           .bucket_region = region,
                           .bucket_arn = arn_of(bucket.name, call.dialect)});
  }
  return out;
}

Result<s3::CreateBucketOutput> create_bucket(Call& call, const s3::CreateBucketInput& in) {
  if (!s3::is_bucket_name(in.bucket))
    return s3::error("InvalidBucketName").with_detail("BucketName", in.bucket);
  CAIRN_CHECK(check_creation(call, in));
  s3::Bucket bucket{.name = in.bucket, .owner = call.caller};
  if (in.create_bucket_configuration)
    bucket.location_constraint = in.create_bucket_configuration->location_constraint.value_or("");
  const auto made = call.engine().create_bucket(bucket, call.deadline());
  if (!made.ok()) {
    Error fault = made.error();
    // The global endpoint takes a repeated request of the owner for done.
    const auto existing = call.engine().head_bucket(in.bucket);
    const bool same = existing.ok() && existing->owner.id == call.caller.id &&
                      existing->location_constraint == bucket.location_constraint;
    if (fault.code != "BucketAlreadyOwnedByYou" || !same ||
        call.around.options.region != global_region) {
      if (fault.kind == ErrorKind::already_exists)
        return std::move(fault).with_detail("BucketName", in.bucket);
      return fault;
    }
  }
  return s3::CreateBucketOutput{.location = "/" + in.bucket,
                                .bucket_arn = arn_of(in.bucket, call.dialect)};
}

Result<s3::HeadBucketOutput> head_bucket(Call& call, const s3::BucketInput& in) {
  CAIRN_TRY(const s3::Bucket bucket, own_bucket(call, in.expected_bucket_owner));
  return s3::HeadBucketOutput{.bucket_arn = arn_of(bucket.name, call.dialect),
                              .bucket_region = region_of(bucket, call.around.options),
                              .access_point_alias = false};
}

Result<s3::GetBucketLocationOutput> get_bucket_location(Call& call, const s3::BucketInput& in) {
  CAIRN_TRY(const s3::Bucket bucket, own_bucket(call, in.expected_bucket_owner));
  s3::GetBucketLocationOutput out;
  if (!bucket.location_constraint.empty()) {
    out.location_constraint = bucket.location_constraint;
  } else if (call.around.options.region != global_region) {
    out.location_constraint = call.around.options.region;
  }
  return out;
}

// Versioning cannot be turned on here: what a bucket says that never was told about it.
Result<s3::GetBucketVersioningOutput> get_bucket_versioning(Call& call, const s3::BucketInput& in) {
  CAIRN_CHECK(own_bucket(call, in.expected_bucket_owner));
  return s3::GetBucketVersioningOutput{};
}

Result<s3::EmptyOutput> delete_bucket(Call& call, const s3::BucketInput& in) {
  CAIRN_TRY(const s3::Bucket bucket, own_bucket(call, in.expected_bucket_owner));
  const Status removed = call.engine().delete_bucket(bucket.name, call.deadline());
  if (!removed.ok()) {
    Error fault = removed.error();
    return std::move(fault).with_detail("BucketName", bucket.name);
  }
  return s3::EmptyOutput{};
}

}  // namespace cairn::s3api
