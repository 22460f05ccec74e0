// SPDX-License-Identifier: Apache-2.0
// Rows of multipart uploads, in the table `system`, and the ids that clients know them by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/records.h"
#include "s3/model.h"

namespace cairn::objectstore {

struct UploadRecord {
  s3::MultipartUpload upload;    // key and id are the row's
  std::uint64_t serial = 0;      // the row's
  std::uint64_t key_serial = 0;  // of the version that the key held at the initiation; 0: none
  std::string sealed_key = {};   // the data key of an encrypted upload
};

std::string encode(const UploadRecord& record);
/// Errors: corrupt.
Result<UploadRecord> decode_upload(std::string_view row, std::string_view bytes);

/// Uploads of a bucket sort by key, then by serial: "upload/", bucket, key with 00 as 00 FF, 00 01,
/// serial.
std::string upload_row(std::uint64_t bucket_id, std::string_view key, std::uint64_t serial);
/// What the rows of all keys with that prefix start with.
std::string upload_prefix(std::uint64_t bucket_id, std::string_view key_prefix);
/// What the rows of that very key start with.
std::string upload_key_prefix(std::uint64_t bucket_id, std::string_view key);

/// When a key last lost what it held while uploads of it were open: "emptied/", bucket, key. The
/// value is a serial of that moment.
std::string emptied_row(std::uint64_t bucket_id, std::string_view key);

/// Parts: "part/", serial of the upload, number.
inline constexpr std::string_view part_rows = "part/";
std::string part_row(std::uint64_t upload, int number);
std::string part_prefix(std::uint64_t upload);
int part_number_of(std::string_view row);

/// Parts are stored as object records without a name; the serial is that of the upload.
std::string encode_part(const s3::Part& part, std::uint64_t upload,
                        const std::vector<ExtentSpan>& extents);
struct PartRecord {
  s3::Part part;
  std::vector<ExtentSpan> extents;
};
/// Errors: corrupt.
Result<PartRecord> decode_part(std::string_view row, std::string_view bytes);

std::string upload_id(std::uint64_t serial);
/// Nothing for a text that is no id.
std::optional<std::uint64_t> upload_serial(std::string_view upload_id);

}  // namespace cairn::objectstore
