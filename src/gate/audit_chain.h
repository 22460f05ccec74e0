// SPDX-License-Identifier: Apache-2.0
// What ties each line of the audit log to the one before it, so that nobody without the key can
// take out, swap or edit one unseen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::gate {

/// The newest line: what the next one follows.
struct ChainLink {
  std::uint64_t number = 0;  // counts lines over files and restarts; 0: there is none yet
  std::string mac;           // 32 hexadecimal digits; empty: there is none yet
  bool operator==(const ChainLink&) const = default;
};

/// One line, taken apart.
struct ChainedLine {
  ChainLink link;
  std::optional<std::string> follows;  // the mac before, where the line says it: first of a file
  std::string_view covered;            // what the mac is made of, besides the one before
};

/// `object`: one JSON object, without line end. The line that follows `before`, with line end:
/// "chain.number", for the first line of a file "chain.follows", and "chain.mac", the first half of
/// HMAC-SHA-256 of the mac before and all of the line up to there. `before` becomes the new line.
std::string chain_line(std::string object, bool first_of_file, std::string_view key,
                       ChainLink& before);

/// Nothing for a line that has no chain, as those of before there was one. Without line end.
std::optional<ChainedLine> read_chained_line(std::string_view line);

/// Whether the line was made with this key, and follows a line with that mac.
bool follows(const ChainedLine& line, std::string_view mac_before, std::string_view key);

/// The newest link and the number of the oldest line that is kept, as a file beside the keys holds
/// them: without it nobody could tell that the log was cut at an end.
struct ChainHead {
  ChainLink newest;
  std::uint64_t oldest = 0;
  bool is_end = false;  // written by a clean stop: nothing came behind the newest link
  std::string encode() const;
  /// Errors: corrupt.
  static Result<ChainHead> decode(std::string_view text);
};

}  // namespace cairn::gate
