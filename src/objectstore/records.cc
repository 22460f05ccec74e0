// SPDX-License-Identifier: Apache-2.0
#include "objectstore/records.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "objectstore/cipher.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t object_version = 1;
constexpr std::size_t manifest_from = 32;  // parts and extents together
// What is appended gathers in the record, which each append writes again, up to some kilobytes.
constexpr std::size_t piece_from = 128;
constexpr std::string_view standard_class = "STANDARD";

// Fields after the fixed head of an object record: a tag, then a length and that many bytes. Only
// what differs from the default is there. A tag that this program does not know is an error: the
// VERSION file of the data folder is raised with every new one.
enum class Tag : std::uint8_t {
  content_type = 1,
  cache_control = 2,
  content_disposition = 3,
  content_encoding = 4,
  content_language = 5,
  expires = 6,
  website_redirect_location = 7,
  metadata = 8,  // name, value, name, value
  part = 9,      // once for each part
  extent = 10,   // once for each extent
  body_crc = 11,
  order = 12,          // where it is not the serial
  named = 13,          // nothing
  delete_marker = 14,  // nothing
  tags = 15,           // name, value, name, value
  acl = 16,
  retention = 17,
  legal_hold = 18,  // ON: nothing; OFF: one byte, 0
  restore = 19,
  archive_tier = 20,
  replication_status = 21,
  encryption = 22,
  manifest = 23,  // nothing; or pieces, parts in them, extents in them, and more follow it
};

void put_field(std::string& out, Tag tag, std::string_view value) {
  put_u8(out, static_cast<std::uint8_t>(tag));
  put_string(out, value);
}

void put_text(std::string& out, Tag tag, const std::string& value, std::string_view normal = {}) {
  if (value != normal) put_field(out, tag, value);
}

void put_checksum(std::string& out, const std::optional<s3::Checksum>& checksum) {
  put_u8(out, checksum ? static_cast<std::uint8_t>(1 + static_cast<int>(checksum->algorithm)) : 0);
  if (!checksum) return;
  put_u8(out, static_cast<std::uint8_t>(checksum->type));
  put_string(out, checksum->value);
}

/// True where a checksum, or that there is none, was read.
bool read_checksum(ByteReader& in, std::optional<ListedObject::Checksum>& checksum) {
  const auto algorithm = in.u8();
  if (!algorithm) return false;
  if (*algorithm == 0) return true;
  const auto type = in.u8();
  const auto value = in.string();
  if (!value || *type > 1 || *algorithm > 5) return false;
  checksum = {.algorithm = static_cast<s3::ChecksumAlgorithm>(*algorithm - 1),
              .type = static_cast<s3::ChecksumType>(*type),
              .value = *value};
  return true;
}

std::optional<s3::Checksum> owned(const std::optional<ListedObject::Checksum>& checksum) {
  if (!checksum) return std::nullopt;
  return s3::Checksum{.algorithm = checksum->algorithm,
                      .type = checksum->type,
                      .value = std::string(checksum->value)};
}

bool read_checksum(ByteReader& in, std::optional<s3::Checksum>& checksum) {
  std::optional<ListedObject::Checksum> seen;
  if (!read_checksum(in, seen)) return false;
  checksum = owned(seen);
  return true;
}

Error broken(std::string_view what) {
  return {.kind = ErrorKind::corrupt, .message = "a stored " + std::string(what) + " is broken"};
}

bool read_summary(ByteReader& in, ListedObject& object) {
  const auto version = in.u8();
  if (!version || *version != object_version) return false;
  const auto number = in.u64le();
  const auto size = in.varint();
  const auto modified = in.zigzag();
  const auto etag = in.string();
  const auto storage_class = in.string();
  const auto owner = in.string();
  const auto account = in.string();
  if (!account || !read_checksum(in, object.checksum)) return false;
  object.serial = *number;
  object.size_bytes = *size;
  object.modified_ms = *modified;
  object.etag = *etag;
  object.storage_class = storage_class->empty() ? std::string_view(standard_class) : *storage_class;
  object.owner_id = *owner;
  object.owner_account = *account;
  return true;
}

