// SPDX-License-Identifier: Apache-2.0
// The operations of the object storage, one description each, for client and service alike.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "net/http/message.h"
#include "s3/operations/access_operations.h"
#include "s3/operations/attribute_operations.h"
#include "s3/operations/bucket_operations.h"
#include "s3/operations/control_operations.h"
#include "s3/operations/directory_operations.h"
#include "s3/operations/grant_operations.h"
#include "s3/operations/lifecycle_operations.h"
#include "s3/operations/list_operations.h"
#include "s3/operations/lock_operations.h"
#include "s3/operations/metadata_operations.h"
#include "s3/operations/multipart_operations.h"
#include "s3/operations/object_operations.h"
#include "s3/operations/setting_operations.h"
#include "s3/operations/shape.h"
#include "s3/operations/tagging_operations.h"

namespace cairn::s3 {

/// `control`: what the control API knows by a path of its own, below "/v20180820/".
enum class Target { service, bucket, object, control };

struct Operation {
  std::string_view name;  // "PutObject", as policies and logs know it
  std::string_view call;  // "put_object", as callers know it
  std::string_view method;
  Target target;
  /// What tells it from others of that method and target: a parameter of the query ("uploads",
  /// "list-type=2"), or a header field ("x-amz-copy-source:"), or both, separated by a space.
  std::string_view marker = {};
  int status = 200;                // of success
  std::string_view root = {};      // the root element of a result that is a body but no payload
  bool stream_in = false;          // the request's body is an object's bytes
  bool stream_out = false;         // the reply's body is
  bool checksum_required = false;  // clients send Content-MD5 or a checksum of the body
  bool checksum_demanded = false;  // and the service refuses it without
  /// Of the control API: the path, with "{name}" where the parameter stands that is the key.
  std::string_view path = {};
  const Shape& (*input)() = nullptr;
  const Shape& (*output)() = nullptr;
};

template <class In, class Out>
struct OperationOf : Operation {
  using Input = In;
  using Output = Out;
};

/// The row of an operation, from what its parameters do not say.
template <class Op>
constexpr Op describe(Operation operation) {
  operation.input = &shape_of<typename Op::Input>;
  operation.output = &shape_of<typename Op::Output>;
  return {operation};
}

namespace operations {
extern const OperationOf<ListBucketsInput, ListBucketsOutput> list_buckets;
extern const OperationOf<CreateBucketInput, CreateBucketOutput> create_bucket;
extern const OperationOf<BucketInput, HeadBucketOutput> head_bucket;
extern const OperationOf<BucketInput, GetBucketLocationOutput> get_bucket_location;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket;
extern const OperationOf<ListObjectsInput, ListObjectsOutput> list_objects;
extern const OperationOf<ListObjectsV2Input, ListObjectsV2Output> list_objects_v2;
extern const OperationOf<ListObjectVersionsInput, ListObjectVersionsOutput> list_object_versions;
extern const OperationOf<PutBucketVersioningInput, EmptyOutput> put_bucket_versioning;
extern const OperationOf<BucketInput, GetBucketVersioningOutput> get_bucket_versioning;
extern const OperationOf<PutBucketTaggingInput, EmptyOutput> put_bucket_tagging;
extern const OperationOf<BucketInput, GetBucketTaggingOutput> get_bucket_tagging;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_tagging;
extern const OperationOf<PutBucketAclInput, EmptyOutput> put_bucket_acl;
extern const OperationOf<BucketInput, GetAclOutput> get_bucket_acl;
extern const OperationOf<PutBucketOwnershipControlsInput, EmptyOutput>
    put_bucket_ownership_controls;
extern const OperationOf<BucketInput, GetBucketOwnershipControlsOutput>
    get_bucket_ownership_controls;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_ownership_controls;
extern const OperationOf<PutPublicAccessBlockInput, EmptyOutput> put_public_access_block;
extern const OperationOf<BucketInput, GetPublicAccessBlockOutput> get_public_access_block;
extern const OperationOf<BucketInput, EmptyOutput> delete_public_access_block;
extern const OperationOf<PutBucketPolicyInput, EmptyOutput> put_bucket_policy;
extern const OperationOf<BucketInput, GetBucketPolicyOutput> get_bucket_policy;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_policy;
extern const OperationOf<BucketInput, GetBucketPolicyStatusOutput> get_bucket_policy_status;
extern const OperationOf<PutBucketCorsInput, EmptyOutput> put_bucket_cors;
extern const OperationOf<BucketInput, GetBucketCorsOutput> get_bucket_cors;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_cors;
extern const OperationOf<PutBucketLifecycleConfigurationInput,
                         PutBucketLifecycleConfigurationOutput>
    put_bucket_lifecycle_configuration;
extern const OperationOf<BucketInput, GetBucketLifecycleConfigurationOutput>
    get_bucket_lifecycle_configuration;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_lifecycle;
extern const OperationOf<PutObjectLockConfigurationInput, ChargedOutput>
    put_object_lock_configuration;
extern const OperationOf<BucketInput, GetObjectLockConfigurationOutput>
    get_object_lock_configuration;
extern const OperationOf<PutBucketEncryptionInput, EmptyOutput> put_bucket_encryption;
extern const OperationOf<BucketInput, GetBucketEncryptionOutput> get_bucket_encryption;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_encryption;
extern const OperationOf<PutBucketRequestPaymentInput, EmptyOutput> put_bucket_request_payment;
extern const OperationOf<BucketInput, GetBucketRequestPaymentOutput> get_bucket_request_payment;
extern const OperationOf<AccelerateInput, AccelerateOutput> get_bucket_accelerate_configuration;
extern const OperationOf<BucketInput, EmptyOutput> get_bucket_logging;
extern const OperationOf<PutBucketDocumentInput, EmptyOutput> put_bucket_accelerate_configuration;
extern const OperationOf<PutBucketDocumentInput, EmptyOutput> put_bucket_logging;
extern const OperationOf<PutBucketDocumentInput, EmptyOutput> put_bucket_notification_configuration;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_website;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_replication;
extern const OperationOf<BucketInput, EmptyOutput> get_bucket_notification_configuration;
extern const OperationOf<BucketInput, EmptyOutput> get_bucket_website;
extern const OperationOf<BucketInput, EmptyOutput> get_bucket_replication;
extern const OperationOf<PutObjectInput, PutObjectOutput> put_object;
extern const OperationOf<GetObjectInput, GetObjectOutput> get_object;
extern const OperationOf<GetObjectInput, GetObjectOutput> head_object;
extern const OperationOf<DeleteObjectInput, DeleteObjectOutput> delete_object;
extern const OperationOf<DeleteObjectsInput, DeleteObjectsOutput> delete_objects;
extern const OperationOf<CopyObjectInput, CopyObjectOutput> copy_object;
extern const OperationOf<GetObjectAttributesInput, GetObjectAttributesOutput> get_object_attributes;
extern const OperationOf<RestoreObjectInput, RestoreObjectOutput> restore_object;
extern const OperationOf<PutObjectTaggingInput, ObjectTaggingOutput> put_object_tagging;
extern const OperationOf<ObjectInput, GetObjectTaggingOutput> get_object_tagging;
extern const OperationOf<DeleteObjectTaggingInput, ObjectTaggingOutput> delete_object_tagging;
extern const OperationOf<PutObjectAclInput, ChargedOutput> put_object_acl;
extern const OperationOf<ObjectInput, GetAclOutput> get_object_acl;
extern const OperationOf<PutObjectRetentionInput, ChargedOutput> put_object_retention;
extern const OperationOf<ObjectInput, GetObjectRetentionOutput> get_object_retention;
extern const OperationOf<PutObjectLegalHoldInput, ChargedOutput> put_object_legal_hold;
extern const OperationOf<ObjectInput, GetObjectLegalHoldOutput> get_object_legal_hold;
extern const OperationOf<CreateMultipartUploadInput, CreateMultipartUploadOutput>
    create_multipart_upload;
extern const OperationOf<UploadPartInput, UploadPartOutput> upload_part;
extern const OperationOf<UploadPartCopyInput, UploadPartCopyOutput> upload_part_copy;
extern const OperationOf<CompleteMultipartUploadInput, CompleteMultipartUploadOutput>
    complete_multipart_upload;
extern const OperationOf<AbortMultipartUploadInput, AbortMultipartUploadOutput>
    abort_multipart_upload;
extern const OperationOf<ListPartsInput, ListPartsOutput> list_parts;
extern const OperationOf<ListMultipartUploadsInput, ListMultipartUploadsOutput>
    list_multipart_uploads;
extern const OperationOf<CreateSessionInput, CreateSessionOutput> create_session;
extern const OperationOf<ListDirectoryBucketsInput, ListDirectoryBucketsOutput>
    list_directory_buckets;
extern const OperationOf<RenameObjectInput, EmptyOutput> rename_object;
extern const OperationOf<CreateAccessPointInput, CreateAccessPointOutput> create_access_point;
extern const OperationOf<AccessPointInput, GetAccessPointOutput> get_access_point;
extern const OperationOf<ListAccessPointsInput, ListAccessPointsOutput> list_access_points;
extern const OperationOf<AccessPointInput, EmptyOutput> delete_access_point;
extern const OperationOf<PutAccessPointPolicyInput, EmptyOutput> put_access_point_policy;
extern const OperationOf<AccessPointInput, GetAccessPointPolicyOutput> get_access_point_policy;
extern const OperationOf<AccessPointInput, EmptyOutput> delete_access_point_policy;
extern const OperationOf<AccessPointInput, GetAccessPointPolicyStatusOutput>
    get_access_point_policy_status;
extern const OperationOf<PutAccessPointScopeInput, EmptyOutput> put_access_point_scope;
extern const OperationOf<AccessPointInput, GetAccessPointScopeOutput> get_access_point_scope;
extern const OperationOf<AccessPointInput, EmptyOutput> delete_access_point_scope;
extern const OperationOf<ListAccessPointsForDirectoryBucketsInput, ListAccessPointsOutput>
    list_access_points_for_directory_buckets;
// "CreateBucket" and so on where they come from, which has other operations of these names.
extern const OperationOf<OutpostBucketInput, CreateOutpostBucketOutput> create_outpost_bucket;
extern const OperationOf<OutpostBucketInput, GetOutpostBucketOutput> get_outpost_bucket;
extern const OperationOf<OutpostBucketInput, EmptyOutput> delete_outpost_bucket;
extern const OperationOf<ListRegionalBucketsInput, ListRegionalBucketsOutput> list_regional_buckets;
extern const OperationOf<CreateAccessGrantsInstanceInput, AccessGrantsInstanceOutput> create_access_grants_instance;
extern const OperationOf<AccessGrantsInput, AccessGrantsInstanceOutput> get_access_grants_instance;
extern const OperationOf<AccessGrantsInput, EmptyOutput> delete_access_grants_instance;
extern const OperationOf<AccessGrantsPageInput, ListAccessGrantsInstancesOutput> list_access_grants_instances;
extern const OperationOf<GetAccessGrantsInstanceForPrefixInput, GetAccessGrantsInstanceForPrefixOutput> get_access_grants_instance_for_prefix;
extern const OperationOf<CreateAccessGrantsLocationInput, AccessGrantsLocationOutput> create_access_grants_location;
extern const OperationOf<AccessGrantsNameInput, AccessGrantsLocationOutput> get_access_grants_location;
extern const OperationOf<UpdateAccessGrantsLocationInput, AccessGrantsLocationOutput> update_access_grants_location;
extern const OperationOf<AccessGrantsNameInput, EmptyOutput> delete_access_grants_location;
extern const OperationOf<ListAccessGrantsLocationsInput, ListAccessGrantsLocationsOutput> list_access_grants_locations;
extern const OperationOf<CreateAccessGrantInput, AccessGrantOutput> create_access_grant;
extern const OperationOf<AccessGrantsNameInput, AccessGrantOutput> get_access_grant;
extern const OperationOf<AccessGrantsNameInput, EmptyOutput> delete_access_grant;
extern const OperationOf<ListAccessGrantsInput, ListAccessGrantsOutput> list_access_grants;
extern const OperationOf<GetDataAccessInput, GetDataAccessOutput> get_data_access;
extern const OperationOf<CreateBucketMetadataConfigurationInput, EmptyOutput>
    create_bucket_metadata_configuration;
extern const OperationOf<BucketInput, GetBucketMetadataConfigurationOutput>
    get_bucket_metadata_configuration;
extern const OperationOf<BucketInput, EmptyOutput> delete_bucket_metadata_configuration;
extern const OperationOf<UpdateBucketMetadataJournalTableConfigurationInput, EmptyOutput>
    update_bucket_metadata_journal_table_configuration;
extern const OperationOf<UpdateBucketMetadataInventoryTableConfigurationInput, EmptyOutput>
    update_bucket_metadata_inventory_table_configuration;
// Of Cairn alone.
extern const OperationOf<ListBucketMetadataTableRowsInput, ListBucketMetadataTableRowsOutput>
    list_bucket_metadata_table_rows;
}  // namespace operations

/// Those that Cairn's service answers, but for the control API's.
std::span<const Operation* const> all_operations();
/// Those of the control API, all answered.
std::span<const Operation* const> control_operations();
/// Of both, by either name; null where there is none.
const Operation* find_operation(std::string_view name);

/// The operation that a request asks for: of those of its method and target the one whose marker it
/// has, or the one without a marker: ListBuckets, not ListDirectoryBuckets, which its signature tells
/// (is_signed_for_directories). Null where there is none.
const Operation* match_operation(std::string_view method, Target target,
                                 const net::QueryParameters& query, const net::Headers& headers);

inline constexpr std::string_view control_path = "/v20180820/";
/// The operation of the control API that a path asks for, and the name that stands in it, decoded.
/// Null where there is none.
const Operation* match_control_operation(std::string_view method, std::string_view path,
                                         std::string& name);

/// The first parameter of a query that names a part of a bucket or object with operations of its
/// own ("acl", "versioning"); nothing where all are plain parameters.
std::optional<std::string_view> subresource_of(const net::QueryParameters& query);

}  // namespace cairn::s3
