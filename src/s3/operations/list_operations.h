// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the listings of objects.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct RestoreStatusElement {
  CAIRN_S3_SHAPE(RestoreStatusElement)
  CAIRN_S3_FIELD(std::optional<bool>, is_restore_in_progress, element("IsRestoreInProgress"))
  CAIRN_S3_FIELD(std::optional<Time>, restore_expiry_date, element("RestoreExpiryDate"))
  CAIRN_S3_SHAPE_END(RestoreStatusElement)
};

struct ObjectElement {
  CAIRN_S3_SHAPE(ObjectElement)
  CAIRN_S3_FIELD(std::string, key, element("Key").encodable())
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::vector<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_FIELD(std::optional<RestoreStatusElement>, restore_status, element("RestoreStatus"))
  CAIRN_S3_SHAPE_END(ObjectElement)
};

struct CommonPrefixElement {
  CAIRN_S3_SHAPE(CommonPrefixElement)
  CAIRN_S3_FIELD(std::string, prefix, element("Prefix").encodable())
  CAIRN_S3_SHAPE_END(CommonPrefixElement)
};

struct ListObjectsInput {
  CAIRN_S3_SHAPE(ListObjectsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, query("delimiter"))
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, query("encoding-type", &encoding_types))
  CAIRN_S3_FIELD(std::optional<std::string>, marker, query("marker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, query("max-keys"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::vector<std::string>, optional_object_attributes,
                 header("x-amz-optional-object-attributes"))
  CAIRN_S3_SHAPE_END(ListObjectsInput)
};

struct ListObjectsOutput {
  CAIRN_S3_SHAPE(ListObjectsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, name, element("Name"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, marker, element("Marker").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, next_marker, element("NextMarker").encodable())
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, element("MaxKeys"))
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, element("Delimiter").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, element("EncodingType"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<ObjectElement>, contents, element("Contents"))
  CAIRN_S3_FIELD(std::vector<CommonPrefixElement>, common_prefixes, element("CommonPrefixes"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(ListObjectsOutput)
};

struct ListObjectsV2Input {
  CAIRN_S3_SHAPE(ListObjectsV2Input)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, query("delimiter"))
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, query("encoding-type", &encoding_types))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, query("max-keys"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_S3_FIELD(std::optional<bool>, fetch_owner, query("fetch-owner"))
  CAIRN_S3_FIELD(std::optional<std::string>, start_after, query("start-after"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::vector<std::string>, optional_object_attributes,
                 header("x-amz-optional-object-attributes"))
  CAIRN_S3_SHAPE_END(ListObjectsV2Input)
};

struct ListObjectsV2Output {
  CAIRN_S3_SHAPE(ListObjectsV2Output)
  CAIRN_S3_FIELD(std::optional<std::string>, name, element("Name"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, start_after, element("StartAfter").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, element("ContinuationToken"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_continuation_token,
                 element("NextContinuationToken"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, key_count, element("KeyCount"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, element("MaxKeys"))
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, element("Delimiter").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, element("EncodingType"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<ObjectElement>, contents, element("Contents"))
  CAIRN_S3_FIELD(std::vector<CommonPrefixElement>, common_prefixes, element("CommonPrefixes"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(ListObjectsV2Output)
};

/// A version, or a delete marker: they come mixed, newest first within a key.
struct VersionElement {
  CAIRN_S3_SHAPE(VersionElement)
  CAIRN_S3_FIELD(bool, delete_marker, own_name("DeleteMarker"))
  CAIRN_S3_FIELD(std::string, key, element("Key").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, element("VersionId"))
  CAIRN_S3_FIELD(std::optional<bool>, is_latest, element("IsLatest"))
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, element("LastModified"))
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::vector<std::string>, checksum_algorithm, element("ChecksumAlgorithm"))
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_FIELD(std::optional<OwnerElement>, owner, element("Owner"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_FIELD(std::optional<RestoreStatusElement>, restore_status, element("RestoreStatus"))
  CAIRN_S3_SHAPE_END(VersionElement)
};

struct ListObjectVersionsInput {
  CAIRN_S3_SHAPE(ListObjectVersionsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, query("delimiter"))
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, query("encoding-type", &encoding_types))
  CAIRN_S3_FIELD(std::optional<std::string>, key_marker, query("key-marker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, query("max-keys"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, query("prefix"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id_marker, query("version-id-marker"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::vector<std::string>, optional_object_attributes,
                 header("x-amz-optional-object-attributes"))
  CAIRN_S3_SHAPE_END(ListObjectVersionsInput)
};

struct ListObjectVersionsOutput {
  CAIRN_S3_SHAPE(ListObjectVersionsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, name, element("Name"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, key_marker, element("KeyMarker").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id_marker, element("VersionIdMarker"))
  CAIRN_S3_FIELD(std::optional<std::string>, next_key_marker, element("NextKeyMarker").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, next_version_id_marker, element("NextVersionIdMarker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_keys, element("MaxKeys"))
  CAIRN_S3_FIELD(std::optional<std::string>, delimiter, element("Delimiter").encodable())
  CAIRN_S3_FIELD(std::optional<std::string>, encoding_type, element("EncodingType"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<VersionElement>, versions, element("Version"))
  CAIRN_S3_FIELD(std::vector<CommonPrefixElement>, common_prefixes, element("CommonPrefixes"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(ListObjectVersionsOutput)
};

}  // namespace cairn::s3
