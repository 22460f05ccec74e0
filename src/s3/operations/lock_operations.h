// SPDX-License-Identifier: Apache-2.0
// Parameters and results of object lock: of a bucket, and retention and legal hold of a version.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct DefaultRetentionElement {
  CAIRN_S3_SHAPE(DefaultRetentionElement)
  CAIRN_S3_FIELD(std::optional<std::string>, mode, element("Mode", &lock_modes))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days, element("Days"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, years, element("Years"))
  CAIRN_S3_SHAPE_END(DefaultRetentionElement)
};

struct LockRuleElement {
  CAIRN_S3_SHAPE(LockRuleElement)
  CAIRN_S3_FIELD(std::optional<DefaultRetentionElement>, default_retention,
                 element("DefaultRetention"))
  CAIRN_S3_SHAPE_END(LockRuleElement)
};

struct ObjectLockConfigurationElement {
  CAIRN_S3_SHAPE(ObjectLockConfigurationElement)
  CAIRN_S3_FIELD(std::optional<std::string>, object_lock_enabled,
                 element("ObjectLockEnabled", &enabled_only))
  CAIRN_S3_FIELD(std::optional<LockRuleElement>, rule, element("Rule"))
  CAIRN_S3_SHAPE_END(ObjectLockConfigurationElement)
};

struct PutObjectLockConfigurationInput {
  CAIRN_S3_SHAPE(PutObjectLockConfigurationInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<ObjectLockConfigurationElement>, object_lock_configuration,
                 payload("ObjectLockConfiguration"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, token, header("x-amz-bucket-object-lock-token"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectLockConfigurationInput)
};

struct GetObjectLockConfigurationOutput {
  CAIRN_S3_SHAPE(GetObjectLockConfigurationOutput)
  CAIRN_S3_FIELD(std::optional<ObjectLockConfigurationElement>, object_lock_configuration,
                 payload("ObjectLockConfiguration"))
  CAIRN_S3_SHAPE_END(GetObjectLockConfigurationOutput)
};

struct RetentionElement {
  CAIRN_S3_SHAPE(RetentionElement)
  CAIRN_S3_FIELD(std::optional<std::string>, mode, element("Mode", &lock_modes))
  CAIRN_S3_FIELD(std::optional<Time>, retain_until_date, element("RetainUntilDate"))
  CAIRN_S3_SHAPE_END(RetentionElement)
};

struct PutObjectRetentionInput {
  CAIRN_S3_SHAPE(PutObjectRetentionInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<RetentionElement>, retention, payload("Retention"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_BYPASS_FIELD
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectRetentionInput)
};

struct GetObjectRetentionOutput {
  CAIRN_S3_SHAPE(GetObjectRetentionOutput)
  CAIRN_S3_FIELD(std::optional<RetentionElement>, retention, payload("Retention"))
  CAIRN_S3_SHAPE_END(GetObjectRetentionOutput)
};

struct LegalHoldElement {
  CAIRN_S3_SHAPE(LegalHoldElement)
  CAIRN_S3_FIELD(std::optional<std::string>, status, element("Status", &legal_holds))
  CAIRN_S3_SHAPE_END(LegalHoldElement)
};

struct PutObjectLegalHoldInput {
  CAIRN_S3_SHAPE(PutObjectLegalHoldInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, key, wire::key())
  CAIRN_S3_FIELD(std::optional<LegalHoldElement>, legal_hold, payload("LegalHold"))
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_FIELD(std::optional<std::string>, version_id, query("versionId"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutObjectLegalHoldInput)
};

struct GetObjectLegalHoldOutput {
  CAIRN_S3_SHAPE(GetObjectLegalHoldOutput)
  CAIRN_S3_FIELD(std::optional<LegalHoldElement>, legal_hold, payload("LegalHold"))
  CAIRN_S3_SHAPE_END(GetObjectLegalHoldOutput)
};

/// Of the operations whose result is only who pays.
struct ChargedOutput {
  CAIRN_S3_SHAPE(ChargedOutput)
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(ChargedOutput)
};

}  // namespace cairn::s3
