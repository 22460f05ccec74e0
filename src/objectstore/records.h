// SPDX-License-Identifier: Apache-2.0
// What the rows of the metadata hold, as bytes: docs/internals/formats.md describes each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "s3/model.h"

namespace cairn::objectstore {

/// A stretch of bytes in an extent file of its own.
struct ExtentSpan {
  std::uint64_t id = 0;
  std::uint64_t size_bytes = 0;
  friend bool operator==(const ExtentSpan&, const ExtentSpan&) = default;
};

/// The current version of an object. The body is nothing (size 0), the row `serial` of the table
/// bodies, or extents one after another.
struct ObjectRecord {
  s3::Object object;           // without its key, which is the row's
  std::uint64_t serial = 0;    // of this version; no two versions of anything share one
  std::uint32_t body_crc = 0;  // CRC-32C of a body in a row
  std::vector<ExtentSpan> extents = {};
};

struct BucketRecord {
  std::uint64_t id = 0;
  s3::Bucket bucket;
};

std::string encode(const ObjectRecord& record);
/// `key` becomes the object's. Errors: corrupt.
Result<ObjectRecord> decode_object(std::string_view bytes, std::string_view key);
/// Only what a listing shows: key, size, etag, time, owner, storage class, checksum algorithm.
Result<s3::Object> decode_summary(std::string_view bytes, std::string_view key);

std::string encode(const BucketRecord& record);
/// Errors: corrupt.
Result<BucketRecord> decode_bucket(std::string_view bytes);

// Keys of rows.
std::string bucket_row(std::string_view name);                             // system
std::string object_row(std::uint64_t bucket_id, std::string_view key);     // objects
std::string body_row(std::uint64_t serial);                                // bodies
std::string reference_row(std::uint64_t extent_id, std::uint64_t serial);  // references
std::string extent_prefix(std::uint64_t extent_id);                        // of its references

inline constexpr std::string_view bucket_row_prefix = "bucket/";
inline constexpr std::string_view serial_row = "serial";  // system: all lower serials are spent
inline constexpr std::size_t object_row_key_at = 8;       // where the key starts in an objects row

}  // namespace cairn::objectstore
