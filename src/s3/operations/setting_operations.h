// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the other settings of a bucket: versioning, CORS, encryption, who pays,
// and those that are only asked for.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

namespace cairn::s3 {

struct VersioningConfigurationElement {
  CAIRN_S3_SHAPE(VersioningConfigurationElement)
  CAIRN_S3_FIELD(std::optional<std::string>, status, element("Status", &statuses))
  CAIRN_S3_FIELD(std::optional<std::string>, mfa_delete, element("MfaDelete", &switches))
  CAIRN_S3_SHAPE_END(VersioningConfigurationElement)
};

struct PutBucketVersioningInput {
  CAIRN_S3_SHAPE(PutBucketVersioningInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(std::optional<std::string>, mfa, header("x-amz-mfa"))
  CAIRN_S3_FIELD(VersioningConfigurationElement, versioning_configuration,
                 payload("VersioningConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketVersioningInput)
};

struct GetBucketVersioningOutput {
  CAIRN_S3_SHAPE(GetBucketVersioningOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, status, element("Status"))
  CAIRN_S3_FIELD(std::optional<std::string>, mfa_delete, element("MfaDelete"))
  CAIRN_S3_SHAPE_END(GetBucketVersioningOutput)
};

struct CorsRuleElement {
  CAIRN_S3_SHAPE(CorsRuleElement)
  CAIRN_S3_FIELD(std::optional<std::string>, id, element("ID"))
  CAIRN_S3_FIELD(std::vector<std::string>, allowed_headers, element("AllowedHeader"))
  CAIRN_S3_FIELD(std::vector<std::string>, allowed_methods, element("AllowedMethod").required())
  CAIRN_S3_FIELD(std::vector<std::string>, allowed_origins, element("AllowedOrigin").required())
  CAIRN_S3_FIELD(std::vector<std::string>, expose_headers, element("ExposeHeader"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_age_seconds, element("MaxAgeSeconds"))
  CAIRN_S3_SHAPE_END(CorsRuleElement)
};

struct CorsConfigurationElement {
  CAIRN_S3_SHAPE(CorsConfigurationElement)
  CAIRN_S3_FIELD(std::vector<CorsRuleElement>, cors_rules, element("CORSRule").required())
  CAIRN_S3_SHAPE_END(CorsConfigurationElement)
};

struct PutBucketCorsInput {
  CAIRN_S3_SHAPE(PutBucketCorsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(CorsConfigurationElement, cors_configuration, payload("CORSConfiguration"))
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketCorsInput)
};

struct GetBucketCorsOutput {
  CAIRN_S3_SHAPE(GetBucketCorsOutput)
  CAIRN_S3_FIELD(std::vector<CorsRuleElement>, cors_rules, element("CORSRule"))
  CAIRN_S3_SHAPE_END(GetBucketCorsOutput)
};

struct EncryptionByDefaultElement {
  CAIRN_S3_SHAPE(EncryptionByDefaultElement)
  CAIRN_S3_FIELD(std::string, sse_algorithm, element("SSEAlgorithm", &encryptions))
  CAIRN_S3_FIELD(std::optional<std::string>, kms_master_key_id, element("KMSMasterKeyID"))
  CAIRN_S3_SHAPE_END(EncryptionByDefaultElement)
};

struct BlockedEncryptionTypesElement {
  CAIRN_S3_SHAPE(BlockedEncryptionTypesElement)
  CAIRN_S3_FIELD(std::vector<std::string>, encryption_type, element("EncryptionType"))
  CAIRN_S3_SHAPE_END(BlockedEncryptionTypesElement)
};

struct EncryptionRuleElement {
  CAIRN_S3_SHAPE(EncryptionRuleElement)
  CAIRN_S3_FIELD(std::optional<EncryptionByDefaultElement>, apply_server_side_encryption_by_default,
                 element("ApplyServerSideEncryptionByDefault"))
  CAIRN_S3_FIELD(std::optional<bool>, bucket_key_enabled, element("BucketKeyEnabled"))
  CAIRN_S3_FIELD(std::optional<BlockedEncryptionTypesElement>, blocked_encryption_types,
                 element("BlockedEncryptionTypes"))
  CAIRN_S3_SHAPE_END(EncryptionRuleElement)
};

struct EncryptionConfigurationElement {
  CAIRN_S3_SHAPE(EncryptionConfigurationElement)
  CAIRN_S3_FIELD(std::vector<EncryptionRuleElement>, rules, element("Rule").required())
  CAIRN_S3_SHAPE_END(EncryptionConfigurationElement)
};

struct PutBucketEncryptionInput {
  CAIRN_S3_SHAPE(PutBucketEncryptionInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(EncryptionConfigurationElement, server_side_encryption_configuration,
                 payload("ServerSideEncryptionConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketEncryptionInput)
};

struct GetBucketEncryptionOutput {
  CAIRN_S3_SHAPE(GetBucketEncryptionOutput)
  CAIRN_S3_FIELD(std::optional<EncryptionConfigurationElement>,
                 server_side_encryption_configuration, payload("ServerSideEncryptionConfiguration"))
  CAIRN_S3_SHAPE_END(GetBucketEncryptionOutput)
};

struct RequestPaymentElement {
  CAIRN_S3_SHAPE(RequestPaymentElement)
  CAIRN_S3_FIELD(std::string, payer, element("Payer", &bucket_payers))
  CAIRN_S3_SHAPE_END(RequestPaymentElement)
};

struct PutBucketRequestPaymentInput {
  CAIRN_S3_SHAPE(PutBucketRequestPaymentInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(RequestPaymentElement, request_payment_configuration,
                 payload("RequestPaymentConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketRequestPaymentInput)
};

struct GetBucketRequestPaymentOutput {
  CAIRN_S3_SHAPE(GetBucketRequestPaymentOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, payer, element("Payer"))
  CAIRN_S3_SHAPE_END(GetBucketRequestPaymentOutput)
};

/// Of settings that a bucket cannot have here: only "none" or "off" can be said of them.
struct PutBucketDocumentInput {
  CAIRN_S3_SHAPE(PutBucketDocumentInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(std::string, document, raw_body())
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(PutBucketDocumentInput)
};

struct AccelerateInput {
  CAIRN_S3_SHAPE(AccelerateInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_PAYER_FIELD
  CAIRN_S3_SHAPE_END(AccelerateInput)
};

struct AccelerateOutput {
  CAIRN_S3_SHAPE(AccelerateOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, status, element("Status"))
  CAIRN_S3_CHARGED_FIELD
  CAIRN_S3_SHAPE_END(AccelerateOutput)
};

}  // namespace cairn::s3
