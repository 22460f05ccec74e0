// SPDX-License-Identifier: Apache-2.0
// Source of the table: the user guide of the service that this protocol comes from, "access point
// compatibility".
#include "s3api/accesspoints/resolve.h"

#include <algorithm>

#include "s3/access_points.h"
#include "s3/errors.h"
#include "s3/signing/signing.h"
#include "s3api/access/directory_rows.h"

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

// Source: the same guide, "S3 on Outposts API operations", without what hangs on versions.
constexpr std::string_view through_outposts[] = {
    "AbortMultipartUpload", "CompleteMultipartUpload", "CopyObject",
    "CreateMultipartUpload", "DeleteObject", "DeleteObjectTagging",
    "DeleteObjects", "GetObject", "GetObjectTagging",
    "HeadBucket", "HeadObject", "ListMultipartUploads",
    "ListObjects", "ListObjectsV2", "ListParts",
    "PutObject", "PutObjectTagging", "UploadPart",
    "UploadPartCopy",
};
static_assert(std::is_sorted(std::begin(through_outposts), std::end(through_outposts)));

bool works_through_outposts(std::string_view operation) {
  return std::binary_search(std::begin(through_outposts), std::end(through_outposts), operation);
}

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
  if (arn.service == s3::directory_service)
    return s3::error("InvalidRequest",
                     "An access point of a directory bucket is asked by its name, as " +
                         arn.point.name + ".<domain>, and is no source of copies.")
        .with_detail("AccessPointName", arn.point.name);
  if (arn.service == s3::outposts_service) {
    auto point = call.engine().access_points().find(
        arn.point.account_id, s3::key_of(arn.outpost_id, arn.point.name));
    if (point == nullptr || point->point.region != arn.region) return no_point(arn.point.name);
    return point;
  }
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
  // A bucket may have such a name too: one that is there is meant.
  const bool may_be_bucket = !s3::zone_id_of_access_point_name(bucket).empty() ||
                             bucket.ends_with(s3::outpost_alias_suffix);
  if (!may_be_bucket && !s3::is_access_point_alias(bucket)) return objectstore::AccessPointView();
  auto point = call.engine().access_points().find_alias(bucket);
  if (point == nullptr && may_be_bucket && call.engine().head_bucket(bucket).ok()) return point;
  if (point == nullptr) return no_point(bucket);
  return point;
}

Status resolve_access_point(ParsedCall& call) {
  Address& address = call.address;
  // Who makes a bucket may not call it so, and hears that.
  if (call.operation == &s3::operations::create_bucket && !address.of_access_points)
    return ok_status();
  if (address.access_point)
    call.access_point = call.engine().access_points().find(
        address.access_point->account_id,
        s3::key_of(address.access_point->outpost_id, address.access_point->name));
  if (call.access_point == nullptr) {
    const bool of_outpost = s3::is_outpost_alias(address.host_label);
    if (address.of_access_points && !of_outpost) return no_point(address.host_label);
    CAIRN_TRY(call.access_point, find_access_point(call, address.bucket));
    call.by_alias = call.access_point != nullptr && !call.access_point->point.is_directory() &&
                    address.bucket == call.access_point->point.alias;
  }
  if (call.access_point != nullptr) address.bucket = call.access_point->point.bucket;
  return ok_status();
}

bool works_through_access_points(std::string_view operation) {
  return std::binary_search(std::begin(through), std::end(through), operation);
}

Status check_through_access_point(const ParsedCall& call) {
  if (call.access_point == nullptr) return ok_status();
  if (call.access_point->point.is_directory()) {
    const DirectoryRow* row = find_directory_row(call.operation->name);
    if (row == nullptr || row->endpoint == DirectoryEndpoint::zonal) return ok_status();
  } else if (call.access_point->point.is_of_outpost()
                 ? works_through_outposts(call.operation->name)
                 : works_through_access_points(call.operation->name)) {
    return ok_status();
  }
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
