// SPDX-License-Identifier: Apache-2.0
#include "s3api/tables/table_rows.h"

#include "base/bytes.h"
#include "base/encode.h"
#include "format/time.h"
#include "s3/checksum.h"

namespace cairn::s3api {
namespace {

std::string_view encryption_status(const s3::Encryption& how) {
  switch (how.method) {
    case s3::EncryptionMethod::none:
      return {};
    case s3::EncryptionMethod::aes256:
      return "SSE-S3";
    case s3::EncryptionMethod::kms:
      return "SSE-KMS";
    case s3::EncryptionMethod::kms_dsse:
      return "DSSE-KMS";
    case s3::EncryptionMethod::customer:
      return "SSE-C";
  }
  return {};
}

bool has_bucket_key(const s3::Encryption& how) {
  return how.method == s3::EncryptionMethod::kms && how.bucket_key;
}

void text_or_null(RowColumns& to, std::string_view name, std::string_view value) {
  if (value.empty())
    to.null(name);
  else
    to.text(name, value);
}

void give_body_columns(const objectstore::JournalRecord& record, RowColumns& to) {
  const s3::Object& object = record.object;
  to.text("e_tag", object.etag);
  to.text("storage_class", object.attributes.storage_class);
  to.boolean("is_multipart", record.multipart || objectstore::is_multipart(object));
  text_or_null(to, "encryption_status", encryption_status(object.encryption));
  to.boolean("is_bucket_key_enabled", has_bucket_key(object.encryption));
  text_or_null(to, "kms_key_arn", object.encryption.kms_key_id);
  text_or_null(to, "checksum_algorithm",
               object.checksum ? s3::name_of(object.checksum->algorithm) : std::string_view());
  to.map("object_tags", object.tags);
  to.map("user_metadata", object.attributes.metadata);
}

constexpr std::string_view body_columns[] = {"e_tag",
                                             "storage_class",
                                             "is_multipart",
                                             "encryption_status",
                                             "is_bucket_key_enabled",
                                             "kms_key_arn",
                                             "checksum_algorithm",
                                             "object_tags",
                                             "user_metadata"};

// From the version id on, as both tables have them. Of what is gone, and of a marker, most is null.
void give_object_columns(const objectstore::JournalRecord& record, RowColumns& to) {
  const s3::Object& object = record.object;
  if (object.version_id == s3::null_version)
    to.null("version_id");
  else
    to.text("version_id", object.version_id);
  if (record.gone) {
    for (const char* name : {"is_delete_marker", "size", "last_modified_date"}) to.null(name);
  } else {
    to.boolean("is_delete_marker", object.delete_marker);
    to.number("size", object.size_bytes);
    to.time("last_modified_date", object.modified_ms);
  }
  if (!record.gone && !object.delete_marker) return give_body_columns(record, to);
  for (const std::string_view name : body_columns) to.null(name);
}

class JsonColumns final : public RowColumns {
 public:
  Json row = Json::object();
  void null(std::string_view name) override { row.set(std::string(name), nullptr); }
  void text(std::string_view name, std::string_view value) override {
    row.set(std::string(name), std::string(value));
  }
  void number(std::string_view name, std::uint64_t value) override {
    row.set(std::string(name), value);
  }
  void boolean(std::string_view name, bool value) override { row.set(std::string(name), value); }
  void time(std::string_view name, std::int64_t unix_ms) override {
    row.set(std::string(name), format_iso8601(unix_ms));
  }
  void map(std::string_view name, const std::map<std::string, std::string>& value) override {
    Json out = Json::object();
    for (const auto& [key, text] : value) out.set(key, text);
    row.set(std::string(name), std::move(out));
  }
};

}  // namespace

std::string sequence_text(std::uint64_t number) {
  std::string bytes;
  put_u64be(bytes, number);
  return to_hex(bytes);
}

void give_journal_row(std::string_view bucket, const objectstore::JournalRow& row, RowColumns& to) {
  const objectstore::JournalRecord& record = row.record;
  to.text("bucket", bucket);
  to.text("key", record.object.key);
  to.text("sequence_number", sequence_text(row.number));
  to.text("record_type", objectstore::name_of(record.kind));
  to.time("record_timestamp", record.at_ms);
  give_object_columns(record, to);
  text_or_null(to, "requester", record.requester);
  text_or_null(to, "source_ip_address", record.source_ip);
  text_or_null(to, "request_id", record.request_id);
}

void give_inventory_row(std::string_view bucket, std::uint64_t number,
                        const objectstore::JournalRecord& record, RowColumns& to) {
  to.text("bucket", bucket);
  to.text("key", record.object.key);
  to.text("sequence_number", sequence_text(number));
  give_object_columns(record, to);
}

Json journal_row_json(std::string_view bucket, const objectstore::JournalRow& row) {
  JsonColumns columns;
  give_journal_row(bucket, row, columns);
  return std::move(columns.row);
}

Json inventory_row_json(std::string_view bucket, const objectstore::InventoryRow& row) {
  JsonColumns columns;
  give_inventory_row(bucket, row.number, row.record, columns);
  return std::move(columns.row);
}

}  // namespace cairn::s3api
