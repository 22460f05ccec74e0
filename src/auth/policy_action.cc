// SPDX-License-Identifier: Apache-2.0
#include "auth/policy_action.h"

#include <algorithm>

namespace cairn::auth {
namespace {

constexpr ActionTarget account = ActionTarget::account;
constexpr ActionTarget bucket = ActionTarget::bucket;
constexpr ActionTarget object = ActionTarget::object;

constexpr PolicyAction action_rows[] = {
    {"s3:AbortMultipartUpload", object},
    {"s3:BypassGovernanceRetention", object},
    {"s3:CreateAccessPoint", account},
    {"s3:CreateBucket", account},
    {"s3:CreateBucketMetadataTableConfiguration", bucket},
    {"s3:DeleteAccessPoint", account},
    {"s3:DeleteAccessPointPolicy", account},
    {"s3:DeleteBucket", bucket},
    {"s3:DeleteBucketMetadataTableConfiguration", bucket},
    {"s3:DeleteBucketPolicy", bucket},
    {"s3:DeleteBucketWebsite", bucket},
    {"s3:DeleteObject", object},
    {"s3:DeleteObjectTagging", object},
    {"s3:DeleteObjectVersion", object},
    {"s3:DeleteObjectVersionTagging", object},
    {"s3:GetAccelerateConfiguration", bucket},
    {"s3:GetAccessPoint", account},
    {"s3:GetAccessPointPolicy", account},
    {"s3:GetAccessPointPolicyStatus", account},
    {"s3:GetAccountPublicAccessBlock", account},
    {"s3:GetAnalyticsConfiguration", bucket},
    {"s3:GetBucketAbac", bucket},
    {"s3:GetBucketAcl", bucket},
    {"s3:GetBucketCORS", bucket},
    {"s3:GetBucketLocation", bucket},
    {"s3:GetBucketLogging", bucket},
    {"s3:GetBucketMetadataTableConfiguration", bucket},
    {"s3:GetBucketNotification", bucket},
    {"s3:GetBucketObjectLockConfiguration", bucket},
    {"s3:GetBucketOwnershipControls", bucket},
    {"s3:GetBucketPolicy", bucket},
    {"s3:GetBucketPolicyStatus", bucket},
    {"s3:GetBucketPublicAccessBlock", bucket},
    {"s3:GetBucketRequestPayment", bucket},
    {"s3:GetBucketTagging", bucket},
    {"s3:GetBucketVersioning", bucket},
    {"s3:GetBucketWebsite", bucket},
    {"s3:GetEncryptionConfiguration", bucket},
    {"s3:GetIntelligentTieringConfiguration", bucket},
    {"s3:GetInventoryConfiguration", bucket},
    {"s3:GetLifecycleConfiguration", bucket},
    {"s3:GetMetricsConfiguration", bucket},
    {"s3:GetObject", object},
    {"s3:GetObjectAcl", object},
    {"s3:GetObjectAttributes", object},
    {"s3:GetObjectLegalHold", object},
    {"s3:GetObjectRetention", object},
    {"s3:GetObjectTagging", object},
    {"s3:GetObjectTorrent", object},
    {"s3:GetObjectVersion", object},
    {"s3:GetObjectVersionAcl", object},
    {"s3:GetObjectVersionAttributes", object},
    {"s3:GetObjectVersionForReplication", object},
    {"s3:GetObjectVersionTagging", object},
    {"s3:GetObjectVersionTorrent", object},
    {"s3:GetReplicationConfiguration", bucket},
    {"s3:InitiateReplication", object},
    {"s3:ListAccessPoints", account},
    {"s3:ListAllMyBuckets", account},
    {"s3:ListBucket", bucket},
    {"s3:ListBucketMultipartUploads", bucket},
    {"s3:ListBucketVersions", bucket},
    {"s3:ListMultipartUploadParts", object},
    {"s3:ListTagsForResource", bucket},
    {"s3:ObjectOwnerOverrideToBucketOwner", object},
    {"s3:PauseReplication", bucket},
    {"s3:PutAccelerateConfiguration", bucket},
    {"s3:PutAccessPointPolicy", account},
    {"s3:PutAccountPublicAccessBlock", account},
    {"s3:PutAnalyticsConfiguration", bucket},
    {"s3:PutBucketAbac", bucket},
    {"s3:PutBucketAcl", bucket},
    {"s3:PutBucketCORS", bucket},
    {"s3:PutBucketLogging", bucket},
    {"s3:PutBucketNotification", bucket},
    {"s3:PutBucketObjectLockConfiguration", bucket},
    {"s3:PutBucketOwnershipControls", bucket},
    {"s3:PutBucketPolicy", bucket},
    {"s3:PutBucketPublicAccessBlock", bucket},
    {"s3:PutBucketRequestPayment", bucket},
    {"s3:PutBucketTagging", bucket},
    {"s3:PutBucketVersioning", bucket},
    {"s3:PutBucketWebsite", bucket},
    {"s3:PutEncryptionConfiguration", bucket},
    {"s3:PutIntelligentTieringConfiguration", bucket},
    {"s3:PutInventoryConfiguration", bucket},
    {"s3:PutLifecycleConfiguration", bucket},
    {"s3:PutMetricsConfiguration", bucket},
    {"s3:PutObject", object},
    {"s3:PutObjectAcl", object},
    {"s3:PutObjectLegalHold", object},
    {"s3:PutObjectRetention", object},
    {"s3:PutObjectTagging", object},
    {"s3:PutObjectVersionAcl", object},
    {"s3:PutObjectVersionTagging", object},
    {"s3:PutReplicationConfiguration", bucket},
    {"s3:ReplicateDelete", object},
    {"s3:ReplicateObject", object},
    {"s3:ReplicateTags", object},
    {"s3:RestoreObject", object},
    {"s3:TagResource", bucket},
    {"s3:UntagResource", bucket},
    {"s3:UpdateBucketMetadataAnnotationTableConfiguration", bucket},
    {"s3:UpdateBucketMetadataInventoryTableConfiguration", bucket},
    {"s3:UpdateBucketMetadataJournalTableConfiguration", bucket},
    {"s3:UpdateObjectEncryption", object},
    {"s3express:CreateBucket", account},
    {"s3express:CreateSession", bucket},
    {"s3express:DeleteBucket", bucket},
    {"s3express:DeleteBucketPolicy", bucket},
    {"s3express:GetBucketPolicy", bucket},
    {"s3express:GetEncryptionConfiguration", bucket},
    {"s3express:GetLifecycleConfiguration", bucket},
    {"s3express:ListAllMyDirectoryBuckets", account},
    {"s3express:ListTagsForResource", bucket},
    {"s3express:PutBucketPolicy", bucket},
    {"s3express:PutEncryptionConfiguration", bucket},
    {"s3express:PutLifecycleConfiguration", bucket},
    {"s3express:TagResource", bucket},
    {"s3express:UntagResource", bucket},
};

constexpr auto by_name = [](const PolicyAction& a, const PolicyAction& b) {
  return a.name < b.name;
};
static_assert(std::is_sorted(std::begin(action_rows), std::end(action_rows), by_name));

}  // namespace

std::span<const PolicyAction> policy_actions() { return action_rows; }

const PolicyAction* find_policy_action(std::string_view name) {
  const auto* row = std::lower_bound(std::begin(action_rows), std::end(action_rows),
                                     PolicyAction{name, {}}, by_name);
  return row != std::end(action_rows) && row->name == name ? row : nullptr;
}

}  // namespace cairn::auth
