// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3/operations/values.h"
#include "s3/tags.h"
#include "s3api/access/account_book.h"
#include "s3api/access/acls.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/buckets/checks.h"
#include "s3api/buckets/directory_buckets.h"
#include "s3api/directory/directory.h"
#include "s3api/handlers.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t list_buckets_max = 10'000;

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

// Everything that a bucket is born with.
struct NewBucket {
  s3::Bucket bucket;
  std::map<std::string, std::string> documents = {};
};

Status take_configuration(const s3::CreateBucketConfiguration& configuration,
                          const Options& options, NewBucket& out) {
  if (configuration.location || configuration.bucket)
    return s3::error("InvalidRequest",
                     "Location and Bucket are of directory buckets, whose names are "
                     "<base>--<zone>--x-s3; leave them out.");
  CAIRN_CHECK(check_location(configuration.location_constraint, options));
  out.bucket.location_constraint = configuration.location_constraint.value_or("");
  CAIRN_CHECK(s3::tags_of(configuration.tags, s3::Tagged::new_bucket));
  if (!configuration.tags.empty())
    out.documents[std::string(s3::document::tagging)] =
        document_text("Tagging", s3::TaggingElement{.tag_set = configuration.tags});
  return ok_status();
}

// Grants need an ownership with ACLs, and never reach everybody: the block stands from the start.
Status take_grants(const Call& call, const s3::CreateBucketInput& in, NewBucket& out) {
  const s3::GrantFields fields{.full_control = in.grant_full_control,
                               .read = in.grant_read,
                               .write = in.grant_write,
                               .read_acp = in.grant_read_acp,
                               .write_acp = in.grant_write_acp};
  CAIRN_TRY(const GrantsRequest wanted,
            grants_of_request(call, region_of(out.bucket, call.context.options), in.acl, fields));
  if (!wanted.any()) return ok_status();
  if (out.bucket.ownership == s3::Ownership::bucket_owner_enforced)
    return s3::error("InvalidBucketAclWithObjectOwnership");
  const s3::GrantList list = list_of(wanted, out.bucket.owner.id, out.bucket.owner.id);
  if (s3::is_public(list)) return s3::error("InvalidBucketAclWithBlockPublicAccessError");
  out.documents[std::string(s3::document::acl)] = s3::text_of_grants(list);
  return ok_status();
}

Result<NewBucket> plan_bucket(const Call& call, const s3::CreateBucketInput& in) {
  const Options& options = call.context.options;
  NewBucket out{.bucket = {.name = in.bucket, .owner = call.identity.account()}};
  if (in.create_bucket_configuration) {
    CAIRN_CHECK(take_configuration(*in.create_bucket_configuration, options, out));
  } else {
    CAIRN_CHECK(check_location({}, options));
  }
  out.bucket.ownership =
      ownership_of(in.object_ownership ? *in.object_ownership : options.new_bucket_ownership);
  CAIRN_CHECK(take_grants(call, in, out));
  if (in.object_lock_enabled_for_bucket.value_or(false)) {
    out.bucket.object_lock.enabled = true;
    out.bucket.versioning = s3::Versioning::enabled;
  }
  out.documents[std::string(s3::document::public_access_block)] =
      document_text("PublicAccessBlockConfiguration",
                    s3::PublicAccessBlockElement{.block_public_acls = true,
                                                 .ignore_public_acls = true,
                                                 .block_public_policy = true,
                                                 .restrict_public_buckets = true});
  if (options.encrypt_new_buckets)
    out.documents[std::string(s3::document::encryption)] = encryption_text("AES256");
  return out;
}

// What a repeated request names must be as it is; what it does not name may have changed since.
bool is_as_asked(const objectstore::BucketState& there, const s3::CreateBucketInput& in,
                 const NewBucket& wanted) {
  const s3::Bucket& bucket = there.bucket;
  const auto same_document = [&](std::string_view name) {
    const auto asked = wanted.documents.find(std::string(name));
    if (asked == wanted.documents.end()) return true;
    const auto kept = there.document(name);
    return kept != nullptr && kept->text() == asked->second;
  };
  return bucket.location_constraint == wanted.bucket.location_constraint &&
         (!in.object_ownership || bucket.ownership == wanted.bucket.ownership) &&
         (!wanted.bucket.object_lock.enabled || bucket.object_lock.enabled) &&
         same_document(s3::document::acl) && same_document(s3::document::tagging);
}

}  // namespace

