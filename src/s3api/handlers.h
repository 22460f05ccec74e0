// SPDX-License-Identifier: Apache-2.0
// What the service does for each operation: the request is authentic, admitted to its bucket
// (admission.h) and read, the reply is the structure that comes back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "s3/operations/operation.h"
#include "s3api/call.h"

namespace cairn::s3api {

// buckets.cc
Result<s3::ListBucketsOutput> list_buckets(Call& call, const s3::ListBucketsInput& in);
Result<s3::CreateBucketOutput> create_bucket(Call& call, const s3::CreateBucketInput& in);
Result<s3::HeadBucketOutput> head_bucket(Call& call, const s3::BucketInput& in);
Result<s3::GetBucketLocationOutput> get_bucket_location(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket(Call& call, const s3::BucketInput& in);

// directory_buckets.cc, with sessions
Result<s3::ListDirectoryBucketsOutput> list_directory_buckets(
    Call& call, const s3::ListDirectoryBucketsInput& in);
Result<s3::CreateSessionOutput> create_session(Call& call, const s3::CreateSessionInput& in);

// grants.cc
Result<s3::AccessGrantsInstanceOutput> create_access_grants_instance(Call& call, const s3::CreateAccessGrantsInstanceInput& in);
Result<s3::AccessGrantsInstanceOutput> get_access_grants_instance(Call& call, const s3::AccessGrantsInput& in);
Result<s3::EmptyOutput> delete_access_grants_instance(Call& call, const s3::AccessGrantsInput& in);
Result<s3::ListAccessGrantsInstancesOutput> list_access_grants_instances(Call& call, const s3::AccessGrantsPageInput& in);
Result<s3::GetAccessGrantsInstanceForPrefixOutput> get_access_grants_instance_for_prefix(Call& call, const s3::GetAccessGrantsInstanceForPrefixInput& in);
Result<s3::AccessGrantsLocationOutput> create_access_grants_location(Call& call, const s3::CreateAccessGrantsLocationInput& in);
Result<s3::AccessGrantsLocationOutput> get_access_grants_location(Call& call, const s3::AccessGrantsNameInput& in);
Result<s3::AccessGrantsLocationOutput> update_access_grants_location(Call& call, const s3::UpdateAccessGrantsLocationInput& in);
Result<s3::EmptyOutput> delete_access_grants_location(Call& call, const s3::AccessGrantsNameInput& in);
Result<s3::ListAccessGrantsLocationsOutput> list_access_grants_locations(Call& call, const s3::ListAccessGrantsLocationsInput& in);
Result<s3::AccessGrantOutput> create_access_grant(Call& call, const s3::CreateAccessGrantInput& in);
Result<s3::AccessGrantOutput> get_access_grant(Call& call, const s3::AccessGrantsNameInput& in);
Result<s3::EmptyOutput> delete_access_grant(Call& call, const s3::AccessGrantsNameInput& in);
Result<s3::ListAccessGrantsOutput> list_access_grants(Call& call, const s3::ListAccessGrantsInput& in);
Result<s3::GetDataAccessOutput> get_data_access(Call& call, const s3::GetDataAccessInput& in);

// outpost_buckets.cc
Result<s3::CreateOutpostBucketOutput> create_outpost_bucket(Call& call,
                                                            const s3::OutpostBucketInput& in);
Result<s3::GetOutpostBucketOutput> get_outpost_bucket(Call& call, const s3::OutpostBucketInput& in);
Result<s3::EmptyOutput> delete_outpost_bucket(Call& call, const s3::OutpostBucketInput& in);
Result<s3::ListRegionalBucketsOutput> list_regional_buckets(
    Call& call, const s3::ListRegionalBucketsInput& in);

// access_points.cc
Result<s3::CreateAccessPointOutput> create_access_point(Call& call,
                                                        const s3::CreateAccessPointInput& in);
Result<s3::GetAccessPointOutput> get_access_point(Call& call, const s3::AccessPointInput& in);
Result<s3::ListAccessPointsOutput> list_access_points(Call& call,
                                                      const s3::ListAccessPointsInput& in);
Result<s3::EmptyOutput> delete_access_point(Call& call, const s3::AccessPointInput& in);
Result<s3::EmptyOutput> put_access_point_policy(Call& call,
                                                const s3::PutAccessPointPolicyInput& in);
Result<s3::GetAccessPointPolicyOutput> get_access_point_policy(Call& call,
                                                               const s3::AccessPointInput& in);
Result<s3::EmptyOutput> delete_access_point_policy(Call& call, const s3::AccessPointInput& in);
Result<s3::EmptyOutput> put_access_point_scope(Call& call, const s3::PutAccessPointScopeInput& in);
Result<s3::GetAccessPointScopeOutput> get_access_point_scope(Call& call,
                                                             const s3::AccessPointInput& in);
Result<s3::EmptyOutput> delete_access_point_scope(Call& call, const s3::AccessPointInput& in);
Result<s3::ListAccessPointsOutput> list_access_points_for_directory_buckets(
    Call& call, const s3::ListAccessPointsForDirectoryBucketsInput& in);
Result<s3::GetAccessPointPolicyStatusOutput> get_access_point_policy_status(
    Call& call, const s3::AccessPointInput& in);

// rename.cc
Result<s3::EmptyOutput> rename_object(Call& call, const s3::RenameObjectInput& in);

// listings.cc
Result<s3::ListObjectsOutput> list_objects(Call& call, const s3::ListObjectsInput& in);
Result<s3::ListObjectsV2Output> list_objects_v2(Call& call, const s3::ListObjectsV2Input& in);

// versions.cc
Result<s3::ListObjectVersionsOutput> list_object_versions(Call& call,
                                                          const s3::ListObjectVersionsInput& in);

// settings.cc
Result<s3::EmptyOutput> put_bucket_versioning(Call& call, const s3::PutBucketVersioningInput& in);
Result<s3::GetBucketVersioningOutput> get_bucket_versioning(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> put_bucket_policy(Call& call, const s3::PutBucketPolicyInput& in);
Result<s3::GetBucketPolicyOutput> get_bucket_policy(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_policy(Call& call, const s3::BucketInput& in);
Result<s3::GetBucketPolicyStatusOutput> get_bucket_policy_status(Call& call,
                                                                 const s3::BucketInput& in);
Result<s3::EmptyOutput> put_bucket_cors(Call& call, const s3::PutBucketCorsInput& in);
Result<s3::GetBucketCorsOutput> get_bucket_cors(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_cors(Call& call, const s3::BucketInput& in);
Result<s3::PutBucketLifecycleConfigurationOutput> put_bucket_lifecycle_configuration(
    Call& call, const s3::PutBucketLifecycleConfigurationInput& in);
Result<s3::GetBucketLifecycleConfigurationOutput> get_bucket_lifecycle_configuration(
    Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_lifecycle(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> put_bucket_encryption(Call& call, const s3::PutBucketEncryptionInput& in);
Result<s3::GetBucketEncryptionOutput> get_bucket_encryption(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_encryption(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> put_bucket_request_payment(Call& call,
                                                   const s3::PutBucketRequestPaymentInput& in);
Result<s3::GetBucketRequestPaymentOutput> get_bucket_request_payment(Call& call,
                                                                     const s3::BucketInput& in);
Result<s3::AccelerateOutput> get_bucket_accelerate_configuration(Call& call,
                                                                 const s3::AccelerateInput& in);
Result<s3::EmptyOutput> get_bucket_logging(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> get_bucket_notification_configuration(Call& call,
                                                              const s3::BucketInput& in);
Result<s3::EmptyOutput> get_bucket_website(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> get_bucket_replication(Call& call, const s3::BucketInput& in);

// unset.cc
Result<s3::EmptyOutput> put_bucket_accelerate_configuration(Call& call,
                                                            const s3::PutBucketDocumentInput& in);
Result<s3::EmptyOutput> put_bucket_logging(Call& call, const s3::PutBucketDocumentInput& in);
Result<s3::EmptyOutput> put_bucket_notification_configuration(Call& call,
                                                              const s3::PutBucketDocumentInput& in);
Result<s3::EmptyOutput> delete_nothing(Call& call, const s3::BucketInput& in);

// acls.cc
Result<s3::EmptyOutput> put_bucket_acl(Call& call, const s3::PutBucketAclInput& in);
Result<s3::GetAclOutput> get_bucket_acl(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> put_bucket_ownership_controls(
    Call& call, const s3::PutBucketOwnershipControlsInput& in);
Result<s3::GetBucketOwnershipControlsOutput> get_bucket_ownership_controls(
    Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_ownership_controls(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> put_public_access_block(Call& call,
                                                const s3::PutPublicAccessBlockInput& in);
Result<s3::GetPublicAccessBlockOutput> get_public_access_block(Call& call,
                                                               const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_public_access_block(Call& call, const s3::BucketInput& in);
Result<s3::ChargedOutput> put_object_acl(Call& call, const s3::PutObjectAclInput& in);
Result<s3::GetAclOutput> get_object_acl(Call& call, const s3::ObjectInput& in);

// tagging.cc
Result<s3::EmptyOutput> put_bucket_tagging(Call& call, const s3::PutBucketTaggingInput& in);
Result<s3::GetBucketTaggingOutput> get_bucket_tagging(Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_tagging(Call& call, const s3::BucketInput& in);
Result<s3::ObjectTaggingOutput> put_object_tagging(Call& call, const s3::PutObjectTaggingInput& in);
Result<s3::GetObjectTaggingOutput> get_object_tagging(Call& call, const s3::ObjectInput& in);
Result<s3::ObjectTaggingOutput> delete_object_tagging(Call& call,
                                                      const s3::DeleteObjectTaggingInput& in);

// locks.cc
Result<s3::ChargedOutput> put_object_lock_configuration(
    Call& call, const s3::PutObjectLockConfigurationInput& in);
Result<s3::GetObjectLockConfigurationOutput> get_object_lock_configuration(
    Call& call, const s3::BucketInput& in);
Result<s3::ChargedOutput> put_object_retention(Call& call, const s3::PutObjectRetentionInput& in);
Result<s3::GetObjectRetentionOutput> get_object_retention(Call& call, const s3::ObjectInput& in);
Result<s3::ChargedOutput> put_object_legal_hold(Call& call, const s3::PutObjectLegalHoldInput& in);
Result<s3::GetObjectLegalHoldOutput> get_object_legal_hold(Call& call, const s3::ObjectInput& in);

// tables.cc
Result<s3::EmptyOutput> create_bucket_metadata_configuration(
    Call& call, const s3::CreateBucketMetadataConfigurationInput& in);
Result<s3::GetBucketMetadataConfigurationOutput> get_bucket_metadata_configuration(
    Call& call, const s3::BucketInput& in);
Result<s3::EmptyOutput> delete_bucket_metadata_configuration(Call& call,
                                                             const s3::BucketInput& in);
Result<s3::EmptyOutput> update_bucket_metadata_journal_table_configuration(
    Call& call, const s3::UpdateBucketMetadataJournalTableConfigurationInput& in);
Result<s3::EmptyOutput> update_bucket_metadata_inventory_table_configuration(
    Call& call, const s3::UpdateBucketMetadataInventoryTableConfigurationInput& in);
Result<s3::ListBucketMetadataTableRowsOutput> list_bucket_metadata_table_rows(
    Call& call, const s3::ListBucketMetadataTableRowsInput& in);

// reads.cc; these send their replies themselves
Result<s3::GetObjectOutput> get_object(Call& call, const s3::GetObjectInput& in);
Result<s3::GetObjectOutput> head_object(Call& call, const s3::GetObjectInput& in);

// writes.cc
Result<s3::PutObjectOutput> put_object(Call& call, const s3::PutObjectInput& in);

// copies.cc
Result<s3::CopyObjectOutput> copy_object(Call& call, const s3::CopyObjectInput& in);

// deletes.cc
Result<s3::DeleteObjectOutput> delete_object(Call& call, const s3::DeleteObjectInput& in);
Result<s3::DeleteObjectsOutput> delete_objects(Call& call, const s3::DeleteObjectsInput& in);

// archives.cc
Result<s3::GetObjectAttributesOutput> get_object_attributes(Call& call,
                                                            const s3::GetObjectAttributesInput& in);
Result<s3::RestoreObjectOutput> restore_object(Call& call, const s3::RestoreObjectInput& in);

// uploads.cc
Result<s3::CreateMultipartUploadOutput> create_multipart_upload(
    Call& call, const s3::CreateMultipartUploadInput& in);
Result<s3::AbortMultipartUploadOutput> abort_multipart_upload(
    Call& call, const s3::AbortMultipartUploadInput& in);
Result<s3::ListMultipartUploadsOutput> list_multipart_uploads(
    Call& call, const s3::ListMultipartUploadsInput& in);

// parts.cc
Result<s3::UploadPartOutput> upload_part(Call& call, const s3::UploadPartInput& in);
Result<s3::UploadPartCopyOutput> upload_part_copy(Call& call, const s3::UploadPartCopyInput& in);
Result<s3::ListPartsOutput> list_parts(Call& call, const s3::ListPartsInput& in);

// completion.cc
Result<s3::CompleteMultipartUploadOutput> complete_multipart_upload(
    Call& call, const s3::CompleteMultipartUploadInput& in);

/// An operation and what is done for it: parameters read, work done, result sent.
struct Handler {
  const s3::Operation* operation;
  Status (*run)(Call& call);
};
/// All of them. In rows.cc.
std::span<const Handler> handlers();

// For handlers.

/// Keeps a document of the bucket, or none. settings.cc
Result<s3::EmptyOutput> set_document(Call& call, std::string_view name,
                                     std::optional<std::string> text);

}  // namespace cairn::s3api
