// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the operations on buckets.
#pragma once

#include "s3/values.h"

namespace cairn::s3 {

struct OwnerElement {
  CAIRN_SHAPE(OwnerElement)
  CAIRN_FIELD(std::optional<std::string>, id, element("ID"))
  CAIRN_FIELD(std::optional<std::string>, display_name, element("DisplayName"))
  CAIRN_SHAPE_END(OwnerElement)
};

struct BucketElement {
  CAIRN_SHAPE(BucketElement)
  CAIRN_FIELD(std::string, name, element("Name"))
  CAIRN_FIELD(Time, creation_date, element("CreationDate"))
  CAIRN_FIELD(std::optional<std::string>, bucket_region, element("BucketRegion"))
  CAIRN_FIELD(std::optional<std::string>, bucket_arn, element("BucketArn"))
  CAIRN_SHAPE_END(BucketElement)
};

struct ListBucketsInput {
  CAIRN_SHAPE(ListBucketsInput)
  CAIRN_FIELD(std::optional<std::int64_t>, max_buckets, query("max-buckets"))
  CAIRN_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_FIELD(std::optional<std::string>, bucket_region, query("bucket-region"))
  CAIRN_SHAPE_END(ListBucketsInput)
};

struct ListBucketsOutput {
  CAIRN_SHAPE(ListBucketsOutput)
  CAIRN_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_FIELD(std::vector<BucketElement>, buckets, wrapped("Buckets", "Bucket").required())
  CAIRN_FIELD(std::optional<std::string>, prefix, element("Prefix"))
  CAIRN_FIELD(std::optional<std::string>, continuation_token, element("ContinuationToken"))
  CAIRN_SHAPE_END(ListBucketsOutput)
};

struct LocationElement {
  CAIRN_SHAPE(LocationElement)
  CAIRN_FIELD(std::optional<std::string>, type, element("Type"))
  CAIRN_FIELD(std::optional<std::string>, name, element("Name"))
  CAIRN_SHAPE_END(LocationElement)
};

struct BucketInfoElement {
  CAIRN_SHAPE(BucketInfoElement)
  CAIRN_FIELD(std::optional<std::string>, data_redundancy, element("DataRedundancy"))
  CAIRN_FIELD(std::optional<std::string>, type, element("Type"))
  CAIRN_SHAPE_END(BucketInfoElement)
};

struct TagElement {
  CAIRN_SHAPE(TagElement)
  CAIRN_FIELD(std::string, key, element("Key"))
  CAIRN_FIELD(std::string, value, element("Value"))
  CAIRN_SHAPE_END(TagElement)
};

struct CreateBucketConfiguration {
  CAIRN_SHAPE(CreateBucketConfiguration)
  CAIRN_FIELD(std::optional<std::string>, location_constraint, element("LocationConstraint"))
  CAIRN_FIELD(std::optional<LocationElement>, location, element("Location"))
  CAIRN_FIELD(std::optional<BucketInfoElement>, bucket, element("Bucket"))
  CAIRN_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_SHAPE_END(CreateBucketConfiguration)
};

struct CreateBucketInput {
  CAIRN_SHAPE(CreateBucketInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &bucket_acls))
  CAIRN_FIELD(std::optional<CreateBucketConfiguration>, create_bucket_configuration,
              payload("CreateBucketConfiguration"))
  CAIRN_S3_GRANT_FIELDS
  CAIRN_FIELD(std::optional<std::string>, grant_write, header("x-amz-grant-write"))
  CAIRN_FIELD(std::optional<bool>, object_lock_enabled_for_bucket,
              header("x-amz-bucket-object-lock-enabled"))
  CAIRN_FIELD(std::optional<std::string>, object_ownership,
              header("x-amz-object-ownership", &ownerships))
  CAIRN_SHAPE_END(CreateBucketInput)
};

struct CreateBucketOutput {
  CAIRN_SHAPE(CreateBucketOutput)
  CAIRN_FIELD(std::optional<std::string>, location, header("Location"))
  CAIRN_FIELD(std::optional<std::string>, bucket_arn, header("x-amz-bucket-arn"))
  CAIRN_SHAPE_END(CreateBucketOutput)
};

/// Operations that need only the bucket: head, delete, location.
struct BucketInput {
  CAIRN_SHAPE(BucketInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_OWNER_FIELD
  CAIRN_SHAPE_END(BucketInput)
};

struct HeadBucketOutput {
  CAIRN_SHAPE(HeadBucketOutput)
  CAIRN_FIELD(std::optional<std::string>, bucket_arn, header("x-amz-bucket-arn"))
  CAIRN_FIELD(std::optional<std::string>, bucket_location_type,
              header("x-amz-bucket-location-type"))
  CAIRN_FIELD(std::optional<std::string>, bucket_location_name,
              header("x-amz-bucket-location-name"))
  CAIRN_FIELD(std::optional<std::string>, bucket_region, header("x-amz-bucket-region"))
  CAIRN_FIELD(std::optional<bool>, access_point_alias, header("x-amz-access-point-alias"))
  CAIRN_SHAPE_END(HeadBucketOutput)
};

struct GetBucketLocationOutput {
  CAIRN_SHAPE(GetBucketLocationOutput)
  CAIRN_FIELD(std::optional<std::string>, location_constraint, root_text("LocationConstraint"))
  CAIRN_SHAPE_END(GetBucketLocationOutput)
};

struct GetBucketVersioningOutput {
  CAIRN_SHAPE(GetBucketVersioningOutput)
  CAIRN_FIELD(std::optional<std::string>, status, element("Status"))
  CAIRN_FIELD(std::optional<std::string>, mfa_delete, element("MfaDelete"))
  CAIRN_SHAPE_END(GetBucketVersioningOutput)
};

struct EmptyOutput {
  CAIRN_SHAPE(EmptyOutput)
  CAIRN_SHAPE_END(EmptyOutput)
};

}  // namespace cairn::s3