Result<s3::ListBucketsOutput> list_buckets(Call& call, const s3::ListBucketsInput& in) {
  const std::int64_t most = in.max_buckets.value_or(list_buckets_max);
  if (most < 1 || most > list_buckets_max)
    return bad_argument("max-buckets", std::to_string(most),
                        "Argument max-buckets must be an integer between 1 and 10000");
  CAIRN_TRY(const std::string after, start_of_page(in.continuation_token));
  s3::ListBucketsOutput out;
  out.owner = owner_element(call, call.identity.account().id);
  if (in.prefix) out.prefix = *in.prefix;
  for (const s3::Bucket& bucket : call.engine().list_buckets(call.identity.account().id)) {
    if (bucket.is_directory() || bucket.is_of_outpost() || bucket.name <= after) continue;
    if (in.prefix && !bucket.name.starts_with(*in.prefix)) continue;
    const std::string region = region_of(bucket, call.context.options);
    if (in.bucket_region && *in.bucket_region != region) continue;
    if (static_cast<std::int64_t>(out.buckets.size()) == most) {
      out.continuation_token = continuation_token(out.buckets.back().name);
      break;
    }
    out.buckets.push_back({.name = bucket.name,
                           .creation_date = s3::Time{bucket.created_ms / 1000 * 1000},
                           .bucket_region = region,
                           .bucket_arn = arn_of(bucket)});
  }
  return out;
}

Result<s3::CreateBucketOutput> create_bucket(Call& call, const s3::CreateBucketInput& in) {
  if (call.directory) return create_directory_bucket(call, in);
  const bool placed = in.create_bucket_configuration &&
                      in.create_bucket_configuration->location_constraint.has_value();
  CAIRN_CHECK(decide_without_bucket(
      *call.operation, access_of(call), in.bucket,
      placed ? *in.create_bucket_configuration->location_constraint : std::string_view()));
  CAIRN_TRY(const NewBucket wanted, plan_bucket(call, in));
  const s3::Bucket& bucket = wanted.bucket;
  const auto made = call.engine().create_bucket(bucket, call.deadline(), wanted.documents);
  if (!made.ok()) {
    Error fault = made.error();
    // The global endpoint takes a repeated request of the owner for done.
    const auto existing = call.engine().bucket(in.bucket);
    const bool same = existing.ok() && (*existing)->bucket.owner.id == call.identity.account().id &&
                      is_as_asked(**existing, in, wanted);
    if (fault.code != "BucketAlreadyOwnedByYou" || !same ||
        call.context.options.region != global_region) {
      if (fault.kind == ErrorKind::already_exists)
        return std::move(fault).with_detail("BucketName", in.bucket);
      return fault;
    }
  }
  return s3::CreateBucketOutput{.location = "/" + in.bucket,
                                .bucket_arn = arn_of(bucket)};
}

Result<s3::HeadBucketOutput> head_bucket(Call& call, const s3::BucketInput&) {
  const s3::Bucket& bucket = call.bucket->bucket;
  s3::HeadBucketOutput out{.bucket_arn = arn_of(bucket), .access_point_alias = call.by_alias};
  if (bucket.zone) {
    out.bucket_location_type = s3::name_of(bucket.zone->type);
    out.bucket_location_name = bucket.zone->id;
  }
  return out;
}

Result<s3::GetBucketLocationOutput> get_bucket_location(Call& call, const s3::BucketInput&) {
  s3::GetBucketLocationOutput out;
  if (!call.bucket->bucket.location_constraint.empty()) {
    out.location_constraint = call.bucket->bucket.location_constraint;
  } else if (call.context.options.region != global_region) {
    out.location_constraint = call.context.options.region;
  }
  return out;
}

Result<s3::EmptyOutput> delete_bucket(Call& call, const s3::BucketInput& in) {
  const Status removed = call.engine().delete_bucket(in.bucket, call.deadline());
  if (removed.ok()) return s3::EmptyOutput{};
  return worded_deletion_fault(call, removed.error());
}

Error worded_deletion_fault(const Call& call, Error fault) {
  if (fault.code == "BucketNotEmpty" && call.bucket->bucket.versioning != s3::Versioning::off)
    fault.message += ". You must delete all versions in the bucket.";
  return std::move(fault).with_detail("BucketName", call.address.bucket);
}

}  // namespace cairn::s3api
