// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the operations on one object, and of the batch delete. Bodies of
// objects are streams and stand beside these structures, not in them.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

/// Operations that need only the version: tags, grants, retention and legal hold, asked for.
struct ObjectInput {
  CAIRN_S3_SHAPE(ObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(ObjectInput)
};

struct PutObjectInput {
  CAIRN_S3_SHAPE(PutObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &object_acls))
  CAIRN_S3_CONTENT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, content_md5, header("Content-MD5"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm,
                 header("x-amz-sdk-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_FIELD(std::optional<std::string>, if_match, header("If-Match"))
  CAIRN_S3_FIELD(std::optional<std::string>, if_none_match, header("If-None-Match"))
  CAIRN_S3_GRANT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::int64_t>, write_offset_bytes,
                 header("x-amz-write-offset-bytes"))
  CAIRN_S3_FIELD(Metadata, metadata, header_map("x-amz-meta-"))
  CAIRN_S3_ENCRYPTION_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class,
                 header("x-amz-storage-class", &storage_classes))
  CAIRN_S3_FIELD(std::optional<std::string>, website_redirect_location,
                 header("x-amz-website-redirect-location"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, tagging, header("x-amz-tagging"))
  CAIRN_S3_LOCK_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectInput)
};

struct PutObjectOutput {
  CAIRN_S3_SHAPE(PutObjectOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, expiration, header("x-amz-expiration"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, header("ETag"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, header("x-amz-checksum-type"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, header("x-amz-object-size"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, ssekms_encryption_context,
                 header("x-amz-server-side-encryption-context"))
  CAIRN_S3_SHAPE_END(PutObjectOutput)
};

struct GetObjectInput {
  CAIRN_S3_SHAPE(GetObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_READ_CONDITION_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, range, header("Range"))
  CAIRN_S3_RESPONSE_OVERRIDE_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number, query("partNumber"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_mode,
                 header("x-amz-checksum-mode", &checksum_modes))
  CAIRN_S3_SHAPE_END(GetObjectInput)
};

/// Of GetObject and HeadObject.
struct GetObjectOutput {
  CAIRN_S3_SHAPE(GetObjectOutput)
  CAIRN_S3_FIELD(std::optional<bool>, delete_marker, header("x-amz-delete-marker"))
  CAIRN_S3_FIELD(std::optional<std::string>, accept_ranges, header("Accept-Ranges"))
  CAIRN_S3_FIELD(std::optional<std::string>, expiration, header("x-amz-expiration"))
  CAIRN_S3_FIELD(std::optional<std::string>, restore, header("x-amz-restore"))
  CAIRN_S3_FIELD(std::optional<std::string>, archive_status, header("x-amz-archive-status"))
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, header("Last-Modified"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, content_length, header("Content-Length"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, header("ETag"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, header("x-amz-checksum-type"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, missing_meta, header("x-amz-missing-meta"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CONTENT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, content_range, header("Content-Range"))
  CAIRN_S3_FIELD(std::optional<std::string>, website_redirect_location,
                 header("x-amz-website-redirect-location"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_FIELD(Metadata, metadata, header_map("x-amz-meta-"))
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, header("x-amz-storage-class"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, replication_status, header("x-amz-replication-status"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, parts_count, header("x-amz-mp-parts-count"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, tag_count, header("x-amz-tagging-count"))
  CAIRN_S3_LOCK_FIELDS
  CAIRN_S3_SHAPE_END(GetObjectOutput)
};

struct DeleteObjectInput {
  CAIRN_S3_SHAPE(DeleteObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, mfa, header("x-amz-mfa"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_BYPASS_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, if_match, header("If-Match"))
  CAIRN_S3_FIELD(std::optional<Time>, if_match_last_modified_time,
                 header("x-amz-if-match-last-modified-time"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, if_match_size, header("x-amz-if-match-size"))
  CAIRN_S3_SHAPE_END(DeleteObjectInput)
};

struct DeleteObjectOutput {
  CAIRN_S3_SHAPE(DeleteObjectOutput)
  CAIRN_S3_FIELD(std::optional<bool>, delete_marker, header("x-amz-delete-marker"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(DeleteObjectOutput)
};

struct ObjectIdentifier {
  CAIRN_S3_SHAPE(ObjectIdentifier)
  CAIRN_S3_FIELD(std::string, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, element("VersionId"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::optional<Time>, last_modified_time, element("LastModifiedTime"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_SHAPE_END(ObjectIdentifier)
};

struct Delete {
  CAIRN_S3_SHAPE(Delete)
  CAIRN_S3_FIELD(std::vector<ObjectIdentifier>, objects, element("Object").required())
  CAIRN_S3_FIELD(std::optional<bool>, quiet, element("Quiet"))
  CAIRN_S3_SHAPE_END(Delete)
};

struct DeleteObjectsInput {
  CAIRN_S3_SHAPE(DeleteObjectsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(Delete, delete_, payload("Delete"))
  CAIRN_S3_FIELD(std::optional<std::string>, mfa, header("x-amz-mfa"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_BYPASS_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, content_md5, header("Content-MD5"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm,
                 header("x-amz-sdk-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_SHAPE_END(DeleteObjectsInput)
};

struct DeletedElement {
  CAIRN_S3_SHAPE(DeletedElement)
  CAIRN_S3_FIELD(std::string, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, element("VersionId"))
  CAIRN_S3_FIELD(std::optional<bool>, delete_marker, element("DeleteMarker"))
  CAIRN_S3_FIELD(std::optional<std::string>, delete_marker_version_id,
                 element("DeleteMarkerVersionId"))
  CAIRN_S3_SHAPE_END(DeletedElement)
};

struct ErrorElement {
  CAIRN_S3_SHAPE(ErrorElement)
  CAIRN_S3_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, element("VersionId"))
  CAIRN_S3_FIELD(std::optional<std::string>, code, element("Code"))
  CAIRN_S3_FIELD(std::optional<std::string>, message, element("Message"))
  CAIRN_S3_SHAPE_END(ErrorElement)
};

struct DeleteObjectsOutput {
  CAIRN_S3_SHAPE(DeleteObjectsOutput)
  CAIRN_S3_FIELD(std::vector<DeletedElement>, deleted, element("Deleted"))
  CAIRN_S3_FIELD(std::vector<ErrorElement>, errors, element("Error"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(DeleteObjectsOutput)
};

struct CopyObjectInput {
  CAIRN_S3_SHAPE(CopyObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &object_acls))
  CAIRN_S3_CONTENT_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm,
                 header("x-amz-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_COPY_SOURCE_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, if_match, header("If-Match"))
  CAIRN_S3_FIELD(std::optional<std::string>, if_none_match, header("If-None-Match"))
  CAIRN_S3_GRANT_FIELDS
  CAIRN_S3_FIELD(Metadata, metadata, header_map("x-amz-meta-"))
  CAIRN_S3_FIELD(std::optional<std::string>, metadata_directive,
                 header("x-amz-metadata-directive", &metadata_directives))
  CAIRN_S3_FIELD(std::optional<std::string>, tagging_directive,
                 header("x-amz-tagging-directive", &tagging_directives))
  CAIRN_S3_ENCRYPTION_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class,
                 header("x-amz-storage-class", &storage_classes))
  CAIRN_S3_FIELD(std::optional<std::string>, website_redirect_location,
                 header("x-amz-website-redirect-location"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_COPY_SOURCE_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, tagging, header("x-amz-tagging"))
  CAIRN_S3_LOCK_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, expected_source_bucket_owner,
                 header("x-amz-source-expected-bucket-owner"))
  CAIRN_S3_SHAPE_END(CopyObjectInput)
};

struct CopyObjectResult {
  CAIRN_S3_SHAPE(CopyObjectResult)
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_SHAPE_END(CopyObjectResult)
};

struct CopyObjectOutput {
  CAIRN_S3_SHAPE(CopyObjectOutput)
  CAIRN_S3_FIELD(std::optional<CopyObjectResult>, copy_object_result, payload("CopyObjectResult"))
  CAIRN_S3_FIELD(std::optional<std::string>, expiration, header("x-amz-expiration"))
  CAIRN_S3_FIELD(std::optional<std::string>, copy_source_version_id,
                 header("x-amz-copy-source-version-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, ssekms_encryption_context,
                 header("x-amz-server-side-encryption-context"))
  CAIRN_S3_SHAPE_END(CopyObjectOutput)
};

}  // namespace cairn::s3
