// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the operations on the tags of buckets and objects.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct TaggingElement {
  CAIRN_S3_SHAPE(TaggingElement)
  CAIRN_S3_FIELD(std::vector<TagElement>, tag_set, wrapped("TagSet", "Tag").required().or_empty())
  CAIRN_S3_SHAPE_END(TaggingElement)
};

struct PutBucketTaggingInput {
  CAIRN_S3_SHAPE(PutBucketTaggingInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(TaggingElement, tagging, payload("Tagging"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketTaggingInput)
};

struct GetBucketTaggingOutput {
  CAIRN_S3_SHAPE(GetBucketTaggingOutput)
  CAIRN_S3_FIELD(std::vector<TagElement>, tag_set, wrapped("TagSet", "Tag").required().or_empty())
  CAIRN_S3_SHAPE_END(GetBucketTaggingOutput)
};

struct PutObjectTaggingInput {
  CAIRN_S3_SHAPE(PutObjectTaggingInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(TaggingElement, tagging, payload("Tagging"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectTaggingInput)
};

struct DeleteObjectTaggingInput {
  CAIRN_S3_SHAPE(DeleteObjectTaggingInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(DeleteObjectTaggingInput)
};

/// Of PutObjectTagging and DeleteObjectTagging.
struct ObjectTaggingOutput {
  CAIRN_S3_SHAPE(ObjectTaggingOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_SHAPE_END(ObjectTaggingOutput)
};

struct GetObjectTaggingOutput {
  CAIRN_S3_SHAPE(GetObjectTaggingOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, header("x-amz-version-id"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tag_set, wrapped("TagSet", "Tag").required().or_empty())
  CAIRN_S3_SHAPE_END(GetObjectTaggingOutput)
};

}  // namespace cairn::s3
