// SPDX-License-Identifier: Apache-2.0
// What the object storage keeps and shows: buckets, objects, versions, parts, pages of listings.
// Plain values; the engine stores them, the wire renders them.
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
inline constexpr std::int64_t day_ms = 86'400'000;

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

enum class Versioning : std::uint8_t { off, enabled, suspended };
enum class Ownership : std::uint8_t {
  bucket_owner_enforced,  // ACLs are off
  bucket_owner_preferred,
  object_writer,
  none,  // the controls were deleted: as object_writer, but there is nothing to show
};

enum class LockMode : std::uint8_t { governance, compliance };

/// A version that may not be deleted or replaced before a moment.
struct Retention {
  LockMode mode = LockMode::governance;
  std::int64_t until_ms = 0;
  friend bool operator==(const Retention&, const Retention&) = default;
};

/// What a bucket gives to versions that bring no retention of their own: days or years.
struct DefaultRetention {
  LockMode mode = LockMode::governance;
  int days = 0;
  int years = 0;  // of 365 days
  friend bool operator==(const DefaultRetention&, const DefaultRetention&) = default;
};

struct ObjectLock {
  bool enabled = false;
  std::optional<DefaultRetention> rule = {};
  friend bool operator==(const ObjectLock&, const ObjectLock&) = default;
};

enum class ZoneType : std::uint8_t { availability_zone, local_zone };

/// "AvailabilityZone", "LocalZone".
std::string_view name_of(ZoneType type);

/// Where a directory bucket lies.
struct Zone {
  std::string id = {};  // "use1-az1"
  ZoneType type = ZoneType::availability_zone;
  friend bool operator==(const Zone&, const Zone&) = default;
};

struct Bucket {
  std::string name;
  std::string location_constraint = {};  // as given at creation; empty for the default region
  std::int64_t created_ms = 0;
  Owner owner = {};
  Versioning versioning = Versioning::off;
  ObjectLock object_lock = {};
  Ownership ownership = Ownership::bucket_owner_enforced;
  std::optional<Zone> zone = {};  // of a directory bucket; none: a general purpose bucket
  std::string outpost_id = {};  // that it belongs to; empty: to none
  bool is_directory() const { return zone.has_value(); }
  bool is_of_outpost() const { return !outpost_id.empty(); }
};

// Names of the configuration documents that a bucket may have. The engine keeps their text as it
// is.
namespace document {
inline constexpr std::string_view accelerate = "accelerate";
inline constexpr std::string_view acl = "acl";
inline constexpr std::string_view cors = "cors";
inline constexpr std::string_view encryption = "encryption";
inline constexpr std::string_view lifecycle = "lifecycle";
inline constexpr std::string_view logging = "logging";
inline constexpr std::string_view metadata_configuration = "metadata_configuration";
inline constexpr std::string_view notification = "notification";
inline constexpr std::string_view policy = "policy";
inline constexpr std::string_view public_access_block = "public_access_block";
inline constexpr std::string_view request_payment = "request_payment";
inline constexpr std::string_view tagging = "tagging";
inline constexpr std::string_view website = "website";
}  // namespace document

using Metadata = std::map<std::string, std::string>;  // names in lower case, without x-amz-meta-
using Tags = std::map<std::string, std::string>;

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

enum class EncryptionMethod : std::uint8_t {
  none,      // what the client asked for; the bytes lie as they are
  aes256,    // SSE-S3
  kms,       // SSE-KMS
  kms_dsse,  // SSE-KMS in two layers
  customer   // SSE-C: the key comes with each request and is not kept
};

/// How the bytes of an object are encrypted at rest, as the wire shows it.
struct Encryption {
  EncryptionMethod method = EncryptionMethod::none;
  std::string kms_key_id = {};   // ARN of the key, for kms and kms_dsse
  std::string kms_context = {};  // base64 of JSON, as it was given
  bool bucket_key = false;
  friend bool operator==(const Encryption&, const Encryption&) = default;
};

