// SPDX-License-Identifier: Apache-2.0
// The metadata configuration of a bucket: a journal of its changes, and an inventory of what is there.
#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "objectstore/core/inventory.h"
#include "objectstore/journal/table_key.h"
#include "s3/errors.h"
#include "s3api/access/bucket_documents.h"
#include "s3api/access/table_rights.h"
#include "s3api/handlers.h"
#include "s3api/key_names.h"
#include "s3api/tables/table_rows.h"
#include "s3api/wire/continuation.h"

namespace cairn::s3api {
namespace {

constexpr std::int64_t days_least = 7;
constexpr std::int64_t days_most = INT32_MAX;
constexpr std::size_t rows_of_a_page_max = 1000;
constexpr std::string_view configuration_root = "MetadataConfiguration";

Error no_configuration(const Call& call) {
  return s3::error("MetadataConfigurationNotFound").with_detail("BucketName", call.address.bucket);
}

Result<std::shared_ptr<const s3::MetadataConfiguration>> configuration_of(const Call& call) {
  auto found =
      document_of<s3::MetadataConfiguration>(*call.bucket, s3::document::metadata_configuration);
  if (found == nullptr) return no_configuration(call);
  return found;
}

// Tables lie in a table bucket of the bucket's owner.
std::string table_bucket_arn(const Call& call) {
  const s3::Bucket& bucket = call.bucket->bucket;
  return "arn:aws:s3tables:" + region_of(bucket, call.context.options) + ":" +
         bucket.owner.account_id + ":bucket/aws-s3";
}

std::string arn_of_table(const Call& call, std::string_view table) {
  const s3::Bucket& bucket = call.bucket->bucket;
  return table_arn(bucket, table, region_of(bucket, call.context.options));
}

Status check_expiration(const s3::RecordExpiration& expiration) {
  const std::string given = expiration.days ? std::to_string(*expiration.days) : "";
  if (expiration.expiration == "DISABLED") {
    if (!expiration.days) return ok_status();
    return bad_argument("Days", given, "Days must not be given where record expiration is DISABLED");
  }
  if (!expiration.days)
    return bad_argument("Days", given, "Days must be given where record expiration is ENABLED");
  if (*expiration.days < days_least || *expiration.days > days_most)
    return bad_argument("Days", given,
                        "Days must be between " + std::to_string(days_least) + " and " +
                            std::to_string(days_most));
  return ok_status();
}

Result<s3::Encryption> encryption_of_table(const Call& call,
                                           const std::optional<s3::TableEncryption>& asked) {
  s3::Encryption how;
  if (!asked) return how;
  const std::string arn = asked->kms_key_arn.value_or("");
  if (asked->sse_algorithm == "AES256") {
    if (asked->kms_key_arn)
      return bad_argument("KmsKeyArn", arn, "KmsKeyArn must not be given with AES256");
    how.method = s3::EncryptionMethod::aes256;
    return how;
  }
  if (!arn.starts_with("arn:"))
    return bad_argument("KmsKeyArn", arn, "KmsKeyArn must be the ARN of a key with aws:kms");
  if (call.context.key_names == nullptr)
    return s3::error("NotImplemented", "There is no key service here; encrypt with AES256");
  how.method = s3::EncryptionMethod::kms;
  CAIRN_TRY(how.kms_key_id,
            call.context.key_names->resolve(arn, call.bucket->bucket.owner.account_id));
  return how;
}

Result<std::string> new_table(const Call& call, const std::optional<s3::TableEncryption>& asked) {
  CAIRN_TRY(const s3::Encryption how, encryption_of_table(call, asked));
  return call.engine().table_document(how);
}

// Tables are their own account's alone.
Status decide_on_tables(const Call& call, std::string_view action, std::string_view resource) {
  if (call.identity.account().account_id != call.bucket->bucket.owner.account_id)
    return s3::error("AccessDenied");
  return decide_by_caller(action, access_of(call), resource);
}

// What a user needs beside the right to configure the bucket.
Status check_table_rights(const Call& call, const std::optional<s3::TableEncryption>& journal,
                          const std::optional<s3::TableEncryption>& inventory) {
  const std::string tables = table_bucket_arn(call);
  for (const std::string_view action : {"s3tables:CreateTableBucket", "s3tables:CreateNamespace"})
    CAIRN_CHECK(decide_on_tables(call, action, tables));
  for (const std::string_view action : {"s3tables:GetTable", "s3tables:CreateTable",
                                        "s3tables:PutTablePolicy", "s3tables:PutTableEncryption"})
    CAIRN_CHECK(decide_on_tables(call, action, tables + "/table/*"));
  for (const auto& table : {journal, inventory})
    if (table && table->kms_key_arn)
      CAIRN_CHECK(decide_on_tables(call, "kms:DescribeKey", *table->kms_key_arn));
  return ok_status();
}

// A third table that some clients can ask for by now.
Status check_tables_known(const Call& call) {
  const auto root = parse_xml(call.document);
  if (!root.ok() || root->child("AnnotationTableConfiguration") == nullptr) return ok_status();
  return s3::error("NotImplemented", "Annotation tables are not offered here")
      .with_detail("Element", "AnnotationTableConfiguration");
}

bool is_on(const std::optional<s3::InventoryTableConfiguration>& inventory) {
  return inventory && inventory->configuration_state == "ENABLED";
}

Result<s3::EmptyOutput> change_tables(Call& call, objectstore::BucketChange wanted) {
  wanted.if_generation = call.bucket->generation;
  CAIRN_CHECK(call.engine().change_bucket(call.address.bucket, wanted, call.deadline()));
  return s3::EmptyOutput{};
}

std::optional<TableCopy> copy_of(const Call& call, std::string_view table) {
  if (!call.context.table_copy) return std::nullopt;
  return call.context.table_copy(call.address.bucket, table);
}

std::optional<s3::TableFault> fault_of(const std::string& reason,
                                       const std::optional<TableCopy>& copy) {
  if (!reason.empty())
    return s3::TableFault{.error_code = "AccessDeniedWritingToTable", .error_message = reason};
  if (!copy || copy->fault.empty()) return std::nullopt;
  return s3::TableFault{.error_code = "ServerInternalError",
                        .error_message = "searches do not see new rows: " + copy->fault};
}

Result<s3::JournalTableResult> journal_result(const Call& call,
                                              const s3::JournalTableConfiguration& journal) {
  s3::JournalTableResult out{.table_name = "journal",
                             .record_expiration = journal.record_expiration};
  out.table_arn = arn_of_table(call, "journal");
  CAIRN_TRY(const std::string fault, call.engine().table_fault(
                                         call.address.bucket, objectstore::document::journal_table));
  out.error = fault_of(fault, copy_of(call, out.table_name));
  out.table_status = out.error ? "FAILED" : "ACTIVE";
  return out;
}

// Where it is searched, the copy is filled after the table.
std::string_view status_of_phase(objectstore::InventoryPhase phase, bool searched) {
  switch (phase) {
    case objectstore::InventoryPhase::creating:
      return "CREATING";
    case objectstore::InventoryPhase::backfilling:
      return "BACKFILLING";
    case objectstore::InventoryPhase::active:
      return searched ? "ACTIVE" : "BACKFILLING";
  }
  return "FAILED";
}

Result<s3::InventoryTableResult> inventory_result(const Call& call, bool on) {
  s3::InventoryTableResult out{.configuration_state = on ? "ENABLED" : "DISABLED"};
  const auto table = call.bucket->document(objectstore::document::inventory_table);
  if (!on || !table) return out;
  CAIRN_TRY(const auto inventory,
            objectstore::Inventory::find(call.engine(), call.address.bucket));
  CAIRN_TRY(const auto state, inventory.state());
  CAIRN_TRY(const std::string fault,
            call.engine().table_fault(call.address.bucket, objectstore::document::inventory_table));
  out.table_name = "inventory";
  out.table_arn = arn_of_table(call, "inventory");
  const auto copy = copy_of(call, "inventory");
  const bool searched = !call.context.table_copy || (copy && copy->filled);
  out.error = fault_of(fault, copy);
  out.table_status =
      std::string(out.error ? "FAILED" : status_of_phase(state.phase, searched));
  return out;
}

}  // namespace

Result<s3::EmptyOutput> create_bucket_metadata_configuration(
    Call& call, const s3::CreateBucketMetadataConfigurationInput& in) {
  const s3::MetadataConfiguration& asked = in.metadata_configuration;
  CAIRN_CHECK(check_tables_known(call));
  CAIRN_CHECK(check_expiration(asked.journal_table_configuration.record_expiration));
  const auto& inventory = asked.inventory_table_configuration;
  const auto& journal_encryption = asked.journal_table_configuration.encryption_configuration;
  const auto inventory_encryption = inventory ? inventory->encryption_configuration : std::nullopt;
  CAIRN_CHECK(check_table_rights(call, journal_encryption, inventory_encryption));
  objectstore::BucketChange wanted;
  CAIRN_TRY(wanted.documents[std::string(objectstore::document::journal_table)],
            new_table(call, journal_encryption));
  CAIRN_TRY(std::string inventory_table, new_table(call, inventory_encryption));
  if (is_on(inventory))
    wanted.documents[std::string(objectstore::document::inventory_table)] =
        std::move(inventory_table);
  if (call.bucket->document(s3::document::metadata_configuration))
    return s3::error("InvalidBucketState", "The bucket has a metadata configuration already")
        .with_detail("BucketName", in.bucket);
  wanted.documents[std::string(s3::document::metadata_configuration)] =
      document_text(configuration_root, asked);
  return change_tables(call, std::move(wanted));
}

Result<s3::GetBucketMetadataConfigurationOutput> get_bucket_metadata_configuration(
    Call& call, const s3::BucketInput& in) {
  CAIRN_TRY(const auto kept, configuration_of(call));
  s3::MetadataConfigurationResult result;
  result.destination_result = s3::TableDestination{.table_bucket_type = "aws",
                                                   .table_bucket_arn = table_bucket_arn(call),
                                                   .table_namespace = "b_" + in.bucket};
  CAIRN_TRY(result.journal_table_configuration_result,
            journal_result(call, kept->journal_table_configuration));
  if (kept->inventory_table_configuration) {
    CAIRN_TRY(result.inventory_table_configuration_result,
              inventory_result(call, is_on(kept->inventory_table_configuration)));
  }
  return s3::GetBucketMetadataConfigurationOutput{
      .get_bucket_metadata_configuration_result =
          s3::BucketMetadataConfigurationResult{.metadata_configuration_result = result}};
}

// The tables go with it.
Result<s3::EmptyOutput> delete_bucket_metadata_configuration(Call& call, const s3::BucketInput&) {
  CAIRN_CHECK(configuration_of(call));
  objectstore::BucketChange wanted;
  for (const std::string_view name :
       {s3::document::metadata_configuration, objectstore::document::journal_table,
        objectstore::document::inventory_table})
    wanted.documents[std::string(name)] = std::nullopt;
  return change_tables(call, std::move(wanted));
}

Result<s3::EmptyOutput> update_bucket_metadata_journal_table_configuration(
    Call& call, const s3::UpdateBucketMetadataJournalTableConfigurationInput& in) {
  const s3::RecordExpiration& asked = in.journal_table_configuration.record_expiration;
  CAIRN_CHECK(check_expiration(asked));
  CAIRN_TRY(const auto kept, configuration_of(call));
  s3::MetadataConfiguration after = *kept;
  after.journal_table_configuration.record_expiration = asked;
  objectstore::BucketChange wanted;
  wanted.documents[std::string(s3::document::metadata_configuration)] =
      document_text(configuration_root, after);
  return change_tables(call, std::move(wanted));
}

// A table that is there stays as it is: how it is encrypted is said where it begins.
Result<s3::EmptyOutput> update_bucket_metadata_inventory_table_configuration(
    Call& call, const s3::UpdateBucketMetadataInventoryTableConfigurationInput& in) {
  const s3::InventoryTableConfiguration& asked = in.inventory_table_configuration;
  CAIRN_CHECK(check_table_rights(call, std::nullopt, asked.encryption_configuration));
  CAIRN_TRY(std::string table, new_table(call, asked.encryption_configuration));
  CAIRN_TRY(const auto kept, configuration_of(call));
  const bool was_on = is_on(kept->inventory_table_configuration);
  const bool on = asked.configuration_state == "ENABLED";
  if (was_on && on && asked.encryption_configuration &&
      *asked.encryption_configuration !=
          kept->inventory_table_configuration->encryption_configuration)
    return s3::error("InvalidRequest",
                     "The encryption of an inventory table cannot be changed while it is enabled");
  s3::MetadataConfiguration after = *kept;
  if (!(was_on && on)) after.inventory_table_configuration = asked;
  objectstore::BucketChange wanted;
  if (was_on != on)
    wanted.documents[std::string(objectstore::document::inventory_table)] =
        on ? std::optional(std::move(table)) : std::nullopt;
  wanted.documents[std::string(s3::document::metadata_configuration)] =
      document_text(configuration_root, after);
  return change_tables(call, std::move(wanted));
}

Result<s3::ListBucketMetadataTableRowsOutput> list_bucket_metadata_table_rows(
    Call& call, const s3::ListBucketMetadataTableRowsInput& in) {
  const std::string_view document = in.table == "journal"
                                        ? objectstore::document::journal_table
                                        : objectstore::document::inventory_table;
  if (!call.bucket->document(document)) return no_configuration(call);
  CAIRN_CHECK(decide_on_tables(call, read_table_action, arn_of_table(call, in.table)));
  const std::int64_t asked = in.max_rows.value_or(rows_of_a_page_max);
  if (asked < 1)
    return bad_argument("max-rows", std::to_string(asked), "max-rows must be at least 1");
  const std::size_t limit = std::min<std::size_t>(static_cast<std::size_t>(asked), rows_of_a_page_max);
  CAIRN_TRY(const std::string start, start_of_page(in.continuation_token));
  s3::ListBucketMetadataTableRowsOutput out;
  if (in.table == "journal") {
    const std::uint64_t after = ByteReader(start).u64be().value_or(0);
    CAIRN_TRY(const auto page, call.engine().journal(in.bucket, after, limit, call.deadline()));
    for (const auto& row : page.rows) out.rows += journal_row_json(in.bucket, row).dump() + "\n";
    if (page.more) {
      std::string next;
      put_u64be(next, page.rows.back().number);
      out.next_continuation_token = continuation_token(next);
    }
    return out;
  }
  CAIRN_TRY(const auto inventory, objectstore::Inventory::find(call.engine(), in.bucket));
  CAIRN_TRY(const auto page, inventory.read(start, limit, call.deadline()));
  for (const auto& row : page.rows) out.rows += inventory_row_json(in.bucket, row).dump() + "\n";
  if (!page.next.empty()) out.next_continuation_token = continuation_token(page.next);
  return out;
}

}  // namespace cairn::s3api
