// SPDX-License-Identifier: Apache-2.0
#include "s3api/tables/table_rows.h"

#include "base/bytes.h"
#include "base/encode.h"
#include "format/time.h"
#include "s3/checksum.h"

namespace cairn::s3api {
namespace {

Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(std::string(text));
}

// Texts of equal length sort as the numbers do.
std::string sequence_text(std::uint64_t number) {
  std::string bytes;
  put_u64be(bytes, number);
  return to_hex(bytes);
}

Json encryption_status(const s3::Encryption& how) {
  switch (how.method) {
    case s3::EncryptionMethod::none:
      return nullptr;
    case s3::EncryptionMethod::aes256:
      return "SSE-S3";
    case s3::EncryptionMethod::kms:
      return "SSE-KMS";
    case s3::EncryptionMethod::kms_dsse:
      return "DSSE-KMS";
    case s3::EncryptionMethod::customer:
      return "SSE-C";
  }
  return nullptr;
}

Json map_json(const std::map<std::string, std::string>& map) {
  Json out = Json::object();
  for (const auto& [name, value] : map) out.set(name, value);
  return out;
}

bool has_bucket_key(const s3::Encryption& how) {
  return how.method == s3::EncryptionMethod::kms && how.bucket_key;
}

// From the version id on, as both tables have them. Of what is gone, and of a marker, most is null.
void put_object_columns(const objectstore::JournalRecord& record, Json& row) {
  const s3::Object& object = record.object;
  const bool has_body = !record.gone && !object.delete_marker;
  const auto if_body = [&](Json value) { return has_body ? std::move(value) : Json(nullptr); };
  row.set("version_id",
          object.version_id == s3::null_version ? Json(nullptr) : Json(object.version_id));
  row.set("is_delete_marker", record.gone ? Json(nullptr) : Json(object.delete_marker));
  row.set("size", record.gone ? Json(nullptr) : Json(object.size_bytes));
  row.set("last_modified_date",
          record.gone ? Json(nullptr) : Json(format_iso8601(object.modified_ms)));
  row.set("e_tag", if_body(object.etag));
  row.set("storage_class", if_body(object.attributes.storage_class));
  row.set("is_multipart", if_body(record.multipart || objectstore::is_multipart(object)));
  row.set("encryption_status", if_body(encryption_status(object.encryption)));
  row.set("is_bucket_key_enabled", if_body(has_bucket_key(object.encryption)));
  row.set("kms_key_arn", if_body(text_or_null(object.encryption.kms_key_id)));
  row.set("checksum_algorithm",
          if_body(object.checksum ? Json(std::string(s3::name_of(object.checksum->algorithm)))
                                  : Json(nullptr)));
  row.set("object_tags", if_body(map_json(object.tags)));
  row.set("user_metadata", if_body(map_json(object.attributes.metadata)));
}

}  // namespace

Json journal_row_json(std::string_view bucket, const objectstore::JournalRow& row) {
  const objectstore::JournalRecord& record = row.record;
  Json out = Json::object({{"bucket", std::string(bucket)},
                           {"key", record.object.key},
                           {"sequence_number", sequence_text(row.number)},
                           {"record_type", std::string(objectstore::name_of(record.kind))},
                           {"record_timestamp", format_iso8601(record.at_ms)}});
  put_object_columns(record, out);
  out.set("requester", text_or_null(record.requester));
  out.set("source_ip_address", text_or_null(record.source_ip));
  out.set("request_id", text_or_null(record.request_id));
  return out;
}

Json inventory_row_json(std::string_view bucket, const objectstore::InventoryRow& row) {
  Json out = Json::object({{"bucket", std::string(bucket)},
                           {"key", row.record.object.key},
                           {"sequence_number", sequence_text(row.number)}});
  put_object_columns(row.record, out);
  return out;
}

}  // namespace cairn::s3api
