// SPDX-License-Identifier: Apache-2.0
// Data streams: one name for a row of indices, of which the last takes what is written. Values.
// Source: docs/reference/data-streams.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/json.h"

namespace cairn::index {

struct BackingIndex {
  std::string name;
  std::string uuid;  // one of the same name that comes later is another
  bool operator==(const BackingIndex&) const = default;
};

struct DataStream {
  std::vector<BackingIndex> indices = {};  // the oldest first; the last is written to
  std::int64_t generation = 1;             // how many indices it has begun
  bool hidden = false;                     // patterns pass over it, unless they want hidden ones
  bool allow_custom_routing = false;
  bool rollover_on_write = false;  // the next document begins a new index
  bool operator==(const DataStream&) const = default;

  const std::string& write_index() const { return indices.back().name; }
};

/// Every data stream. A value: changed as a copy, read without a lock. None is without an index.
class StreamTable {
 public:
  using Streams = std::map<std::string, DataStream, std::less<>>;

  const Streams& all() const { return streams_; }
  /// Null where there is no such stream.
  const DataStream* find(std::string_view name) const;
  /// The name of the stream that an index is of; null for one of its own.
  const std::string* stream_of(std::string_view index) const;

  void put(const std::string& name, DataStream stream);
  bool remove(std::string_view name);
  /// Takes an index out of its stream, which goes with its last one.
  void remove_index(std::string_view index);

  /// Errors: illegal_argument_exception where there are too many.
  Status check() const;

  Json to_json() const;
  /// Errors: illegal_argument_exception.
  static Result<StreamTable> from_json(const Json& json);

 private:
  Streams streams_;
  std::map<std::string, std::string, std::less<>> by_index_;
};

/// How a document is written.
enum class StreamWrite { create, index, index_if_unchanged, update, remove };
/// Whether a document may be written so to a name. Data streams take new documents; in their indices
/// what is there is changed, and nothing is added. Errors: illegal_argument_exception.
Status check_stream_write(const StreamTable& streams, std::string_view name, StreamWrite write);
/// The same for a name that would become a data stream.
Status check_new_stream_write(StreamWrite write);

/// ".ds-<stream>-<yyyy.MM.dd>-<generation>"
std::string backing_index_name(std::string_view stream, std::int64_t generation,
                               std::int64_t now_ms);
/// The name of the index behind `name`: "logs-000007" -> "logs-000008". Errors:
/// illegal_argument_exception where it does not end in - and digits.
Result<std::string> next_index_name(std::string_view name);

/// The rules of names of indices, but that it does not start with .ds-. Errors:
/// illegal_argument_exception.
Status check_data_stream_name(std::string_view name);

}  // namespace cairn::index
