// SPDX-License-Identifier: Apache-2.0
// What the rows of the metadata hold, as bytes: docs/internals/formats.md describes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objectstore/bucket_state.h"
#include "objectstore/listed_object.h"
#include "objectstore/metadata/row_keys.h"
#include "s3/model.h"

namespace cairn::objectstore {

/// A stretch of bytes in an extent file of its own.
struct ExtentSpan {
  std::uint64_t id = 0;
  std::uint64_t size_bytes = 0;
  friend bool operator==(const ExtentSpan&, const ExtentSpan&) = default;
};

/// Rows of the table bodies that are never changed while their version stands: what is appended
/// later stands in the record until it fills a piece of its own.
struct Manifest {
  std::size_t pieces = 0;
  std::size_t parts = 0;  // in all pieces; 0 where only the manifest itself says it
  std::size_t extents = 0;
  bool is_read = false;  // the record has them too, before its own
};

/// A version of an object, or a delete marker. The body is nothing (size 0), the row `serial` of
/// the table bodies, or extents one after another.
struct ObjectRecord {
  s3::Object object;           // without its key, which is the row's
  std::uint64_t serial = 0;    // of the body and its references; no two versions share one
  std::uint32_t body_crc = 0;  // CRC-32C of a body in a row
  std::vector<ExtentSpan> extents = {};
  std::uint64_t order = 0;      // its place among the versions of its key; its id shows it
  bool named = false;           // it has an id of its own; else it is the version "null"
  std::string sealed_key = {};  // the data key of an encrypted body
  /// Parts and extents are too many for the row of a listing: the first of them are in the
  /// manifest, one piece, or several of an object that was appended to. Until decode_manifest() has
  /// read it they are missing here.
  bool has_manifest = false;
  Manifest manifest = {};

  bool in_row() const {
    return extents.empty() && object.size_bytes > 0 && !object.delete_marker && !has_manifest;
  }
};

struct BucketRecord {
  std::uint64_t id = 0;
  s3::Bucket bucket;
};

/// Decides whether the record needs a manifest, and gives its bytes; nothing where it needs none.
std::string encode_manifest(ObjectRecord& record);
/// Where very many parts and extents stand in the record behind those of its manifest, they become
/// one more piece: its bytes, for the row piece_row(serial, manifest.pieces - 1). Else nothing.
std::string encode_piece(ObjectRecord& record);
/// All pieces of a record as decode_object gave it. Errors: corrupt.
Status decode_manifest(const std::vector<std::string>& pieces, ObjectRecord& record);
/// How many parts the object has; before the manifest is read only where `manifest` says how many
/// extents are in it.
std::size_t part_count(const ObjectRecord& record);

std::string encode(const ObjectRecord& record);
/// `key` becomes the object's. Errors: corrupt.
Result<ObjectRecord> decode_object(std::string_view bytes, std::string_view key);
/// The fields of a current version that listings return: key, size, etag, time, owner, storage
/// class, checksum algorithm.
Status decode_summary(std::string_view bytes, std::string_view key, s3::Object& object);
/// The same in place.
Status decode_summary(std::string_view bytes, std::string_view key, ListedObject& object);

std::string encode(std::uint64_t id, const BucketState& state);
struct StoredBucket {
  std::uint64_t id = 0;
  BucketState state;
};
/// Errors: corrupt.
Result<StoredBucket> decode_bucket(std::string_view bytes);

}  // namespace cairn::objectstore