bool read_summary(ByteReader& in, s3::Object& object, std::uint64_t& serial) {
  ListedObject seen;
  if (!read_summary(in, seen)) return false;
  serial = seen.serial;
  object.size_bytes = seen.size_bytes;
  object.modified_ms = seen.modified_ms;
  object.etag = seen.etag;
  object.attributes.storage_class = seen.storage_class;
  object.owner = {.id = std::string(seen.owner_id), .account_id = std::string(seen.owner_account)};
  object.checksum = owned(seen.checksum);
  return true;
}

void put_part(std::string& out, const s3::Part& part) {
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(part.number));
  put_varint(bytes, part.size_bytes);
  put_zigzag(bytes, part.modified_ms);
  put_string(bytes, part.etag);
  put_checksum(bytes, part.checksum);
  put_field(out, Tag::part, bytes);
}

bool read_part(std::string_view bytes, s3::Part& part) {
  ByteReader in(bytes);
  const auto number = in.varint();
  const auto size = in.varint();
  const auto modified = in.zigzag();
  const auto etag = in.string();
  if (!etag || !read_checksum(in, part.checksum)) return false;
  part.number = static_cast<int>(*number);
  part.size_bytes = *size;
  part.modified_ms = *modified;
  part.etag = *etag;
  return in.at_end();
}

bool read_metadata(std::string_view bytes, s3::Metadata& metadata) {
  ByteReader in(bytes);
  while (!in.at_end()) {
    const auto name = in.string();
    const auto value = in.string();
    if (!value) return false;
    metadata.emplace(*name, *value);
  }
  return true;
}

void put_pairs(std::string& out, Tag tag, const std::map<std::string, std::string>& pairs) {
  if (pairs.empty()) return;
  std::string bytes;
  for (const auto& [name, value] : pairs) {
    put_string(bytes, name);
    put_string(bytes, value);
  }
  put_field(out, tag, bytes);
}

void put_extent(std::string& out, const ExtentSpan& extent) {
  std::string bytes;
  put_u64le(bytes, extent.id);
  put_varint(bytes, extent.size_bytes);
  put_field(out, Tag::extent, bytes);
}

/// Where what is not in the manifest begins in `parts` and `extents`.
struct Tail {
  std::size_t part = 0;
  std::size_t extent = 0;
};

Tail tail_of(const ObjectRecord& record) {
  if (!record.has_manifest || !record.manifest.is_read) return {};
  return {record.manifest.parts, record.manifest.extents};
}

void put_parts(std::string& out, const ObjectRecord& record, const Tail& from) {
  const std::vector<s3::Part>& parts = record.object.parts;
  for (std::size_t i = from.part; i < parts.size(); ++i) put_part(out, parts[i]);
  for (std::size_t i = from.extent; i < record.extents.size(); ++i)
    put_extent(out, record.extents[i]);
}

/// A manifest of one piece with nothing behind it says itself what is in it.
void put_manifest(std::string& out, const ObjectRecord& record) {
  const Tail tail = tail_of(record);
  std::string bytes;
  if (record.manifest.pieces > 1 || tail.part < record.object.parts.size() ||
      tail.extent < record.extents.size()) {
    put_varint(bytes, record.manifest.pieces);
    put_varint(bytes, record.manifest.parts);
    put_varint(bytes, record.manifest.extents);
  }
  put_field(out, Tag::manifest, bytes);
}

