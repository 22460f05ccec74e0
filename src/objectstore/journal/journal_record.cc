// SPDX-License-Identifier: Apache-2.0
#include "objectstore/journal/journal_record.h"

#include "base/bytes.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t change_version = 1;
constexpr std::uint8_t gone_flag = 1;
constexpr std::uint8_t marker_flag = 2;
constexpr std::uint8_t multipart_flag = 4;
constexpr std::uint8_t bucket_key_flag = 8;
constexpr std::uint8_t known_flags = 15;

Error broken_change() {
  return {.kind = ErrorKind::corrupt, .message = "a stored row of a journal is broken"};
}

void put_map(std::string& out, const std::map<std::string, std::string>& map) {
  put_varint(out, map.size());
  for (const auto& [name, value] : map) {
    put_string(out, name);
    put_string(out, value);
  }
}

bool read_map(ByteReader& in, std::map<std::string, std::string>& map) {
  const auto count = in.varint();
  for (std::uint64_t i = 0; count && i < *count; ++i) {
    const auto name = in.string();
    const auto value = in.string();
    if (!value) return false;
    map.emplace(*name, *value);
  }
  return count.has_value();
}

void put_columns(std::string& out, const s3::Object& object) {
  put_varint(out, object.size_bytes);
  put_zigzag(out, object.modified_ms);
  put_string(out, object.etag);
  put_string(out, object.attributes.storage_class);
  put_u8(out, static_cast<std::uint8_t>(object.encryption.method));
  put_string(out, object.encryption.kms_key_id);
  put_u8(out, object.checksum
                  ? static_cast<std::uint8_t>(1 + static_cast<int>(object.checksum->algorithm))
                  : 0);
  put_map(out, object.tags);
  put_map(out, object.attributes.metadata);
}

bool read_columns(ByteReader& in, s3::Object& object) {
  const auto size = in.varint();
  const auto modified = in.zigzag();
  const auto etag = in.string();
  const auto storage_class = in.string();
  const auto method = in.u8();
  const auto kms_key = in.string();
  const auto checksum = in.u8();
  if (!checksum || *checksum > 5 ||
      *method > static_cast<std::uint8_t>(s3::EncryptionMethod::customer))
    return false;
  object.size_bytes = *size;
  object.modified_ms = *modified;
  object.etag = *etag;
  object.attributes.storage_class = *storage_class;
  object.encryption.method = static_cast<s3::EncryptionMethod>(*method);
  object.encryption.kms_key_id = *kms_key;
  if (*checksum > 0)
    object.checksum = s3::Checksum{.algorithm = static_cast<s3::ChecksumAlgorithm>(*checksum - 1)};
  return read_map(in, object.tags) && read_map(in, object.attributes.metadata);
}

std::uint8_t flags_of(const s3::Object& object, bool gone) {
  if (gone) return gone_flag;
  std::uint8_t flags = object.delete_marker ? marker_flag : 0;
  if (is_multipart(object)) flags |= multipart_flag;
  if (object.encryption.bucket_key) flags |= bucket_key_flag;
  return flags;
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  if (kind == ChangeKind::create) return "CREATE";
  return kind == ChangeKind::remove ? "DELETE" : "UPDATE_METADATA";
}

// Parts themselves may lie in a manifest that nobody has read; the etag tells as well.
bool is_multipart(const s3::Object& object) { return object.etag.find('-') != std::string::npos; }

std::string encode_columns(const s3::Object& object) {
  std::string out;
  put_u8(out, flags_of(object, false));
  put_columns(out, object);
  return out;
}

std::string encode_change(ChangeKind kind, const s3::Object& object, bool gone,
                          const ChangeOrigin& origin) {
  std::string out;
  out.reserve(192 + object.key.size());
  put_u8(out, change_version);
  put_u8(out, static_cast<std::uint8_t>(kind));
  put_u8(out, flags_of(object, gone));
  put_string(out, object.key);
  put_string(out, object.version_id);
  put_string(out, origin.requester);
  put_string(out, origin.source_ip);
  put_string(out, origin.request_id);
  if (!gone) put_columns(out, object);
  return out;
}

Result<JournalRecord> decode_change(std::string_view bytes) {
  ByteReader in(bytes);
  const auto version = in.u8();
  const auto kind = in.u8();
  const auto flags = in.u8();
  const auto key = in.string();
  const auto id = in.string();
  const auto requester = in.string();
  const auto source_ip = in.string();
  const auto request_id = in.string();
  if (!request_id || *version != change_version || *flags > known_flags ||
      *kind > static_cast<std::uint8_t>(ChangeKind::remove))
    return broken_change();
  JournalRecord record{.kind = static_cast<ChangeKind>(*kind),
                       .gone = (*flags & gone_flag) != 0,
                       .multipart = (*flags & multipart_flag) != 0,
                       .requester = std::string(*requester),
                       .source_ip = std::string(*source_ip),
                       .request_id = std::string(*request_id)};
  record.object.key = *key;
  record.object.version_id = *id;
  record.object.delete_marker = (*flags & marker_flag) != 0;
  record.object.encryption.bucket_key = (*flags & bucket_key_flag) != 0;
  if (!record.gone && !read_columns(in, record.object)) return broken_change();
  if (!in.at_end()) return broken_change();
  return record;
}

}  // namespace cairn::objectstore
