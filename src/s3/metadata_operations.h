// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the metadata tables of buckets, of sessions with directory buckets, and
// of their listing.
#pragma once

#include "s3/bucket_operations.h"
#include "s3/values.h"

namespace cairn::s3 {

struct TableEncryption {
  CAIRN_S3_SHAPE(TableEncryption)
  CAIRN_S3_FIELD(std::string, sse_algorithm, element("SseAlgorithm", &table_encryptions))
  CAIRN_S3_FIELD(std::optional<std::string>, kms_key_arn, element("KmsKeyArn"))
  CAIRN_S3_SHAPE_END(TableEncryption)
};

struct RecordExpiration {
  CAIRN_S3_SHAPE(RecordExpiration)
  CAIRN_S3_FIELD(std::string, expiration, element("Expiration", &table_switches))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, days, element("Days"))
  CAIRN_S3_SHAPE_END(RecordExpiration)
};

struct JournalTableConfiguration {
  CAIRN_S3_SHAPE(JournalTableConfiguration)
  CAIRN_S3_FIELD(RecordExpiration, record_expiration, element("RecordExpiration"))
  CAIRN_S3_FIELD(std::optional<TableEncryption>, encryption_configuration,
                 element("EncryptionConfiguration"))
  CAIRN_S3_SHAPE_END(JournalTableConfiguration)
};

struct InventoryTableConfiguration {
  CAIRN_S3_SHAPE(InventoryTableConfiguration)
  CAIRN_S3_FIELD(std::string, configuration_state, element("ConfigurationState", &table_switches))
  CAIRN_S3_FIELD(std::optional<TableEncryption>, encryption_configuration,
                 element("EncryptionConfiguration"))
  CAIRN_S3_SHAPE_END(InventoryTableConfiguration)
};

struct MetadataConfiguration {
  CAIRN_S3_SHAPE(MetadataConfiguration)
  CAIRN_S3_FIELD(JournalTableConfiguration, journal_table_configuration,
                 element("JournalTableConfiguration"))
  CAIRN_S3_FIELD(std::optional<InventoryTableConfiguration>, inventory_table_configuration,
                 element("InventoryTableConfiguration"))
  CAIRN_S3_SHAPE_END(MetadataConfiguration)
};

struct CreateBucketMetadataConfigurationInput {
  CAIRN_S3_SHAPE(CreateBucketMetadataConfigurationInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(MetadataConfiguration, metadata_configuration, payload("MetadataConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(CreateBucketMetadataConfigurationInput)
};

struct TableDestination {
  CAIRN_S3_SHAPE(TableDestination)
  CAIRN_S3_FIELD(std::optional<std::string>, table_bucket_type, element("TableBucketType"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_bucket_arn, element("TableBucketArn"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_namespace, element("TableNamespace"))
  CAIRN_S3_SHAPE_END(TableDestination)
};

struct TableFault {
  CAIRN_S3_SHAPE(TableFault)
  CAIRN_S3_FIELD(std::optional<std::string>, error_code, element("ErrorCode"))
  CAIRN_S3_FIELD(std::optional<std::string>, error_message, element("ErrorMessage"))
  CAIRN_S3_SHAPE_END(TableFault)
};

struct JournalTableResult {
  CAIRN_S3_SHAPE(JournalTableResult)
  CAIRN_S3_FIELD(std::string, table_status, element("TableStatus"))
  CAIRN_S3_FIELD(std::optional<TableFault>, error, element("Error"))
  CAIRN_S3_FIELD(std::string, table_name, element("TableName"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_arn, element("TableArn"))
  CAIRN_S3_FIELD(std::optional<RecordExpiration>, record_expiration, element("RecordExpiration"))
  CAIRN_S3_SHAPE_END(JournalTableResult)
};

struct InventoryTableResult {
  CAIRN_S3_SHAPE(InventoryTableResult)
  CAIRN_S3_FIELD(std::string, configuration_state, element("ConfigurationState"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_status, element("TableStatus"))
  CAIRN_S3_FIELD(std::optional<TableFault>, error, element("Error"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_name, element("TableName"))
  CAIRN_S3_FIELD(std::optional<std::string>, table_arn, element("TableArn"))
  CAIRN_S3_SHAPE_END(InventoryTableResult)
};

struct MetadataConfigurationResult {
  CAIRN_S3_SHAPE(MetadataConfigurationResult)
  CAIRN_S3_FIELD(std::optional<TableDestination>, destination_result, element("DestinationResult"))
  CAIRN_S3_FIELD(std::optional<JournalTableResult>, journal_table_configuration_result,
                 element("JournalTableConfigurationResult"))
  CAIRN_S3_FIELD(std::optional<InventoryTableResult>, inventory_table_configuration_result,
                 element("InventoryTableConfigurationResult"))
  CAIRN_S3_SHAPE_END(MetadataConfigurationResult)
};

struct BucketMetadataConfigurationResult {
  CAIRN_S3_SHAPE(BucketMetadataConfigurationResult)
  CAIRN_S3_FIELD(std::optional<MetadataConfigurationResult>, metadata_configuration_result,
                 element("MetadataConfigurationResult"))
  CAIRN_S3_SHAPE_END(BucketMetadataConfigurationResult)
};

struct GetBucketMetadataConfigurationOutput {
  CAIRN_S3_SHAPE(GetBucketMetadataConfigurationOutput)
  CAIRN_S3_FIELD(std::optional<BucketMetadataConfigurationResult>,
                 get_bucket_metadata_configuration_result,
                 payload("GetBucketMetadataConfigurationResult"))
  CAIRN_S3_SHAPE_END(GetBucketMetadataConfigurationOutput)
};

struct CreateSessionInput {
  CAIRN_S3_SHAPE(CreateSessionInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::optional<std::string>, session_mode,
                 header("x-amz-create-session-mode", &session_modes))
  CAIRN_S3_ENCRYPTION_FIELDS
  CAIRN_S3_SHAPE_END(CreateSessionInput)
};

struct SessionCredentials {
  CAIRN_S3_SHAPE(SessionCredentials)
  CAIRN_S3_FIELD(std::string, access_key_id, element("AccessKeyId"))
  CAIRN_S3_FIELD(std::string, secret_access_key, element("SecretAccessKey"))
  CAIRN_S3_FIELD(std::string, session_token, element("SessionToken"))
  CAIRN_S3_FIELD(Time, expiration, element("Expiration"))
  CAIRN_S3_SHAPE_END(SessionCredentials)
};

struct CreateSessionOutput {
  CAIRN_S3_SHAPE(CreateSessionOutput)
  CAIRN_S3_ENCRYPTION_RESULT
  CAIRN_S3_FIELD(std::optional<std::string>, ssekms_encryption_context,
                 header("x-amz-server-side-encryption-context"))
  CAIRN_S3_FIELD(std::optional<SessionCredentials>, credentials, element("Credentials"))
  CAIRN_S3_SHAPE_END(CreateSessionOutput)
};

struct ListDirectoryBucketsInput {
  CAIRN_S3_SHAPE(ListDirectoryBucketsInput)
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_directory_buckets, query("max-directory-buckets"))
  CAIRN_S3_SHAPE_END(ListDirectoryBucketsInput)
};

struct ListDirectoryBucketsOutput {
  CAIRN_S3_SHAPE(ListDirectoryBucketsOutput)
  CAIRN_S3_FIELD(std::vector<BucketElement>, buckets, wrapped("Buckets", "Bucket"))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, element("ContinuationToken"))
  CAIRN_S3_SHAPE_END(ListDirectoryBucketsOutput)
};

}  // namespace cairn::s3
