// SPDX-License-Identifier: Apache-2.0
// Parameters and results of multipart uploads.
#pragma once

#include "s3/bucket_operations.h"
#include "s3/list_operations.h"
#include "s3/values.h"

namespace cairn::s3 {

struct CreateMultipartUploadInput {
  CAIRN_SHAPE(CreateMultipartUploadInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::optional<std::string>, acl, header("x-amz-acl", &object_acls))
  CAIRN_S3_CONTENT_FIELDS
  CAIRN_S3_GRANT_FIELDS
  CAIRN_FIELD(Metadata, metadata, header_map("x-amz-meta-"))
  CAIRN_S3_ENCRYPTION_FIELDS
  CAIRN_FIELD(std::optional<std::string>, storage_class,
              header("x-amz-storage-class", &storage_classes))
  CAIRN_FIELD(std::optional<std::string>, website_redirect_location,
              header("x-amz-website-redirect-location"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_FIELD(std::optional<std::string>, tagging, header("x-amz-tagging"))
  CAIRN_S3_LOCK_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_FIELD(std::optional<std::string>, checksum_algorithm,
              header("x-amz-checksum-algorithm", &checksum_algorithms))
  CAIRN_FIELD(std::optional<std::string>, checksum_type,
              header("x-amz-checksum-type", &checksum_types))
  CAIRN_SHAPE_END(CreateMultipartUploadInput)
};

struct CreateMultipartUploadOutput {
  CAIRN_SHAPE(CreateMultipartUploadOutput)
  CAIRN_FIELD(std::optional<Time>, abort_date, header("x-amz-abort-date"))
  CAIRN_FIELD(std::optional<std::string>, abort_rule_id, header("x-amz-abort-rule-id"))
  CAIRN_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_FIELD(std::optional<std::string>, upload_id, element("UploadId"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_FIELD(std::optional<std::string>, checksum_algorithm, header("x-amz-checksum-algorithm"))
  CAIRN_FIELD(std::optional<std::string>, checksum_type, header("x-amz-checksum-type"))
  CAIRN_SHAPE_END(CreateMultipartUploadOutput)
};

struct UploadPartInput {
  CAIRN_SHAPE(UploadPartInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_FIELD(std::int64_t, part_number, query("partNumber"))
  CAIRN_FIELD(std::optional<std::string>, content_md5, header("Content-MD5"))
  CAIRN_FIELD(std::optional<std::string>, checksum_algorithm,
              header("x-amz-sdk-checksum-algorithm", &checksum_algorithms))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_SHAPE_END(UploadPartInput)
};

struct UploadPartOutput {
  CAIRN_SHAPE(UploadPartOutput)
  CAIRN_FIELD(std::optional<std::string>, etag, header("ETag"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_SHAPE_END(UploadPartOutput)
};

struct UploadPartCopyInput {
  CAIRN_SHAPE(UploadPartCopyInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_FIELD(std::int64_t, part_number, query("partNumber"))
  CAIRN_S3_COPY_SOURCE_FIELDS
  CAIRN_FIELD(std::optional<std::string>, copy_source_range, header("x-amz-copy-source-range"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_COPY_SOURCE_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_FIELD(std::optional<std::string>, expected_source_bucket_owner,
              header("x-amz-source-expected-bucket-owner"))
  CAIRN_SHAPE_END(UploadPartCopyInput)
};

struct CopyPartResult {
  CAIRN_SHAPE(CopyPartResult)
  CAIRN_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_SHAPE_END(CopyPartResult)
};

struct UploadPartCopyOutput {
  CAIRN_SHAPE(UploadPartCopyOutput)
  CAIRN_FIELD(std::optional<CopyPartResult>, copy_part_result, payload("CopyPartResult"))
  CAIRN_FIELD(std::optional<std::string>, copy_source_version_id,
              header("x-amz-copy-source-version-id"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_CUSTOMER_KEY_RESULT
  CAIRN_S3_CHARGED_FIELD
  CAIRN_SHAPE_END(UploadPartCopyOutput)
};

struct CompletedPart {
  CAIRN_SHAPE(CompletedPart)
  CAIRN_FIELD(std::string, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_FIELD(std::int64_t, part_number, element("PartNumber"))
  CAIRN_SHAPE_END(CompletedPart)
};

struct CompletedMultipartUpload {
  CAIRN_SHAPE(CompletedMultipartUpload)
  CAIRN_FIELD(std::vector<CompletedPart>, parts, element("Part").required())
  CAIRN_SHAPE_END(CompletedMultipartUpload)
};

struct CompleteMultipartUploadInput {
  CAIRN_SHAPE(CompleteMultipartUploadInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::optional<CompletedMultipartUpload>, multipart_upload,
              payload("CompleteMultipartUpload"))
  CAIRN_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_CHECKSUM_HEADERS
  CAIRN_FIELD(std::optional<std::string>, checksum_type,
              header("x-amz-checksum-type", &checksum_types))
  CAIRN_FIELD(std::optional<std::int64_t>, mpu_object_size, header("x-amz-mp-object-size"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_FIELD(std::optional<std::string>, if_match, header("If-Match"))
  CAIRN_FIELD(std::optional<std::string>, if_none_match, header("If-None-Match"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_SHAPE_END(CompleteMultipartUploadInput)
};

struct CompleteMultipartUploadOutput {
  CAIRN_SHAPE(CompleteMultipartUploadOutput)
  CAIRN_FIELD(std::optional<std::string>, location, element("Location"))
  CAIRN_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_FIELD(std::optional<std::string>, expiration, header("x-amz-expiration"))
  CAIRN_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_SHAPE_END(CompleteMultipartUploadOutput)
};

struct AbortMultipartUploadInput {
  CAIRN_SHAPE(AbortMultipartUploadInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_FIELD(std::optional<Time>, if_match_initiated_time, header("x-amz-if-match-initiated-time"))
  CAIRN_SHAPE_END(AbortMultipartUploadInput)
};

struct AbortMultipartUploadOutput {
  CAIRN_SHAPE(AbortMultipartUploadOutput)
  CAIRN_S3_CHARGED_FIELD
  CAIRN_SHAPE_END(AbortMultipartUploadOutput)
};

struct PartElement {
  CAIRN_SHAPE(PartElement)
  CAIRN_FIELD(std::optional<std::int64_t>, part_number, element("PartNumber"))
  CAIRN_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_SHAPE_END(PartElement)
};

struct ListPartsInput {
  CAIRN_SHAPE(ListPartsInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::string, key, wire::key())
  CAIRN_FIELD(std::optional<std::int64_t>, max_parts, query("max-parts"))
  CAIRN_FIELD(std::optional<std::int64_t>, part_number_marker, query("part-number-marker"))
  CAIRN_FIELD(std::string, upload_id, query("uploadId"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_SHAPE_END(ListPartsInput)
};

struct ListPartsOutput {
  CAIRN_SHAPE(ListPartsOutput)
  CAIRN_FIELD(std::optional<Time>, abort_date, header("x-amz-abort-date"))
  CAIRN_FIELD(std::optional<std::string>, abort_rule_id, header("x-amz-abort-rule-id"))
  CAIRN_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_FIELD(std::optional<std::string>, key, element("Key"))
  CAIRN_FIELD(std::optional<std::string>, upload_id, element("UploadId"))
  CAIRN_FIELD(std::optional<std::int64_t>, part_number_marker, element("PartNumberMarker"))
  CAIRN_FIELD(std::optional<std::int64_t>, next_part_number_marker, element("NextPartNumberMarker"))
  CAIRN_FIELD(std::optional<std::int64_t>, max_parts, element("MaxParts"))
  CAIRN_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_FIELD(std::vector<PartElement>, parts, element("Part"))
  CAIRN_FIELD(std::optional<OwnerElement>, initiator, element("Initiator"))
  CAIRN_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_FIELD(std::optional<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_SHAPE_END(ListPartsOutput)
};

struct UploadElement {
  CAIRN_SHAPE(UploadElement)
  CAIRN_FIELD(std::string, key, element("Key").encodable())
  CAIRN_FIELD(std::string, upload_id, element("UploadId"))
  CAIRN_FIELD(std::optional<OwnerElement>, initiator, element("Initiator"))
  CAIRN_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_FIELD(std::optional<Time>, initiated, element("Initiated"))
  CAIRN_FIELD(std::optional<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_SHAPE_END(UploadElement)
};

struct ListMultipartUploadsInput {
  CAIRN_SHAPE(ListMultipartUploadsInput)
  CAIRN_FIELD(std::string, bucket, wire::bucket())
  CAIRN_FIELD(std::optional<std::string>, delimiter, query("delimiter"))
  CAIRN_FIELD(std::optional<std::string>, encoding_type, query("encoding-type", &encoding_types))
  CAIRN_FIELD(std::optional<std::string>, key_marker, query("key-marker"))
  CAIRN_FIELD(std::optional<std::int64_t>, max_uploads, query("max-uploads"))
  CAIRN_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_FIELD(std::optional<std::string>, upload_id_marker, query("upload-id-marker"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_PAYER_FIELD
  CAIRN_SHAPE_END(ListMultipartUploadsInput)
};

struct ListMultipartUploadsOutput {
  CAIRN_SHAPE(ListMultipartUploadsOutput)
  CAIRN_FIELD(std::optional<std::string>, bucket, element("Bucket"))
  CAIRN_FIELD(std::optional<std::string>, key_marker, element("KeyMarker").encodable())
  CAIRN_FIELD(std::optional<std::string>, upload_id_marker, element("UploadIdMarker"))
  CAIRN_FIELD(std::optional<std::string>, next_key_marker, element("NextKeyMarker").encodable())
  CAIRN_FIELD(std::optional<std::string>, next_upload_id_marker, element("NextUploadIdMarker"))
  CAIRN_FIELD(std::optional<std::string>, prefix, element("Prefix").encodable())
  CAIRN_FIELD(std::optional<std::string>, delimiter, element("Delimiter").encodable())
  CAIRN_FIELD(std::optional<std::int64_t>, max_uploads, element("MaxUploads"))
  CAIRN_FIELD(std::optional<std::string>, encoding_type, element("EncodingType"))
  CAIRN_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_FIELD(std::vector<UploadElement>, uploads, element("Upload"))
  CAIRN_FIELD(std::vector<CommonPrefixElement>, common_prefixes, element("CommonPrefixes"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_SHAPE_END(ListMultipartUploadsOutput)
};

}  // namespace cairn::s3
