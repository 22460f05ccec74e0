// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the lifecycle of a bucket: when what is taken away or moved.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct LifecycleExpirationElement {
  CAIRN_S3_SHAPE(LifecycleExpirationElement)
  CAIRN_S3_FIELD(std::optional<Time>, date, element("Date"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days, element("Days"))
  CAIRN_S3_FIELD(std::optional<bool>, expired_object_delete_marker,
                 element("ExpiredObjectDeleteMarker"))
  CAIRN_S3_SHAPE_END(LifecycleExpirationElement)
};

struct LifecycleAndElement {
  CAIRN_S3_SHAPE(LifecycleAndElement)
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix"))
  CAIRN_S3_FIELD(std::vector<TagElement>, tags, element("Tag"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, object_size_greater_than,
                 element("ObjectSizeGreaterThan"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, object_size_less_than, element("ObjectSizeLessThan"))
  CAIRN_S3_SHAPE_END(LifecycleAndElement)
};

struct LifecycleFilterElement {
  CAIRN_S3_SHAPE(LifecycleFilterElement)
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix"))
  CAIRN_S3_FIELD(std::optional<TagElement>, tag, element("Tag"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, object_size_greater_than,
                 element("ObjectSizeGreaterThan"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, object_size_less_than, element("ObjectSizeLessThan"))
  CAIRN_S3_FIELD(std::optional<LifecycleAndElement>, and_, element("And"))
  CAIRN_S3_SHAPE_END(LifecycleFilterElement)
};

struct TransitionElement {
  CAIRN_S3_SHAPE(TransitionElement)
  CAIRN_S3_FIELD(std::optional<Time>, date, element("Date"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days, element("Days"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class,
                 element("StorageClass", &transition_classes))
  CAIRN_S3_SHAPE_END(TransitionElement)
};

struct NoncurrentTransitionElement {
  CAIRN_S3_SHAPE(NoncurrentTransitionElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, noncurrent_days, element("NoncurrentDays"))
  CAIRN_S3_FIELD(std::optional<std::string>, storage_class,
                 element("StorageClass", &transition_classes))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, newer_noncurrent_versions,
                 element("NewerNoncurrentVersions"))
  CAIRN_S3_SHAPE_END(NoncurrentTransitionElement)
};

struct NoncurrentExpirationElement {
  CAIRN_S3_SHAPE(NoncurrentExpirationElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, noncurrent_days, element("NoncurrentDays"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, newer_noncurrent_versions,
                 element("NewerNoncurrentVersions"))
  CAIRN_S3_SHAPE_END(NoncurrentExpirationElement)
};

struct AbortUploadsElement {
  CAIRN_S3_SHAPE(AbortUploadsElement)
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days_after_initiation, element("DaysAfterInitiation"))
  CAIRN_S3_SHAPE_END(AbortUploadsElement)
};

struct LifecycleRuleElement {
  CAIRN_S3_SHAPE(LifecycleRuleElement)
  CAIRN_S3_FIELD(std::optional<std::string>, id, element("ID"))
  CAIRN_S3_FIELD(std::optional<std::string>, prefix, element("Prefix"))
  CAIRN_S3_FIELD(std::optional<LifecycleFilterElement>, filter, element("Filter"))
  CAIRN_S3_FIELD(std::string, status, element("Status", &switches))
  CAIRN_S3_FIELD(std::vector<TransitionElement>, transitions, element("Transition"))
  CAIRN_S3_FIELD(std::optional<LifecycleExpirationElement>, expiration, element("Expiration"))
  CAIRN_S3_FIELD(std::vector<NoncurrentTransitionElement>, noncurrent_version_transitions,
                 element("NoncurrentVersionTransition"))
  CAIRN_S3_FIELD(std::optional<NoncurrentExpirationElement>, noncurrent_version_expiration,
                 element("NoncurrentVersionExpiration"))
  CAIRN_S3_FIELD(std::optional<AbortUploadsElement>, abort_incomplete_multipart_upload,
                 element("AbortIncompleteMultipartUpload"))
  CAIRN_S3_SHAPE_END(LifecycleRuleElement)
};

struct LifecycleConfigurationElement {
  CAIRN_S3_SHAPE(LifecycleConfigurationElement)
  CAIRN_S3_FIELD(std::vector<LifecycleRuleElement>, rules, element("Rule").required())
  CAIRN_S3_SHAPE_END(LifecycleConfigurationElement)
};

struct PutBucketLifecycleConfigurationInput {
  CAIRN_S3_SHAPE(PutBucketLifecycleConfigurationInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(std::optional<LifecycleConfigurationElement>, lifecycle_configuration,
                 payload("LifecycleConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, transition_default_minimum_object_size,
                 header("x-amz-transition-default-minimum-object-size", &transition_minimums))
  CAIRN_S3_SHAPE_END(PutBucketLifecycleConfigurationInput)
};

struct PutBucketLifecycleConfigurationOutput {
  CAIRN_S3_SHAPE(PutBucketLifecycleConfigurationOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, transition_default_minimum_object_size,
                 header("x-amz-transition-default-minimum-object-size"))
  CAIRN_S3_SHAPE_END(PutBucketLifecycleConfigurationOutput)
};

struct GetBucketLifecycleConfigurationOutput {
  CAIRN_S3_SHAPE(GetBucketLifecycleConfigurationOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, transition_default_minimum_object_size,
                 header("x-amz-transition-default-minimum-object-size"))
  CAIRN_S3_FIELD(std::vector<LifecycleRuleElement>, rules, element("Rule"))
  CAIRN_S3_SHAPE_END(GetBucketLifecycleConfigurationOutput)
};

}  // namespace cairn::s3
