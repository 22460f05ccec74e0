// SPDX-License-Identifier: Apache-2.0
// What each of two folders that mirror each other says of itself, and what follows when both are
// seen together. Pure.
//
// A generation is a stretch of time in which the same folders took every change. Whoever goes on
// alone draws a new one before the first change that the other lacks, and remembers the old ones.
// So a folder whose generation another one remembers is behind it, and two that each drew one of
// their own since are split.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::os {

/// The file in each of the two folders.
inline constexpr std::string_view mirror_marker_name = "MIRROR";

struct MirrorMarker {
  std::string pair;                      // of both folders, drawn once; 32 hexadecimal digits
  std::string generation;                // 32 hexadecimal digits
  std::vector<std::string> before = {};  // generations that this folder went through, oldest first
  bool filling = false;                  // not whole: being filled from the other one
  bool alone = false;                    // no other folder holds this generation

  /// Whether this folder went on where one of that generation stopped.
  bool remembers(std::string_view generation) const;
  /// A new generation of its own.
  void go_alone(std::string fresh);
};

/// Text that ends with its own CRC-32C. Form: docs/internals/formats.md.
std::string encode(const MirrorMarker& marker);
/// Errors: corrupt.
Result<MirrorMarker> decode_mirror_marker(std::string_view text);

/// One of the two folders, as it is found.
struct MirrorFolder {
  enum class Holds { nothing, missing, data };  // missing: not there, or not to be read
  Holds holds = Holds::nothing;
  std::string path = {};
  std::optional<MirrorMarker> marker = {};
};

/// What to do with two folders.
struct MirrorVerdict {
  enum class Kind {
    begin,  // both are empty: they are whole from the start
    same,   // both hold every change
    one,    // `source` is whole; `other` is to be filled from it, or missing
  };
  Kind kind = Kind::begin;
  int source = 0;  // 0 or 1
};

/// Errors: conflict, with which folder holds what and what to do: they are split, of different
/// pairs, or one of them was never part of this mirror; unavailable, where only one is there that
/// is not whole.
Result<MirrorVerdict> judge_mirror(const MirrorFolder& first, const MirrorFolder& second);

}  // namespace cairn::os
