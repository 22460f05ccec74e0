// SPDX-License-Identifier: Apache-2.0
// A row of a bucket's journal: what happened to one version of an object, and what it is since.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/change_origin.h"
#include "s3/model.h"

namespace cairn::objectstore {

enum class ChangeKind : std::uint8_t { create, update_metadata, remove };

/// "CREATE", "UPDATE_METADATA", "DELETE".
std::string_view name_of(ChangeKind kind);

struct JournalRecord {
  ChangeKind kind = ChangeKind::create;
  std::int64_t at_ms = 0;
  /// Key and version; of a version that is there, or of a delete marker, also what the tables have
  /// columns for.
  s3::Object object = {};
  bool gone = false;       // the version was removed for good: nothing else is known of it
  bool multipart = false;  // it was uploaded in parts
  std::string requester = {};  // account, or the name of a service; empty: nobody who has one
  std::string source_ip = {};
  std::string request_id = {};
};

/// True of an object that was uploaded in parts.
bool is_multipart(const s3::Object& object);

/// The row without its time, which stands in front of it in the table. `gone`: only key and version
/// are kept.
std::string encode_change(ChangeKind kind, const s3::Object& object, bool gone,
                          const ChangeOrigin& origin);
/// Errors: corrupt.
Result<JournalRecord> decode_change(std::string_view bytes);

/// The columns of an object alone, as encode_change has them: equal where no column differs.
std::string encode_columns(const s3::Object& object);

}  // namespace cairn::objectstore
