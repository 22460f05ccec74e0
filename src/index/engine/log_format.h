// SPDX-License-Identifier: Apache-2.0
// Objects of the write-ahead log: what an index was told since its segments were written.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"

namespace cairn::index {

/// Where an object stands in the log: owners count epochs, each numbers its objects from 1.
struct LogPosition {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  friend auto operator<=>(const LogPosition&, const LogPosition&) = default;
};

struct LogRecord {
  enum class Kind : std::uint8_t { index = 1, remove = 2, mapping = 3, settings = 4 };
  Kind kind = Kind::index;
  std::string id = {};
  std::int64_t version = 0;
  std::int64_t seq_no = 0;
  std::string source = {};  // of a document; the change as JSON text of a mapping or settings
  std::vector<SemanticValue> semantic = {};
  std::string routing = {};  // of a document; empty: none
};

struct LogObject {
  LogPosition position;
  std::string nonce;   // 16 bytes: tells whose attempt this is when an answer was lost
  bool fence = false;  // the epoch ends here: nothing after it counts
  std::vector<LogRecord> records;
};

std::string encode_log(const LogObject& object);
/// Errors: corrupt, naming the key.
Result<LogObject> decode_log(std::string_view bytes, std::string_view key);

/// "wal/0000000001/000000000001"
std::string log_key(const LogPosition& position);
/// Nothing for keys of another form. `key` is what follows the prefix of the index.
std::optional<LogPosition> log_position(std::string_view key);

}  // namespace cairn::index
