// SPDX-License-Identifier: Apache-2.0
// Buckets of outposts: made, shown, listed and deleted by the control API. Their objects are reached
// through access points alone.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/strings.h"
#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/handlers.h"
#include "s3api/objects/encryption.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t list_regional_buckets_max = 1000;

Error no_outpost_bucket(const std::string& name) {
  return s3::error("NoSuchBucket").with_detail("BucketName", name);
}

s3::Time shown_creation(const s3::Bucket& bucket) {
  return s3::Time{bucket.created_ms / 1000 * 1000};
}

// Of the outpost and the account that are asked about.
Result<s3::Bucket> outpost_bucket(const Call& call, const std::string& name) {
  auto bucket = call.engine().head_bucket(name);
  if (!bucket.ok() || bucket->outpost_id != call.outpost_id ||
      bucket->owner.account_id != call.identity.account().account_id)
    return no_outpost_bucket(name);
  return bucket;
}

// Grants, locks and the like are not for them.
Status check_new_fields(const Call& call) {
  for (const auto& [field, value] : call.headers().fields()) {
    const std::string name = s3::aws_header_name(lower_ascii(field), call.dialect);
    if (name == "x-amz-acl" || name.starts_with("x-amz-grant-") ||
        name.starts_with("x-amz-bucket-object-lock-"))
      return s3::error("InvalidRequest",
                       "Outposts do not have what the header field " + name +
                           " asks for; leave it out.")
          .with_detail("Header", name);
  }
  return ok_status();
}

std::map<std::string, std::string> documents_of_new(const Call& call) {
  std::map<std::string, std::string> documents;
  documents[std::string(s3::document::public_access_block)] =
      document_text("PublicAccessBlockConfiguration",
                    s3::PublicAccessBlockElement{.block_public_acls = true,
                                                 .ignore_public_acls = true,
                                                 .block_public_policy = true,
                                                 .restrict_public_buckets = true});
  if (call.context.options.encrypt_new_buckets)
    documents[std::string(s3::document::encryption)] = encryption_text("AES256");
  return documents;
}

}  // namespace

Result<s3::CreateOutpostBucketOutput> create_outpost_bucket(Call& call,
                                                            const s3::OutpostBucketInput& in) {
  const Options& options = call.context.options;
  if (std::find(options.outposts.begin(), options.outposts.end(), call.outpost_id) ==
      options.outposts.end())
    return s3::error("InvalidRequest",
                     "The outpost " + call.outpost_id +
                         " is not one of this service (objects.outposts).");
  CAIRN_CHECK(check_new_fields(call));
  const s3::Bucket bucket{.name = in.name,
                          .location_constraint = options.region,
                          .owner = call.identity.account(),
                          .outpost_id = call.outpost_id};
  const auto made = call.engine().create_bucket(bucket, call.deadline(), documents_of_new(call));
  if (!made.ok()) return Error(made.error()).with_detail("BucketName", in.name);
  return s3::CreateOutpostBucketOutput{.location = "/" + in.name, .bucket_arn = arn_of(bucket)};
}

Result<s3::GetOutpostBucketOutput> get_outpost_bucket(Call& call,
                                                      const s3::OutpostBucketInput& in) {
  CAIRN_TRY(const s3::Bucket bucket, outpost_bucket(call, in.name));
  return s3::GetOutpostBucketOutput{.bucket = bucket.name,
                                    .public_access_block_enabled = true,
                                    .creation_date = shown_creation(bucket)};
}

Result<s3::EmptyOutput> delete_outpost_bucket(Call& call, const s3::OutpostBucketInput& in) {
  CAIRN_CHECK(outpost_bucket(call, in.name));
  const Status removed = call.engine().delete_bucket(in.name, call.deadline());
  if (!removed.ok()) return Error(removed.error()).with_detail("BucketName", in.name);
  return s3::EmptyOutput{};
}

Result<s3::ListRegionalBucketsOutput> list_regional_buckets(
    Call& call, const s3::ListRegionalBucketsInput& in) {
  const std::int64_t most = in.max_results.value_or(list_regional_buckets_max);
  if (most < 1 || most > list_regional_buckets_max)
    return bad_argument("maxResults", std::to_string(most),
                        "Argument maxResults must be an integer between 1 and 1000");
  CAIRN_TRY(const std::string after, start_of_page(in.next_token));
  s3::ListRegionalBucketsOutput out;
  for (const s3::Bucket& bucket : call.engine().list_buckets(call.identity.account().id)) {
    if (bucket.outpost_id != call.outpost_id || bucket.name <= after) continue;
    if (static_cast<std::int64_t>(out.regional_bucket_list.size()) == most) {
      out.next_token = continuation_token(out.regional_bucket_list.back().bucket);
      break;
    }
    out.regional_bucket_list.push_back({.bucket = bucket.name,
                                        .bucket_arn = arn_of(bucket),
                                        .public_access_block_enabled = true,
                                        .creation_date = shown_creation(bucket),
                                        .outpost_id = bucket.outpost_id});
  }
  return out;
}

}  // namespace cairn::s3api
