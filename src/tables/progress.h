// SPDX-License-Identifier: Apache-2.0
// How far the index of a table is: the note that each of its flushes keeps with the documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::tables {

struct Progress {
  bool began = false;         // of an inventory: `applied` was taken, before the first page
  bool filled = false;        // of an inventory: all pages were copied
  std::uint64_t applied = 0;  // number of the last row of the journal that the index heeds
  std::string after = {};     // of an inventory that is being copied: where to go on
  friend bool operator==(const Progress&, const Progress&) = default;
};

/// As hexadecimal digits.
std::string encode(const Progress& progress);
/// Errors: corrupt.
Result<Progress> decode_progress(std::string_view note);

}  // namespace cairn::tables