/// A copy of an archived object that can be read for a while.
struct Restore {
  static constexpr std::int64_t never = INT64_MAX;  // expires_ms of what stays out of the archive
  std::int64_t ready_ms = 0;                        // the moment from which on it is there
  std::int64_t expires_ms = 0;
  bool is_ongoing(std::int64_t now_ms) const { return now_ms < ready_ms; }
  /// True while it can be read.
  bool is_there(std::int64_t now_ms) const { return ready_ms <= now_ms && now_ms < expires_ms; }
  friend bool operator==(const Restore&, const Restore&) = default;
};

/// All that is known of one version of an object but its bytes; or a delete marker.
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
  bool delete_marker = false;    // then there is only key, version, time and owner
  bool latest = true;
  Tags tags = {};
  std::string acl = {};  // a document of the wire's; empty where none was given
  std::optional<Retention> retention = {};
  std::optional<bool> legal_hold = {};  // ON or OFF; nothing: never said
  std::optional<Restore> restore = {};
  std::string archive_tier = {};  // of INTELLIGENT_TIERING: "ARCHIVE_ACCESS", "DEEP_ARCHIVE_ACCESS"
  std::string replication_status = {};
  Encryption encryption = {};
};

/// True where the bytes must be restored before they can be read: storage class GLACIER or
/// DEEP_ARCHIVE, or an archive tier, and no restored copy at `now_ms`.
bool is_archived(const Object& object, std::int64_t now_ms);

/// Conditions of a write, judged against the current version in the same step as the write. A
/// delete marker counts as nothing.
struct WriteCondition {
  std::optional<std::string> if_match = {};  // an etag without quotes
  bool if_none_match = false;                // nothing may be there ("*")
};

struct ListParams {
  std::string prefix = {};
  std::string delimiter = {};    // any text; keys that go on after it are folded
  std::string start_after = {};  // a key, or a folded prefix: then all below it is skipped too
  std::size_t limit = list_limit_max;  // objects and prefixes together
  bool with_state = false;             // tags, restore and the rest too; costs a little more
};

struct ListPage {
  std::vector<Object> objects;               // ascending by bytes of the key; without parts
  std::vector<std::string> common_prefixes;  // ascending, each with its delimiter
  bool truncated = false;
  std::string next_start_after = {};  // the last key or prefix of a truncated page
};

struct ListVersionsParams {
  std::string prefix = {};
  std::string delimiter = {};
  std::string key_marker = {};         // a key, or a folded prefix
  std::string version_id_marker = {};  // of key_marker; empty: all versions of that key are past
  std::size_t limit = list_limit_max;  // versions, markers and prefixes together
};

struct ListVersionsPage {
  std::vector<Object> versions;  // and markers; by key, then newest first; without parts
  std::vector<std::string> common_prefixes;
  bool truncated = false;
  std::string next_key_marker = {};
  std::string next_version_id_marker = {};  // empty behind a prefix
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
  Owner initiator = {};  // who began it; the owner is who will own the object
  Tags tags = {};        // these and the rest are the object's once it is complete
  std::string acl = {};
  std::optional<Retention> retention = {};
  std::optional<bool> legal_hold = {};  // ON or OFF; nothing: never said
  Encryption encryption = {};
};

/// True for a name that a general purpose bucket may have.
bool is_bucket_name(std::string_view name);
/// True for a name that a directory bucket may have: "base--zone--x-s3".
bool is_directory_bucket_name(std::string_view name);
/// The zone that such a name ends with; empty for others.
std::string_view zone_id_of_bucket_name(std::string_view name);
/// The same for the name of an access point of such a bucket: "base--zone--xa-s3".
std::string_view zone_id_of_access_point_name(std::string_view name);
/// True for Cairn's own buckets (".cairn-auth"): no request may name one and no listing shows one.
bool is_reserved_bucket(std::string_view name);

}  // namespace cairn::s3
