// SPDX-License-Identifier: Apache-2.0
// Parameters and results of multipart uploads.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/list_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct CreateMultipartUploadInput {
  CAIRN_S3_SHAPE(CreateMultipartUploadInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &object_acls))
  CAIRN_S3_CONTENT_FIELDS
  CAIRN_S3_GRANT_FIELDS
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
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm,
                 header("x-amz-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type,
                 header("x-amz-checksum-type", &checksum_types))
  CAIRN_S3_SHAPE_END(CreateMultipartUploadInput)
};

struct CreateMultipartUploadOutput {
  CAIRN_S3_SHAPE(CreateMultipartUploadOutput)
  CAIRN_S3_FIELD(std::optional<Time>, abort_date, header("x-amz-abort-date"))
  CAIRN_S3_FIELD(std::optional<std::string>, abort_rule_id, header("x-amz-abort-rule-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, upload_id, element("UploadId"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm, header("x-amz-checksum-algorithm"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, header("x-amz-checksum-type"))
  CAIRN_S3_FIELD(std::optional<std::string>, ssekms_encryption_context,
                 header("x-amz-server-side-encryption-context"))
  CAIRN_S3_SHAPE_END(CreateMultipartUploadOutput)
};

struct UploadPartInput {
  CAIRN_S3_SHAPE(UploadPartInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_FIELD(std::int64_t, part_number, query("partNumber"))
  CAIRN_S3_FIELD(std::optional<std::string>, content_md5, header("Content-MD5"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm,
                 header("x-amz-sdk-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(UploadPartInput)
};

struct UploadPartOutput {
  CAIRN_S3_SHAPE(UploadPartOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, etag, header("ETag"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(UploadPartOutput)
};

struct UploadPartCopyInput {
  CAIRN_S3_SHAPE(UploadPartCopyInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_FIELD(std::int64_t, part_number, query("partNumber"))
  CAIRN_S3_COPY_SOURCE_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, copy_source_range, header("x-amz-copy-source-range"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_COPY_SOURCE_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, expected_source_bucket_owner,
                 header("x-amz-source-expected-bucket-owner"))
  CAIRN_S3_SHAPE_END(UploadPartCopyInput)
};

struct CopyPartResult {
  CAIRN_S3_SHAPE(CopyPartResult)
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_SHAPE_END(CopyPartResult)
};

struct UploadPartCopyOutput {
  CAIRN_S3_SHAPE(UploadPartCopyOutput)
  CAIRN_S3_FIELD(std::optional<CopyPartResult>, copy_part_result, payload("CopyPartResult"))
  CAIRN_S3_FIELD(std::optional<std::string>, copy_source_version_id,
                 header("x-amz-copy-source-version-id"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(UploadPartCopyOutput)
};

struct CompletedPart {
  CAIRN_S3_SHAPE(CompletedPart)
  CAIRN_S3_FIELD(std::string, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_FIELD(std::int64_t, part_number, element("PartNumber"))
  CAIRN_S3_SHAPE_END(CompletedPart)
};

struct CompletedMultipartUpload {
  CAIRN_S3_SHAPE(CompletedMultipartUpload)
  CAIRN_S3_FIELD(std::vector<CompletedPart>, parts, element("Part").required())
  CAIRN_S3_SHAPE_END(CompletedMultipartUpload)
};

struct CompleteMultipartUploadInput {
  CAIRN_S3_SHAPE(CompleteMultipartUploadInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<CompletedMultipartUpload>, multipart_upload,
                 payload("CompleteMultipartUpload"))
  CAIRN_S3_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type,
                 header("x-amz-checksum-type", &checksum_types))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, mpu_object_size, header("x-amz-mp-object-size"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, if_match, header("If-Match"))
  CAIRN_S3_FIELD(std::optional<std::string>, if_none_match, header("If-None-Match"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_SHAPE_END(CompleteMultipartUploadInput)
};

struct CompleteMultipartUploadOutput {
  CAIRN_S3_SHAPE(CompleteMultipartUploadOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, location, element("Location"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, expiration, header("x-amz-expiration"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(CompleteMultipartUploadOutput)
};

struct AbortMultipartUploadInput {
  CAIRN_S3_SHAPE(AbortMultipartUploadInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<Time>, if_match_initiated_time,
                 header("x-amz-if-match-initiated-time"))
  CAIRN_S3_SHAPE_END(AbortMultipartUploadInput)
};

struct AbortMultipartUploadOutput {
  CAIRN_S3_SHAPE(AbortMultipartUploadOutput)
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(AbortMultipartUploadOutput)
};

struct PartElement {
  CAIRN_S3_SHAPE(PartElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number, element("PartNumber"))
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_SHAPE_END(PartElement)
};

struct ListPartsInput {
  CAIRN_S3_SHAPE(ListPartsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_parts, query("max-parts"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number_marker, query("part-number-marker"))
  CAIRN_S3_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_SHAPE_END(ListPartsInput)
};

struct ListPartsOutput {
  CAIRN_S3_SHAPE(ListPartsOutput)
  CAIRN_S3_FIELD(std::optional<Time>, abort_date, header("x-amz-abort-date"))
  CAIRN_S3_FIELD(std::optional<std::string>, abort_rule_id, header("x-amz-abort-rule-id"))
  CAIRN_S3_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_S3_FIELD(std::optional<std::string>, upload_id, element("UploadId"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number_marker, element("PartNumberMarker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, next_part_number_marker,
                 element("NextPartNumberMarker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_parts, element("MaxParts"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<PartElement>, parts, element("Part"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, initiator, element("Initiator"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_SHAPE_END(ListPartsOutput)
};

struct UploadElement {
  CAIRN_S3_SHAPE(UploadElement)
  CAIRN_S3_FIELD(std::string, key, element("Key").encodable())
  CAIRN_S3_FIELD(std::string, upload_id, element("UploadId"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, initiator, element("Initiator"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_FIELD(std::optional<Time>, initiated, element("Initiated"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_SHAPE_END(UploadElement)
};

struct ListMultipartUploadsInput {
  CAIRN_S3_SHAPE(ListMultipartUploadsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, query("delimiter"))
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, query("encoding-type", &encoding_types))
  CAIRN_S3_FIELD(std::optional<std::string>, key_marker, query("key-marker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_uploads, query("max-uploads"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_S3_FIELD(std::optional<std::string>, upload_id_marker, query("upload-id-marker"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_SHAPE_END(ListMultipartUploadsInput)
};

struct ListMultipartUploadsOutput {
  CAIRN_S3_SHAPE(ListMultipartUploadsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, key_marker, element("KeyMarker").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, upload_id_marker, element("UploadIdMarker"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_key_marker, element("NextKeyMarker").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, next_upload_id_marker, element("NextUploadIdMarker"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, element("Delimiter").encodable())
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_uploads, element("MaxUploads"))
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, element("EncodingType"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<UploadElement>, uploads, element("Upload"))
  CAIRN_S3_FIELD(std::vector<CommonPrefixElement>, common_prefixes, element("CommonPrefixes"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(ListMultipartUploadsOutput)
};

}  // namespace cairn::s3