/// What versions, locks and encryption say of an object.
void put_state(std::string& out, const ObjectRecord& record) {
  const s3::Object& object = record.object;
  std::string bytes;
  if (record.order != 0 && record.order != record.serial) {
    put_u64le(bytes, record.order);
    put_field(out, Tag::order, bytes);
  }
  if (record.named) put_field(out, Tag::named, {});
  if (object.delete_marker) put_field(out, Tag::delete_marker, {});
  put_pairs(out, Tag::tags, object.tags);
  put_text(out, Tag::acl, object.acl);
  if (object.retention) {
    bytes.clear();
    put_u8(bytes, static_cast<std::uint8_t>(object.retention->mode));
    put_zigzag(bytes, object.retention->until_ms);
    put_field(out, Tag::retention, bytes);
  }
  if (object.legal_hold)
    put_field(out, Tag::legal_hold, *object.legal_hold ? std::string() : std::string(1, '\0'));
  if (object.restore) {
    bytes.clear();
    put_u8(bytes, object.restore->ready_ms != 0 ? 1 : 0);
    put_zigzag(bytes, object.restore->expires_ms);
    if (object.restore->ready_ms != 0) put_zigzag(bytes, object.restore->ready_ms);
    put_field(out, Tag::restore, bytes);
  }
  put_text(out, Tag::archive_tier, object.archive_tier);
  put_text(out, Tag::replication_status, object.replication_status);
  if (object.encryption.method != s3::EncryptionMethod::none) {
    bytes.clear();
    put_u8(bytes, static_cast<std::uint8_t>(object.encryption.method));
    put_string(bytes, object.encryption.kms_key_id);
    put_string(bytes, object.encryption.kms_context);
    put_u8(bytes, object.encryption.bucket_key ? 1 : 0);
    put_string(bytes, record.sealed_key);
    put_field(out, Tag::encryption, bytes);
  }
  if (record.has_manifest) put_manifest(out, record);
}

bool read_retention(ByteReader& in, std::optional<s3::Retention>& retention) {
  const auto mode = in.u8();
  const auto until = in.zigzag();
  if (!until || *mode > 1 || !in.at_end()) return false;
  retention = s3::Retention{.mode = static_cast<s3::LockMode>(*mode), .until_ms = *until};
  return true;
}

bool read_restore(ByteReader& in, std::optional<s3::Restore>& restore) {
  const auto later = in.u8();
  const auto expires = in.zigzag();
  if (!expires || *later > 1) return false;
  const auto ready = *later == 1 ? in.zigzag() : std::optional<std::int64_t>(0);
  if (!ready || !in.at_end()) return false;
  restore = s3::Restore{.ready_ms = *ready, .expires_ms = *expires};
  return true;
}

bool read_encryption(ByteReader& in, ObjectRecord& record) {
  const auto method = in.u8();
  const auto key_id = in.string();
  const auto context = in.string();
  const auto bucket_key = in.u8();
  const auto sealed = in.string();
  if (!sealed || *method > 4 || *bucket_key > 1 || !in.at_end()) return false;
  record.object.encryption = {.method = static_cast<s3::EncryptionMethod>(*method),
                              .kms_key_id = std::string(*key_id),
                              .kms_context = std::string(*context),
                              .bucket_key = *bucket_key == 1};
  record.sealed_key = *sealed;
  return true;
}

bool read_manifest_count(ByteReader& in, ObjectRecord& record) {
  record.has_manifest = true;
  record.manifest = {.pieces = 1};
  if (in.at_end()) return true;
  const auto pieces = in.varint();
  const auto parts = in.varint();
  const auto extents = in.varint();
  if (!extents || *pieces == 0 || *extents == 0 || !in.at_end()) return false;
  record.manifest = {.pieces = *pieces, .parts = *parts, .extents = *extents};
  return true;
}

