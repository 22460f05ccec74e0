// SPDX-License-Identifier: Apache-2.0
// Parameters and results of the metadata tables of buckets.
#pragma once

#include "s3/operations/bucket_operations.h"
#include "s3/operations/values.h"

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

/// Of an update: only what can be changed of a journal.
struct JournalTableUpdate {
  CAIRN_S3_SHAPE(JournalTableUpdate)
  CAIRN_S3_FIELD(RecordExpiration, record_expiration, element("RecordExpiration"))
  CAIRN_S3_SHAPE_END(JournalTableUpdate)
};

struct UpdateBucketMetadataJournalTableConfigurationInput {
  CAIRN_S3_SHAPE(UpdateBucketMetadataJournalTableConfigurationInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(JournalTableUpdate, journal_table_configuration,
                 payload("JournalTableConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(UpdateBucketMetadataJournalTableConfigurationInput)
};

struct UpdateBucketMetadataInventoryTableConfigurationInput {
  CAIRN_S3_SHAPE(UpdateBucketMetadataInventoryTableConfigurationInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_DIGEST_FIELDS
  CAIRN_S3_FIELD(InventoryTableConfiguration, inventory_table_configuration,
                 payload("InventoryTableConfiguration"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(UpdateBucketMetadataInventoryTableConfigurationInput)
};

struct ListBucketMetadataTableRowsInput {
  CAIRN_S3_SHAPE(ListBucketMetadataTableRowsInput)
  CAIRN_S3_FIELD(std::string, bucket, wire::bucket())
  CAIRN_S3_FIELD(std::string, table, query("metadataTableRows", &tables))
  CAIRN_S3_FIELD(std::optional<std::string>, continuation_token, query("continuation-token"))
  CAIRN_S3_FIELD(std::optional<std::int64_t>, max_rows, query("max-rows"))
  CAIRN_S3_OWNER_FIELD
  CAIRN_S3_SHAPE_END(ListBucketMetadataTableRowsInput)
};

struct ListBucketMetadataTableRowsOutput {
  CAIRN_S3_SHAPE(ListBucketMetadataTableRowsOutput)
  CAIRN_S3_FIELD(std::optional<std::string>, next_continuation_token,
                 header("x-amz-next-continuation-token"))
  CAIRN_S3_FIELD(std::string, rows, raw_body())  // JSON, one object a line
  CAIRN_S3_SHAPE_END(ListBucketMetadataTableRowsOutput)
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

}  // namespace cairn::s3
