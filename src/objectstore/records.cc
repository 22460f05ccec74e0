// SPDX-License-Identifier: Apache-2.0
#include "objectstore/records.h"

#include "base/bytes.h"

namespace cairn::objectstore {
namespace {

constexpr std::uint8_t object_version = 1;
constexpr std::uint8_t bucket_version = 1;
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
bool read_checksum(ByteReader& in, std::optional<s3::Checksum>& checksum) {
  const auto algorithm = in.u8();
  if (!algorithm) return false;
  if (*algorithm == 0) return true;
  const auto type = in.u8();
  const auto value = in.string();
  if (!value || *type > 1 || *algorithm > 5) return false;
  checksum = s3::Checksum{.algorithm = static_cast<s3::ChecksumAlgorithm>(*algorithm - 1),
                          .type = static_cast<s3::ChecksumType>(*type),
                          .value = std::string(*value)};
  return true;
}

Error broken(std::string_view what) {
  return {.kind = ErrorKind::corrupt, .message = "a stored " + std::string(what) + " is broken"};
}

bool read_summary(ByteReader& in, s3::Object& object, std::uint64_t& serial) {
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
  serial = *number;
  object.size_bytes = *size;
  object.modified_ms = *modified;
  object.etag = *etag;
  object.attributes.storage_class = storage_class->empty() ? standard_class : *storage_class;
  object.owner = {.id = std::string(*owner), .account_id = std::string(*account)};
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
  }
  return false;
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
  if (!from.metadata.empty()) {
    std::string pairs;
    for (const auto& [name, value] : from.metadata) {
      put_string(pairs, name);
      put_string(pairs, value);
    }
    put_field(out, Tag::metadata, pairs);
  }
  for (const s3::Part& part : object.parts) put_part(out, part);
  std::string bytes;
  for (const ExtentSpan& extent : record.extents) {
    bytes.clear();
    put_u64le(bytes, extent.id);
    put_varint(bytes, extent.size_bytes);
    put_field(out, Tag::extent, bytes);
  }
  if (record.extents.empty() && object.size_bytes > 0) {
    bytes.clear();
    put_u32le(bytes, record.body_crc);
    put_field(out, Tag::body_crc, bytes);
  }
  return out;
}

Result<ObjectRecord> decode_object(std::string_view bytes, std::string_view key) {
  ObjectRecord record;
  ByteReader in(bytes);
  if (!read_summary(in, record.object, record.serial)) return broken("object record");
  record.object.key = key;
  while (!in.at_end()) {
    const auto tag = in.u8();
    const auto value = in.string();
    if (!value || !read_field(static_cast<Tag>(*tag), *value, record))
      return broken("object record");
  }
  std::uint64_t stored = 0;
  for (const ExtentSpan& extent : record.extents) stored += extent.size_bytes;
  if (!record.extents.empty() && stored != record.object.size_bytes) return broken("object record");
  return record;
}

Result<s3::Object> decode_summary(std::string_view bytes, std::string_view key) {
  s3::Object object;
  std::uint64_t serial = 0;
  ByteReader in(bytes);
  if (!read_summary(in, object, serial)) return broken("object record");
  object.key = key;
  return object;
}

std::string encode(const BucketRecord& record) {
  std::string out;
  put_u8(out, bucket_version);
  put_u64le(out, record.id);
  put_zigzag(out, record.bucket.created_ms);
  put_string(out, record.bucket.name);
  put_string(out, record.bucket.location_constraint);
  put_string(out, record.bucket.owner.id);
  put_string(out, record.bucket.owner.account_id);
  return out;
}

Result<BucketRecord> decode_bucket(std::string_view bytes) {
  ByteReader in(bytes);
  const auto version = in.u8();
  const auto id = in.u64le();
  const auto created = in.zigzag();
  const auto name = in.string();
  const auto location = in.string();
  const auto owner = in.string();
  const auto account = in.string();
  if (!account || *version != bucket_version || !in.at_end()) return broken("bucket record");
  return BucketRecord{
      .id = *id,
      .bucket = {.name = std::string(*name),
                 .location_constraint = std::string(*location),
                 .created_ms = *created,
                 .owner = {.id = std::string(*owner), .account_id = std::string(*account)}}};
}

std::string bucket_row(std::string_view name) {
  return std::string(bucket_row_prefix).append(name);
}

std::string object_row(std::uint64_t bucket_id, std::string_view key) {
  std::string row;
  row.reserve(object_row_key_at + key.size());
  put_u64be(row, bucket_id);
  row += key;
  return row;
}

std::string body_row(std::uint64_t serial) {
  std::string row;
  put_u64be(row, serial);
  return row;
}

std::string reference_row(std::uint64_t extent_id, std::uint64_t serial) {
  std::string row = extent_prefix(extent_id);
  put_u64be(row, serial);
  return row;
}

std::string extent_prefix(std::uint64_t extent_id) { return body_row(extent_id); }

}  // namespace cairn::objectstore