bool read_state(Tag tag, std::string_view value, ObjectRecord& record) {
  s3::Object& object = record.object;
  ByteReader in(value);
  switch (tag) {
    case Tag::order: {
      const auto order = in.u64le();
      if (!order || !in.at_end()) return false;
      record.order = *order;
      return true;
    }
    case Tag::named:
      record.named = true;
      return value.empty();
    case Tag::delete_marker:
      object.delete_marker = true;
      return value.empty();
    case Tag::tags:
      return read_metadata(value, object.tags);
    case Tag::acl:
      object.acl = value;
      return true;
    case Tag::retention:
      return read_retention(in, object.retention);
    case Tag::legal_hold:
      object.legal_hold = value.empty();
      return value.empty() || value == std::string_view("\0", 1);
    case Tag::restore:
      return read_restore(in, object.restore);
    case Tag::archive_tier:
      object.archive_tier = value;
      return true;
    case Tag::replication_status:
      object.replication_status = value;
      return true;
    case Tag::encryption:
      return read_encryption(in, record);
    case Tag::manifest:
      return read_manifest_count(in, record);
    default:
      return false;
  }
}

bool read_field(Tag tag, std::string_view value, ObjectRecord& record) {
  s3::ObjectAttributes& to = record.object.attributes;
  ByteReader in(value);
  switch (tag) {
    case Tag::content_type:
      to.content_type = value;
      return true;
    case Tag::cache_control:
      to.cache_control = value;
      return true;
    case Tag::content_disposition:
      to.content_disposition = value;
      return true;
    case Tag::content_encoding:
      to.content_encoding = value;
      return true;
    case Tag::content_language:
      to.content_language = value;
      return true;
    case Tag::expires:
      to.expires = value;
      return true;
    case Tag::website_redirect_location:
      to.website_redirect_location = value;
      return true;
    case Tag::metadata:
      return read_metadata(value, to.metadata);
    case Tag::part:
      return read_part(value, record.object.parts.emplace_back());
    case Tag::extent: {
      const auto id = in.u64le();
      const auto size = in.varint();
      if (!size || !in.at_end()) return false;
      record.extents.push_back({.id = *id, .size_bytes = *size});
      return true;
    }
    case Tag::body_crc: {
      const auto crc = in.u32le();
      if (!crc || !in.at_end()) return false;
      record.body_crc = *crc;
      return true;
    }
    default:
      return read_state(tag, value, record);
  }
}

/// The extents hold the body: as it is, or encrypted, which makes it longer.
bool sizes_fit(const ObjectRecord& record) {
  if (record.extents.empty() || (record.has_manifest && !record.manifest.is_read)) return true;
  std::uint64_t stored = 0, plain = 0;
  for (const ExtentSpan& extent : record.extents) {
    stored += extent.size_bytes;
    plain += plain_bytes(extent.size_bytes);
  }
  return stored == record.object.size_bytes || plain == record.object.size_bytes;
}

bool read_fields(ByteReader& in, ObjectRecord& record) {
  while (!in.at_end()) {
    const auto tag = in.u8();
    const auto value = in.string();
    if (!value || !read_field(static_cast<Tag>(*tag), *value, record)) return false;
  }
  return sizes_fit(record);
}

}  // namespace

std::string encode(const ObjectRecord& record) {
  const s3::Object& object = record.object;
  const s3::ObjectAttributes& from = object.attributes;
  std::string out;
  out.reserve(192);
  put_u8(out, object_version);
  put_u64le(out, record.serial);
  put_varint(out, object.size_bytes);
  put_zigzag(out, object.modified_ms);
  put_string(out, object.etag);
  put_string(out, from.storage_class == standard_class ? std::string_view() : from.storage_class);
  put_string(out, object.owner.id);
  put_string(out, object.owner.account_id);
  put_checksum(out, object.checksum);

  put_text(out, Tag::content_type, from.content_type, s3::ObjectAttributes().content_type);
  put_text(out, Tag::cache_control, from.cache_control);
  put_text(out, Tag::content_disposition, from.content_disposition);
  put_text(out, Tag::content_encoding, from.content_encoding);
  put_text(out, Tag::content_language, from.content_language);
  put_text(out, Tag::expires, from.expires);
  put_text(out, Tag::website_redirect_location, from.website_redirect_location);
  put_pairs(out, Tag::metadata, from.metadata);
  put_state(out, record);
  put_parts(out, record, tail_of(record));
  if (record.in_row()) {
    std::string bytes;
    put_u32le(bytes, record.body_crc);
    put_field(out, Tag::body_crc, bytes);
  }
  return out;
}

