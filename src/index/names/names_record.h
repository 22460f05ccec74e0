// SPDX-License-Identifier: Apache-2.0
// The record of names: all aliases and data streams, and indices that come and go with them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "index/names/aliases.h"
#include "index/names/data_streams.h"

namespace cairn::index {

/// Indices that are closed, by name, with their uuid.
using ClosedIndices = std::map<std::string, std::string, std::less<>>;

/// What names stand for, beside the indices of those names.
struct NameTables {
  AliasTable aliases = {};
  StreamTable streams = {};
  ClosedIndices closed = {};

  /// Takes an index out of all.
  void forget(const std::string& index) {
    aliases.remove_index(index);
    streams.remove_index(index);
    closed.erase(index);
  }
};

struct NewName {
  std::string uuid;
  std::int64_t created_ms = 0;
  bool operator==(const NewName&) const = default;
};

/// Indices that a change removes, by name, with their uuid.
using Removals = std::map<std::string, std::string, std::less<>>;
/// Indices that a change brings, by name.
using Additions = std::map<std::string, NewName, std::less<>>;

struct NamesRecord {
  NameTables tables = {};
  Removals removed = {};
  Additions added = {};
};

inline constexpr std::string_view names_record_key = "index/aliases";

/// Where the record of an index lies, which makes it one; and what it says.
std::string name_key(std::string_view index);
std::string index_record(const NewName& index);

std::string encode_names(const NamesRecord& record);
/// Errors: corrupt.
Result<NamesRecord> decode_names(std::string_view bytes);

}  // namespace cairn::index
