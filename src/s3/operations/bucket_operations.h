// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the operations on buckets.
#pragma once

#include "s3/operations/values.h"

namespace cairn::s3 {

struct OwnerElement {
  CAIRN_S3_SHAPE(OwnerElement)
  CAIRN_S3_FIELD(std::optional<std::string>, id, element("ID"))
  CAIRN_S3_FIELD(std::optional<std::string>, display_name, element("DisplayName"))
  CAIRN_S3_SHAPE_END(OwnerElement)
};

struct BucketElement {
  CAIRN_S3_SHAPE(BucketElement)
  CAIRN_S3_FIELD(std::string, name, element("Name"))
  CAIRN_S3_FIELD(Time, creation_date, element("CreationDate"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_region, element("BucketRegion"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_arn, element("BucketArn"))
  CAIRN_S3_SHAPE_END(BucketElement)
};

struct ListBucketsInput {
  CAIRN_S3_SHAPE(ListBucketsInput)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_buckets, query("max-buckets"))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_region, query("bucket-region"))
  CAIRN_S3_SHAPE_END(ListBucketsInput)
};

struct ListBucketsOutput {
  CAIRN_S3_SHAPE(ListBucketsOutput)
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::vector<BucketElement>, buckets, wrapped("Buckets", "Bucket").required())
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix"))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, element("ContinuationToken"))
  CAIRN_S3_SHAPE_END(ListBucketsOutput)
};

struct LocationElement {
  CAIRN_S3_SHAPE(LocationElement)
  CAIRN_S3_FIELD(std::optional<std::string>, type, element("Type"))
  CAIRN_S3_FIELD(std::optional<std::string>, name, element("Name"))
  CAIRN_S3_SHAPE_END(LocationElement)
};

struct BucketInfoElement {
  CAIRN_S3_SHAPE(BucketInfoElement)
  CAIRN_S3_FIELD(std::optional<std::string>, data_redundancy, element("DataRedundancy"))
  CAIRN_S3_FIELD(std::optional<std::string>, type, element("Type"))
  CAIRN_S3_SHAPE_END(BucketInfoElement)
};

struct TagElement {
  CAIRN_S3_SHAPE(TagElement)
  CAIRN_S3_FIELD(std::string, key, element("Key"))
  CAIRN_S3_FIELD(std::string, value, element("Value"))
  CAIRN_S3_SHAPE_END(TagElement)
};

struct CreateBucketConfiguration {
  CAIRN_S3_SHAPE(CreateBucketConfiguration)
  CAIRN_S3_FIELD(std::optional<std::string>, location_constraint, element("LocationConstraint"))
  CAIRN_S3_FIELD(std::optional<LocationElement>, location, element("Location"))
  CAIRN_S3_FIELD(std::optional<BucketInfoElement>, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_S3_SHAPE_END(CreateBucketConfiguration)
};

struct CreateBucketInput {
  CAIRN_S3_SHAPE(CreateBucketInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &bucket_acls))
  CAIRN_S3_FIELD(std::optional<CreateBucketConfiguration>, create_bucket_configuration,
                 payload("CreateBucketConfiguration"))
  CAIRN_S3_GRANT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, grant_write, header("x-amz-grant-write"))
  CAIRN_S3_FIELD(std::optional<bool>, object_lock_enabled_for_bucket,
                 header("x-amz-bucket-object-lock-enabled"))
  CAIRN_S3_FIELD(std::optional<std::string>, object_ownership,
                 header("x-amz-object-ownership", &ownerships))
  CAIRN_S3_SHAPE_END(CreateBucketInput)
};

struct CreateBucketOutput {
  CAIRN_S3_SHAPE(CreateBucketOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, location, header("Location"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_arn, header("x-amz-bucket-arn"))
  CAIRN_S3_SHAPE_END(CreateBucketOutput)
};

/// Operations that need only the bucket: head, delete, location.
struct BucketInput {
  CAIRN_S3_SHAPE(BucketInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(BucketInput)
};

struct HeadBucketOutput {
  CAIRN_S3_SHAPE(HeadBucketOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_arn, header("x-amz-bucket-arn"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_location_type,
                 header("x-amz-bucket-location-type"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_location_name,
                 header("x-amz-bucket-location-name"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_region, header("x-amz-bucket-region"))
  CAIRN_S3_FIELD(std::optional<bool>, access_point_alias, header("x-amz-access-point-alias"))
  CAIRN_S3_SHAPE_END(HeadBucketOutput)
};

struct GetBucketLocationOutput {
  CAIRN_S3_SHAPE(GetBucketLocationOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, location_constraint, root_text("LocationConstraint"))
  CAIRN_S3_SHAPE_END(GetBucketLocationOutput)
};

struct EmptyOutput {
  CAIRN_S3_SHAPE(EmptyOutput)
  CAIRN_S3_SHAPE_END(EmptyOutput)
};

}  // namespace cairn::s3
