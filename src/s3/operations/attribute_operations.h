// SPDX-License-Identifier: Apache-2.0
// Parameters and results of GetObjectAttributes, and of RestoreObject.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct GetObjectAttributesInput {
  CAIRN_S3_SHAPE(GetObjectAttributesInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_parts, header("x-amz-max-parts"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number_marker,
                 header("x-amz-part-number-marker"))
  CAIRN_S3_CUSTOMER_KEY_FIELDS
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::vector<std::string>, object_attributes, header("x-amz-object-attributes"))
  CAIRN_S3_SHAPE_END(GetObjectAttributesInput)
};

struct ChecksumElement {
  CAIRN_S3_SHAPE(ChecksumElement)
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_FIELD(std::optional<std::string>, checksum_type, element("ChecksumType"))
  CAIRN_S3_SHAPE_END(ChecksumElement)
};

struct ObjectPartElement {
  CAIRN_S3_SHAPE(ObjectPartElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number, element("PartNumber"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, size, element("Size"))
  CAIRN_S3_CHECKSUM_ELEMENTS
  CAIRN_S3_SHAPE_END(ObjectPartElement)
};

struct ObjectPartsElement {
  CAIRN_S3_SHAPE(ObjectPartsElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, total_parts_count, element("PartsCount"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, part_number_marker, element("PartNumberMarker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, next_part_number_marker,
                 element("NextPartNumberMarker"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_parts, element("MaxParts"))
  CAIRN_S3_FIELD(std::optional<bool>, is_truncated, element("IsTruncated"))
  CAIRN_S3_FIELD(std::vector<ObjectPartElement>, parts, element("Part"))
  CAIRN_S3_SHAPE_END(ObjectPartsElement)
};

struct GetObjectAttributesOutput {
  CAIRN_S3_SHAPE(GetObjectAttributesOutput)
  CAIRN_S3_FIELD(std::optional<bool>, delete_marker, header("x-amz-delete-marker"))
  CAIRN_S3_FIELD(std::optional<Time>, last_modified, header("Last-Modified"))
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, etag, element("ETag"))
  CAIRN_S3_FIELD(std::optional<ChecksumElement>, checksum, element("Checksum"))
  CAIRN_S3_FIELD(std::optional<ObjectPartsElement>, object_parts, element("ObjectParts"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class, element("StorageClass"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, object_size, element("ObjectSize"))
  CAIRN_S3_SHAPE_END(GetObjectAttributesOutput)
};

struct GlacierJobElement {
  CAIRN_S3_SHAPE(GlacierJobElement)
  CAIRN_S3_FIELD(std::string, tier, element("Tier", &tiers))
  CAIRN_S3_SHAPE_END(GlacierJobElement)
};

/// Without the parts that ask for a query over an archive, which no service offers any more.
struct RestoreRequestElement {
  CAIRN_S3_SHAPE(RestoreRequestElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days, element("Days"))
  CAIRN_S3_FIELD(std::optional<GlacierJobElement>, glacier_job_parameters,
                 element("GlacierJobParameters"))
  CAIRN_S3_FIELD(std::optional<std::string>, type, element("Type"))
  CAIRN_S3_FIELD(std::optional<std::string>, tier, element("Tier", &tiers))
  CAIRN_S3_FIELD(std::optional<std::string>, description, element("Description"))
  CAIRN_S3_SHAPE_END(RestoreRequestElement)
};

struct RestoreObjectInput {
  CAIRN_S3_SHAPE(RestoreObjectInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_FIELD(std::optional<RestoreRequestElement>, restore_request, payload("RestoreRequest"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(RestoreObjectInput)
};

struct RestoreObjectOutput {
  CAIRN_S3_SHAPE(RestoreObjectOutput)
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, restore_output_path,
                 header("x-amz-restore-output-path"))
  CAIRN_S3_SHAPE_END(RestoreObjectOutput)
};

}  // namespace cairn::s3
