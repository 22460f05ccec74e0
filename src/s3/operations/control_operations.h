// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the control API's operations on access points.
#pragma once

#include "s3/operations/access_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct VpcElement {
  CAIRN_S3_SHAPE(VpcElement)
  CAIRN_S3_FIELD(std::optional<std::string>, vpc_id, element("VpcId"))
  CAIRN_S3_SHAPE_END(VpcElement)
};

/// Of access points of directory buckets.
struct ScopeElement {
  CAIRN_S3_SHAPE(ScopeElement)
  CAIRN_S3_FIELD(std::vector<std::string>, prefixes, wrapped("Prefixes", "Prefix"))
  CAIRN_S3_FIELD(std::vector<std::string>, permissions, wrapped("Permissions", "Permission"))
  CAIRN_S3_SHAPE_END(ScopeElement)
};

struct CreateAccessPointRequest {
  CAIRN_S3_SHAPE(CreateAccessPointRequest)
  CAIRN_S3_FIELD(std::string, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::optional<VpcElement>, vpc_configuration, element("VpcConfiguration"))
  CAIRN_S3_FIELD(std::optional<PublicAccessBlockElement>, public_access_block_configuration,
                 element("PublicAccessBlockConfiguration"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket_account_id, element("BucketAccountId"))
  CAIRN_S3_FIELD(std::optional<ScopeElement>, scope, element("Scope"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, wrapped("Tags", "Tag"))
  CAIRN_S3_SHAPE_END(CreateAccessPointRequest)
};

struct CreateAccessPointInput {
  CAIRN_S3_SHAPE(CreateAccessPointInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_FIELD(CreateAccessPointRequest, create_access_point_request,
                 payload("CreateAccessPointRequest"))
  CAIRN_S3_SHAPE_END(CreateAccessPointInput)
};

struct CreateAccessPointOutput {
  CAIRN_S3_SHAPE(CreateAccessPointOutput)
  CAIRN_S3_FIELD(std::string, access_point_arn, element("AccessPointArn"))
  CAIRN_S3_FIELD(std::optional<std::string>, alias, element("Alias"))
  CAIRN_S3_SHAPE_END(CreateAccessPointOutput)
};

struct AccessPointInput {
  CAIRN_S3_SHAPE(AccessPointInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_SHAPE_END(AccessPointInput)
};

struct GetAccessPointOutput {
  CAIRN_S3_SHAPE(GetAccessPointOutput)
  CAIRN_S3_FIELD(std::string, name, element("Name"))
  CAIRN_S3_FIELD(std::string, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::string, network_origin, element("NetworkOrigin"))
  CAIRN_S3_FIELD(std::optional<PublicAccessBlockElement>, public_access_block_configuration,
                 element("PublicAccessBlockConfiguration"))
  CAIRN_S3_FIELD(Time, creation_date, element("CreationDate"))
  CAIRN_S3_FIELD(std::optional<std::string>, alias, element("Alias"))
  CAIRN_S3_FIELD(std::string, access_point_arn, element("AccessPointArn"))
  CAIRN_S3_FIELD(std::string, bucket_account_id, element("BucketAccountId"))
  CAIRN_S3_SHAPE_END(GetAccessPointOutput)
};

struct ListAccessPointsInput {
  CAIRN_S3_SHAPE(ListAccessPointsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket, query("bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_SHAPE_END(ListAccessPointsInput)
};

struct AccessPointElement {
  CAIRN_S3_SHAPE(AccessPointElement)
  CAIRN_S3_FIELD(std::string, name, element("Name"))
  CAIRN_S3_FIELD(std::string, network_origin, element("NetworkOrigin"))
  CAIRN_S3_FIELD(std::string, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::string, access_point_arn, element("AccessPointArn"))
  CAIRN_S3_FIELD(std::optional<std::string>, alias, element("Alias"))
  CAIRN_S3_FIELD(std::string, bucket_account_id, element("BucketAccountId"))
  CAIRN_S3_SHAPE_END(AccessPointElement)
};

struct ListAccessPointsOutput {
  CAIRN_S3_SHAPE(ListAccessPointsOutput)
  CAIRN_S3_FIELD(std::vector<AccessPointElement>, access_point_list,
                 wrapped("AccessPointList", "AccessPoint").required())
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, element("NextToken"))
  CAIRN_S3_SHAPE_END(ListAccessPointsOutput)
};

struct PutAccessPointPolicyRequest {
  CAIRN_S3_SHAPE(PutAccessPointPolicyRequest)
  CAIRN_S3_FIELD(std::string, policy, element("Policy"))
  CAIRN_S3_SHAPE_END(PutAccessPointPolicyRequest)
};

struct PutAccessPointPolicyInput {
  CAIRN_S3_SHAPE(PutAccessPointPolicyInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_FIELD(PutAccessPointPolicyRequest, put_access_point_policy_request,
                 payload("PutAccessPointPolicyRequest"))
  CAIRN_S3_SHAPE_END(PutAccessPointPolicyInput)
};

struct GetAccessPointPolicyOutput {
  CAIRN_S3_SHAPE(GetAccessPointPolicyOutput)
  CAIRN_S3_FIELD(std::string, policy, element("Policy"))
  CAIRN_S3_SHAPE_END(GetAccessPointPolicyOutput)
};

struct PutAccessPointScopeRequest {
  CAIRN_S3_SHAPE(PutAccessPointScopeRequest)
  CAIRN_S3_FIELD(std::optional<ScopeElement>, scope, element("Scope"))
  CAIRN_S3_SHAPE_END(PutAccessPointScopeRequest)
};

struct PutAccessPointScopeInput {
  CAIRN_S3_SHAPE(PutAccessPointScopeInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_FIELD(PutAccessPointScopeRequest, put_access_point_scope_request,
                 payload("PutAccessPointScopeRequest"))
  CAIRN_S3_SHAPE_END(PutAccessPointScopeInput)
};

struct GetAccessPointScopeOutput {
  CAIRN_S3_SHAPE(GetAccessPointScopeOutput)
  CAIRN_S3_FIELD(std::optional<ScopeElement>, scope, element("Scope"))
  CAIRN_S3_SHAPE_END(GetAccessPointScopeOutput)
};

struct ListAccessPointsForDirectoryBucketsInput {
  CAIRN_S3_SHAPE(ListAccessPointsForDirectoryBucketsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, directory_bucket, query("directoryBucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_SHAPE_END(ListAccessPointsForDirectoryBucketsInput)
};

struct GetAccessPointPolicyStatusOutput {
  CAIRN_S3_SHAPE(GetAccessPointPolicyStatusOutput)
  CAIRN_S3_FIELD(std::optional<PolicyStatusElement>, policy_status, element("PolicyStatus"))
  CAIRN_S3_SHAPE_END(GetAccessPointPolicyStatusOutput)
};

/// Of a bucket of an outpost, or of all that an outpost has. Clients of the vendor leave the account
/// out where a bucket is made: then it is the caller's.
struct OutpostBucketInput {
  CAIRN_S3_SHAPE(OutpostBucketInput)
  CAIRN_S3_FIELD(std::optional<std::string>, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::string, name, wire::key())
  CAIRN_S3_SHAPE_END(OutpostBucketInput)
};

struct CreateOutpostBucketOutput {
  CAIRN_S3_SHAPE(CreateOutpostBucketOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, location, header("Location"))
  CAIRN_S3_FIELD(std::string, bucket_arn, element("BucketArn"))
  CAIRN_S3_SHAPE_END(CreateOutpostBucketOutput)
};

struct GetOutpostBucketOutput {
  CAIRN_S3_SHAPE(GetOutpostBucketOutput)
  CAIRN_S3_FIELD(std::string, bucket, element("Bucket"))
  CAIRN_S3_FIELD(bool, public_access_block_enabled, element("PublicAccessBlockEnabled"))
  CAIRN_S3_FIELD(Time, creation_date, element("CreationDate"))
  CAIRN_S3_SHAPE_END(GetOutpostBucketOutput)
};

struct ListRegionalBucketsInput {
  CAIRN_S3_SHAPE(ListRegionalBucketsInput)
  CAIRN_S3_FIELD(std::string, account_id, header("x-amz-account-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, outpost_id, header("x-amz-outpost-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, query("nextToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_results, query("maxResults"))
  CAIRN_S3_SHAPE_END(ListRegionalBucketsInput)
};

struct RegionalBucketElement {
  CAIRN_S3_SHAPE(RegionalBucketElement)
  CAIRN_S3_FIELD(std::string, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::string, bucket_arn, element("BucketArn"))
  CAIRN_S3_FIELD(bool, public_access_block_enabled, element("PublicAccessBlockEnabled"))
  CAIRN_S3_FIELD(Time, creation_date, element("CreationDate"))
  CAIRN_S3_FIELD(std::string, outpost_id, element("OutpostId"))
  CAIRN_S3_SHAPE_END(RegionalBucketElement)
};

struct ListRegionalBucketsOutput {
  CAIRN_S3_SHAPE(ListRegionalBucketsOutput)
  CAIRN_S3_FIELD(std::vector<RegionalBucketElement>, regional_bucket_list,
                 wrapped("RegionalBucketList", "RegionalBucket").required())
  CAIRN_S3_FIELD(std::optional<std::string>, next_token, element("NextToken"))
  CAIRN_S3_SHAPE_END(ListRegionalBucketsOutput)
};

}  // namespace cairn::s3
