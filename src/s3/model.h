// SPDX-License-Identifier: Apache-2.0
// What the object storage keeps and shows: buckets, objects, parts, pages of listings. Plain
// values; the engine stores them, the wire renders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::s3 {

inline constexpr std::size_t key_bytes_max = 1024;
inline constexpr std::size_t list_limit_max = 1000;  // keys and prefixes of one page
inline constexpr std::size_t delete_batch_max = 1000;
inline constexpr std::uint64_t put_bytes_max = 5ull << 30;   // one PutObject, UploadPart or copy
inline constexpr std::uint64_t part_bytes_min = 5ull << 20;  // every part but the last
inline constexpr std::uint64_t object_bytes_max = 5ull << 40;
inline constexpr int part_number_max = 10'000;
inline constexpr std::string_view null_version = "null";  // the version id without versioning

enum class ChecksumAlgorithm { crc32, crc32c, crc64nvme, sha1, sha256 };
enum class ChecksumType { full_object, composite };

/// A checksum as the wire shows it: base64 of the big-endian bytes, "-N" behind a composite one.
struct Checksum {
  ChecksumAlgorithm algorithm = ChecksumAlgorithm::crc64nvme;
  ChecksumType type = ChecksumType::full_object;
  std::string value = {};
  friend bool operator==(const Checksum&, const Checksum&) = default;
};

struct Owner {
  std::string id;          // canonical id: 64 hexadecimal digits
  std::string account_id;  // 12 digits
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct Bucket {
  std::string name;
  std::string location_constraint = {};  // as given at creation; empty for the default region
  std::int64_t created_ms = 0;
  Owner owner = {};
};

using Metadata = std::map<std::string, std::string>;  // names in lower case, without x-amz-meta-

/// What the creator of an object says about it; goes out again with every GET.
struct ObjectAttributes {
  std::string content_type = "binary/octet-stream";
  std::string cache_control = {};
  std::string content_disposition = {};
  std::string content_encoding = {};  // without aws-chunked
  std::string content_language = {};
  std::string expires = {};  // the text that was given
  std::string website_redirect_location = {};
  std::string storage_class = "STANDARD";
  Metadata metadata = {};
  friend bool operator==(const ObjectAttributes&, const ObjectAttributes&) = default;
};

/// A part of a multipart upload, or of the object that it became.
struct Part {
  int number = 0;
  std::uint64_t size_bytes = 0;
  std::string etag = {};  // 32 hexadecimal digits, without quotes
  std::int64_t modified_ms = 0;
  std::optional<Checksum> checksum = {};
};

/// All that is known of an object but its bytes.
struct Object {
  std::string key;
  std::string version_id = std::string(null_version);
  std::uint64_t size_bytes = 0;
  std::string etag = {};  // without quotes; of a multipart object with "-N"
  std::int64_t modified_ms = 0;
  std::optional<Checksum> checksum = {};
  Owner owner = {};
  ObjectAttributes attributes = {};
  std::vector<Part> parts = {};  // of a multipart object, else empty
};

/// Conditions of a write, judged against the current version in the same step as the write.
struct WriteCondition {
  std::optional<std::string> if_match = {};  // an etag without quotes
  bool if_none_match = false;                // nothing may be there ("*")
};

struct ListParams {
  std::string prefix = {};
  std::string delimiter = {};    // any text; keys that go on after it are folded
  std::string start_after = {};  // a key, or a folded prefix: then all below it is skipped too
  std::size_t limit = list_limit_max;  // objects and prefixes together
};

struct ListPage {
  std::vector<Object> objects;               // ascending by bytes of the key; without parts
  std::vector<std::string> common_prefixes;  // ascending, each with its delimiter
  bool truncated = false;
  std::string next_start_after = {};  // the last key or prefix of a truncated page
};

/// A multipart upload that is neither completed nor aborted.
struct MultipartUpload {
  std::string upload_id;
  std::string key;
  std::int64_t initiated_ms = 0;
  Owner owner = {};
  ObjectAttributes attributes = {};
  std::optional<ChecksumAlgorithm> checksum_algorithm = {};
  ChecksumType checksum_type = ChecksumType::full_object;
};

/// True for a name that a general purpose bucket may have.
bool is_bucket_name(std::string_view name);
/// True for Cairn's own buckets (".cairn-auth"): no request may name one and no listing shows one.
bool is_reserved_bucket(std::string_view name);

}  // namespace cairn::s3
