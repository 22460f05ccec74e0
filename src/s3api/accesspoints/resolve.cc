// SPDX-License-Identifier: Apache-2.0
// Source of the table: the user guide of the service that this protocol comes from, "access point
// compatibility".
#include "s3api/accesspoints/resolve.h"

#include <algorithm>

#include "s3/access_points.h"
#include "s3/errors.h"

namespace cairn::s3api {
namespace {

constexpr std::string_view through[] = {
    "AbortMultipartUpload",
    "CompleteMultipartUpload",
    "CopyObject",
    "CreateMultipartUpload",
    "DeleteObject",
    "DeleteObjectTagging",
    "DeleteObjects",
    "GetBucketAcl",
    "GetBucketCors",
    "GetBucketLocation",
    "GetBucketNotificationConfiguration",
    "GetBucketPolicy",
    "GetObject",
    "GetObjectAcl",
    "GetObjectAttributes",
    "GetObjectLegalHold",
    "GetObjectRetention",
    "GetObjectTagging",
    "HeadBucket",
    "HeadObject",
    "ListMultipartUploads",
    "ListObjectVersions",
    "ListObjects",
    "ListObjectsV2",
    "ListParts",
    "PutObject",
    "PutObjectAcl",
    "PutObjectLegalHold",
    "PutObjectRetention",
    "PutObjectTagging",
    "RestoreObject",
    "UploadPart",
    "UploadPartCopy",
};
static_assert(std::is_sorted(std::begin(through), std::end(through)));

Error no_point(std::string_view name) {
  return s3::error("NoSuchAccessPoint").with_detail("AccessPointName", std::string(name));
}

struct RefusedSuffix {
  std::string_view suffix;
  std::string_view what;
};
constexpr RefusedSuffix refused_suffixes[] = {
    {".mrap", "Multi-region access points"},
    {"--ol-s3", "Object Lambda access points"},
    {"--op-s3", "Access points of outposts"},
    {"--xa-s3", "Access points of directory buckets"},
};

// Some of these end names of buckets too: one that is there is meant.
Status check_offered_name(const ParsedCall& call, std::string_view bucket) {
  for (const RefusedSuffix& row : refused_suffixes)
    if (bucket.ends_with(row.suffix) && !call.engine().head_bucket(bucket).ok())
      return s3::error("NotImplemented", std::string(row.what) + " are not offered here.")
          .with_detail("BucketName", std::string(bucket));
  return ok_status();
}

Result<objectstore::AccessPointView> find_of_arn(const ParsedCall& call,
                                                 const s3::AccessPointArn& arn) {
  if (arn.service != "s3")
    return s3::error("NotImplemented", "Access points of the service " + arn.service +
                                           " are not offered here.")
        .with_detail("AccessPointName", arn.point.name);
  if (arn.region.empty())
    return s3::error("NotImplemented", "Multi-region access points are not offered here.")
        .with_detail("AccessPointName", arn.point.name);
  auto point = call.engine().access_points().find(arn.point.account_id, arn.point.name);
  if (point == nullptr || point->point.region != arn.region) return no_point(arn.point.name);
  return point;
}

}  // namespace

Result<objectstore::AccessPointView> find_access_point(const ParsedCall& call,
                                                       std::string_view bucket) {
  const auto arn = s3::parse_access_point_arn(bucket);
  if (arn) return find_of_arn(call, *arn);
  CAIRN_CHECK(check_offered_name(call, bucket));
  if (!s3::is_access_point_alias(bucket)) return objectstore::AccessPointView();
  auto point = call.engine().access_points().find_alias(bucket);
  if (point == nullptr) return no_point(bucket);
  return point;
}

Status resolve_access_point(ParsedCall& call) {
  Address& address = call.address;
  // Who makes a bucket may not call it so, and hears that.
  if (call.operation == &s3::operations::create_bucket && !address.of_access_points)
    return ok_status();
  if (address.access_point)
    call.access_point = call.engine().access_points().find(address.access_point->account_id,
                                                           address.access_point->name);
  if (call.access_point == nullptr) {
    if (address.of_access_points) return no_point(address.host_label);
    CAIRN_TRY(call.access_point, find_access_point(call, address.bucket));
    call.by_alias = call.access_point != nullptr && address.bucket == call.access_point->point.alias;
  }
  if (call.access_point != nullptr) address.bucket = call.access_point->point.bucket;
  return ok_status();
}

bool works_through_access_points(std::string_view operation) {
  return std::binary_search(std::begin(through), std::end(through), operation);
}

Status check_through_access_point(const ParsedCall& call) {
  if (call.access_point == nullptr || works_through_access_points(call.operation->name))
    return ok_status();
  return s3::error("MethodNotAllowed", std::string(call.operation->name) +
                                           " is not asked through an access point: ask the bucket.")
      .with_detail("Method", call.exchange.head.method)
      .with_detail("ResourceType", "ACCESS_POINT");
}

Status check_leads_to(const objectstore::AccessPointState& point, const s3::Bucket& bucket) {
  if (bucket.owner.account_id == point.point.bucket_account_id) return ok_status();
  return s3::error("NoSuchBucket").with_detail("BucketName", bucket.name);
}

}  // namespace cairn::s3api
