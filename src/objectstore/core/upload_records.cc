// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/upload_records.h"

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/encode.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t upload_version = 2;  // 1: without an initiator
constexpr std::string_view upload_rows = "upload/";
Error broken_upload(std::string_view what) {
  return {.kind = ErrorKind::corrupt, .message = "a stored " + std::string(what) + " is broken"};
}

std::uint64_t number_at(std::string_view bytes) { return *ByteReader(bytes).u64be(); }

}  // namespace

std::string encode(const UploadRecord& record) {
  const s3::MultipartUpload& upload = record.upload;
  std::string out;
  put_u8(out, upload_version);
  put_u64le(out, record.key_serial);
  put_u8(out, upload.checksum_algorithm
                  ? static_cast<std::uint8_t>(1 + static_cast<int>(*upload.checksum_algorithm))
                  : 0);
  put_u8(out, static_cast<std::uint8_t>(upload.checksum_type));
  // What the object will be said to be, in the form that objects have.
  put_string(out, encode(ObjectRecord{.object = {.key = {},
                                                 .modified_ms = upload.initiated_ms,
                                                 .owner = upload.owner,
                                                 .attributes = upload.attributes,
                                                 .tags = upload.tags,
                                                 .acl = upload.acl,
                                                 .retention = upload.retention,
                                                 .legal_hold = upload.legal_hold,
                                                 .encryption = upload.encryption},
                                      .sealed_key = record.sealed_key}));
  put_string(out, upload.initiator.id);
  put_string(out, upload.initiator.account_id);
  return out;
}

Result<UploadRecord> decode_upload(std::string_view row, std::string_view bytes) {
  const std::size_t head = upload_rows.size() + 8, tail = escaped_key_end.size() + 8;
  ByteReader in(bytes);
  const auto version = in.u8();
  const auto key_serial = in.u64le();
  const auto algorithm = in.u8();
  const auto type = in.u8();
  const auto object = in.string();
  if (!object || *version < 1 || *version > upload_version || *algorithm > 5 || *type > 1 ||
      row.size() < head + tail)
    return broken_upload("upload record");
  const auto initiator = *version > 1 ? in.string() : std::string_view();
  const auto account = *version > 1 ? in.string() : std::string_view();
  if (!account || !in.at_end()) return broken_upload("upload record");
  const auto key = unescaped_key(row.substr(head, row.size() - head - tail));
  if (!key) return broken_upload("upload record");
  CAIRN_TRY(ObjectRecord as_object, decode_object(*object, *key));
  UploadRecord record{.upload = {.upload_id = {}, .key = *key},
                      .serial = number_at(row.substr(row.size() - 8)),
                      .key_serial = *key_serial};
  record.upload.upload_id = upload_id(record.serial);
  record.upload.initiated_ms = as_object.object.modified_ms;
  record.upload.owner = std::move(as_object.object.owner);
  record.upload.initiator =
      *version > 1 ? s3::Owner{.id = std::string(*initiator), .account_id = std::string(*account)}
                   : record.upload.owner;
  record.upload.tags = std::move(as_object.object.tags);
  record.upload.acl = std::move(as_object.object.acl);
  record.upload.retention = as_object.object.retention;
  record.upload.legal_hold = as_object.object.legal_hold;
  record.upload.encryption = std::move(as_object.object.encryption);
  record.sealed_key = std::move(as_object.sealed_key);
  record.upload.attributes = std::move(as_object.object.attributes);
  if (*algorithm > 0)
    record.upload.checksum_algorithm = static_cast<s3::ChecksumAlgorithm>(*algorithm - 1);
  record.upload.checksum_type = static_cast<s3::ChecksumType>(*type);
  return record;
}

std::string upload_prefix(std::uint64_t bucket_id, std::string_view key_prefix) {
  std::string row(upload_rows);
  put_u64be(row, bucket_id);
  return row + escaped_key(key_prefix);
}

std::string upload_key_prefix(std::uint64_t bucket_id, std::string_view key) {
  return upload_prefix(bucket_id, key).append(escaped_key_end);
}

std::string upload_row(std::uint64_t bucket_id, std::string_view key, std::uint64_t serial) {
  std::string row = upload_key_prefix(bucket_id, key);
  put_u64be(row, serial);
  return row;
}

std::string emptied_row(std::uint64_t bucket_id, std::string_view key) {
  std::string row("emptied/");
  put_u64be(row, bucket_id);
  return row.append(key);
}

std::string part_prefix(std::uint64_t upload) {
  std::string row(part_rows);
  put_u64be(row, upload);
  return row;
}

std::string part_row(std::uint64_t upload, int number) {
  std::string row = part_prefix(upload);
  put_u32be(row, static_cast<std::uint32_t>(number));
  return row;
}

int part_number_of(std::string_view row) {
  return static_cast<int>(ByteReader(row.substr(row.size() - 4)).u32be().value_or(0));
}

std::string encode_part(const s3::Part& part, std::uint64_t upload,
                        const std::vector<ExtentSpan>& extents) {
  return encode(ObjectRecord{.object = {.key = {},
                                        .size_bytes = part.size_bytes,
                                        .etag = part.etag,
                                        .modified_ms = part.modified_ms,
                                        .checksum = part.checksum},
                             .serial = upload,
                             .extents = extents});
}

Result<PartRecord> decode_part(std::string_view row, std::string_view bytes) {
  if (row.size() < 4) return broken_upload("part record");
  CAIRN_TRY(ObjectRecord record, decode_object(bytes, {}));
  return PartRecord{.part = {.number = part_number_of(row),
                             .size_bytes = record.object.size_bytes,
                             .etag = std::move(record.object.etag),
                             .modified_ms = record.object.modified_ms,
                             .checksum = std::move(record.object.checksum)},
                    .extents = std::move(record.extents)};
}

std::string upload_id(std::uint64_t serial) {
  std::string bytes;
  put_u64be(bytes, serial);
  put_u32be(bytes, crc32c(bytes, 0x75706c64));
  return to_base64url(bytes);
}

std::optional<std::uint64_t> upload_serial(std::string_view text) {
  const auto bytes = from_base64url(text);
  if (!bytes || bytes->size() != 12) return std::nullopt;
  const std::uint64_t serial = number_at(*bytes);
  return upload_id(serial) == text ? std::optional(serial) : std::nullopt;
}

}  // namespace cairn::objectstore