std::string encode_manifest(ObjectRecord& record) {
  record.has_manifest = record.object.parts.size() + record.extents.size() > manifest_from;
  record.manifest = {};
  std::string out;
  if (!record.has_manifest) return out;
  out.reserve(record.object.parts.size() * 80 + record.extents.size() * 16);
  put_parts(out, record, {});
  record.manifest = {.pieces = 1,
                     .parts = record.object.parts.size(),
                     .extents = record.extents.size(),
                     .is_read = true};
  return out;
}

std::string encode_piece(ObjectRecord& record) {
  const Tail tail = tail_of(record);
  std::vector<s3::Part>& parts = record.object.parts;
  const std::size_t new_parts = parts.size() - tail.part;
  const std::size_t new_extents = record.extents.size() - tail.extent;
  std::string out;
  if (new_parts + new_extents <= piece_from) return out;
  out.reserve(new_parts * 80 + new_extents * 16);
  put_parts(out, record, tail);
  Manifest& manifest = record.manifest;
  if (!record.has_manifest) manifest = {.is_read = true};
  record.has_manifest = true;
  ++manifest.pieces;
  manifest.parts += new_parts;
  manifest.extents += new_extents;
  if (manifest.is_read) return out;
  parts.clear();
  record.extents.clear();
  return out;
}

Status decode_manifest(const std::vector<std::string>& pieces, ObjectRecord& record) {
  Manifest& manifest = record.manifest;
  const std::vector<s3::Part> parts = std::exchange(record.object.parts, {});
  const std::vector<ExtentSpan> extents = std::exchange(record.extents, {});
  // How many there are is what the record says: never more than the pieces have bytes for.
  std::uint64_t bytes = 0;
  for (const std::string& piece : pieces) bytes += piece.size();
  record.object.parts.reserve(std::min<std::uint64_t>(manifest.parts, bytes) + parts.size());
  record.extents.reserve(std::min<std::uint64_t>(manifest.extents, bytes) + extents.size());
  for (const std::string& piece : pieces) {
    ByteReader in(piece);
    if (!read_fields(in, record)) return broken("list of parts");
  }
  const std::size_t had_parts = record.object.parts.size(), had_extents = record.extents.size();
  if (manifest.extents != 0 && (manifest.parts != had_parts || manifest.extents != had_extents))
    return broken("list of parts");
  manifest.parts = had_parts;
  manifest.extents = had_extents;
  manifest.is_read = true;
  record.object.parts.insert(record.object.parts.end(), parts.begin(), parts.end());
  record.extents.insert(record.extents.end(), extents.begin(), extents.end());
  if (record.extents.empty() || !sizes_fit(record)) return broken("list of parts");
  return ok_status();
}

std::size_t part_count(const ObjectRecord& record) {
  const bool apart = record.has_manifest && !record.manifest.is_read;
  return record.object.parts.size() + (apart ? record.manifest.parts : 0);
}

Result<ObjectRecord> decode_object(std::string_view bytes, std::string_view key) {
  ObjectRecord record;
  ByteReader in(bytes);
  if (!read_summary(in, record.object, record.serial)) return broken("object record");
  record.object.key = key;
  record.order = record.serial;
  if (!read_fields(in, record)) return broken("object record");
  if (record.named) record.object.version_id = version_id(record.order);
  return record;
}

Status decode_summary(std::string_view bytes, std::string_view key, s3::Object& object) {
  std::uint64_t serial = 0;
  ByteReader in(bytes);
  if (!read_summary(in, object, serial)) return broken("object record");
  object.key = key;
  return ok_status();
}

Status decode_summary(std::string_view bytes, std::string_view key, ListedObject& object) {
  ByteReader in(bytes);
  if (!read_summary(in, object)) return broken("object record");
  object.key = key;
  return ok_status();
}

}  // namespace cairn::objectstore
