// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the operations that say who may do what with a bucket or an object:
// grants, ownership, the block of public access, policies.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct GranteeElement {
  CAIRN_S3_SHAPE(GranteeElement)
  CAIRN_S3_FIELD(std::string, type, attribute("xsi:type", &grantee_types))
  CAIRN_S3_FIELD(std::optional<std::string>, id, element("ID"))
  CAIRN_S3_FIELD(std::optional<std::string>, display_name, element("DisplayName"))
  CAIRN_S3_FIELD(std::optional<std::string>, email_address, element("EmailAddress"))
  CAIRN_S3_FIELD(std::optional<std::string>, uri, element("URI"))
  CAIRN_S3_SHAPE_END(GranteeElement)
};

struct GrantElement {
  CAIRN_S3_SHAPE(GrantElement)
  CAIRN_S3_FIELD(std::optional<GranteeElement>, grantee, element("Grantee"))
  CAIRN_S3_FIELD(std::optional<std::string>, permission, element("Permission", &permissions))
  CAIRN_S3_SHAPE_END(GrantElement)
};

struct AccessControlPolicyElement {
  CAIRN_S3_SHAPE(AccessControlPolicyElement)
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::vector<GrantElement>, grants,
                 wrapped("AccessControlList", "Grant").required().or_empty())
  CAIRN_S3_SHAPE_END(AccessControlPolicyElement)
};

struct PutBucketAclInput {
  CAIRN_S3_SHAPE(PutBucketAclInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &bucket_acls))
  CAIRN_S3_FIELD(std::optional<AccessControlPolicyElement>, access_control_policy,
                 payload("AccessControlPolicy"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_GRANT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, grant_write, header("x-amz-grant-write"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketAclInput)
};

/// Of GetBucketAcl and GetObjectAcl.
struct GetAclOutput {
  CAIRN_S3_SHAPE(GetAclOutput)
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::vector<GrantElement>, grants,
                 wrapped("AccessControlList", "Grant").required().or_empty())
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(GetAclOutput)
};

struct PutObjectAclInput {
  CAIRN_S3_SHAPE(PutObjectAclInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &object_acls))
  CAIRN_S3_FIELD(std::optional<AccessControlPolicyElement>, access_control_policy,
                 payload("AccessControlPolicy"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_GRANT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, grant_write, header("x-amz-grant-write"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectAclInput)
};

struct OwnershipRuleElement {
  CAIRN_S3_SHAPE(OwnershipRuleElement)
  CAIRN_S3_FIELD(std::string, object_ownership, element("ObjectOwnership", &ownerships))
  CAIRN_S3_SHAPE_END(OwnershipRuleElement)
};

struct OwnershipControlsElement {
  CAIRN_S3_SHAPE(OwnershipControlsElement)
  CAIRN_S3_FIELD(std::vector<OwnershipRuleElement>, rules, element("Rule").required())
  CAIRN_S3_SHAPE_END(OwnershipControlsElement)
};

struct PutBucketOwnershipControlsInput {
  CAIRN_S3_SHAPE(PutBucketOwnershipControlsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(OwnershipControlsElement, ownership_controls, payload("OwnershipControls"))
  CAIRN_S3_SHAPE_END(PutBucketOwnershipControlsInput)
};

struct GetBucketOwnershipControlsOutput {
  CAIRN_S3_SHAPE(GetBucketOwnershipControlsOutput)
  CAIRN_S3_FIELD(std::optional<OwnershipControlsElement>, ownership_controls,
                 payload("OwnershipControls"))
  CAIRN_S3_SHAPE_END(GetBucketOwnershipControlsOutput)
};

struct PublicAccessBlockElement {
  CAIRN_S3_SHAPE(PublicAccessBlockElement)
  CAIRN_S3_FIELD(std::optional<bool>, block_public_acls, element("BlockPublicAcls"))
  CAIRN_S3_FIELD(std::optional<bool>, ignore_public_acls, element("IgnorePublicAcls"))
  CAIRN_S3_FIELD(std::optional<bool>, block_public_policy, element("BlockPublicPolicy"))
  CAIRN_S3_FIELD(std::optional<bool>, restrict_public_buckets, element("RestrictPublicBuckets"))
  CAIRN_S3_SHAPE_END(PublicAccessBlockElement)
};

struct PutPublicAccessBlockInput {
  CAIRN_S3_SHAPE(PutPublicAccessBlockInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(PublicAccessBlockElement, public_access_block_configuration,
                 payload("PublicAccessBlockConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutPublicAccessBlockInput)
};

struct GetPublicAccessBlockOutput {
  CAIRN_S3_SHAPE(GetPublicAccessBlockOutput)
  CAIRN_S3_FIELD(std::optional<PublicAccessBlockElement>, public_access_block_configuration,
                 payload("PublicAccessBlockConfiguration"))
  CAIRN_S3_SHAPE_END(GetPublicAccessBlockOutput)
};

struct PutBucketPolicyInput {
  CAIRN_S3_SHAPE(PutBucketPolicyInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(std::optional<bool>, confirm_remove_self_bucket_access,
                 header("x-amz-confirm-remove-self-bucket-access"))
  CAIRN_S3_FIELD(std::string, policy, raw_body())
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketPolicyInput)
};

struct GetBucketPolicyOutput {
  CAIRN_S3_SHAPE(GetBucketPolicyOutput)
  CAIRN_S3_FIELD(std::string, policy, raw_body())
  CAIRN_S3_SHAPE_END(GetBucketPolicyOutput)
};

struct PolicyStatusElement {
  CAIRN_S3_SHAPE(PolicyStatusElement)
  CAIRN_S3_FIELD(std::optional<bool>, is_public, element("IsPublic"))
  CAIRN_S3_SHAPE_END(PolicyStatusElement)
};

struct GetBucketPolicyStatusOutput {
  CAIRN_S3_SHAPE(GetBucketPolicyStatusOutput)
  CAIRN_S3_FIELD(std::optional<PolicyStatusElement>, policy_status, payload("PolicyStatus"))
  CAIRN_S3_SHAPE_END(GetBucketPolicyStatusOutput)
};

}  // namespace cairn::s3
