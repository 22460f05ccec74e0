// SPDX-License-Identifier: Apache-2.0
// What a task does to the documents of a query: deletes them, indexes them again, or copies them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "index/indices.h"
#include "search/request.h"
#include "tasks/remote_source.h"

namespace cairn::tasks {

enum class Kind { remove, update, reindex };
/// As `_tasks` calls it: "indices:data/write/delete/byquery".
std::string_view action_of(Kind kind);

/// Where copies go.
struct Destination {
  std::string index;
  bool create_only = false;  // what is there already is a conflict
  enum class Routing { keep, discard, set } routing = Routing::keep;
  std::string routing_value = {};
};

/// One request, read and checked.
struct ByQuery {
  Kind kind = Kind::remove;
  std::string source_names;  // as the request names the indices
  Json query = {};           // null: all
  std::optional<search::Slice> slice = {};
  std::size_t slices = 1;  // parts of the task itself
  std::optional<std::uint64_t> max_docs = {};
  Json sort = {};  // as a search has it; null: the order in which documents were written
  std::uint64_t terminate_after = 0;    // documents of each index, the first that match; 0: all
  std::int64_t search_timeout_ms = -1;  // of finding the documents of a batch; -1: none
  bool proceed = false;  // conflicts are counted and nothing else
  std::size_t scroll_size = 1'000;
  double requests_per_second = 0;          // documents; 0: as fast as it goes
  bool refresh = false;                    // what was written to, at the end
  std::int64_t write_timeout_ms = 60'000;  // of a batch
  // Of copies.
  Destination destination = {};
  Json source_filter = {};                  // `_source`; null: all of it
  std::optional<RemoteSource> remote = {};  // the server that has `source_names`; nothing: this one

  /// Whether an error says that the time for finding documents is up.
  bool is_late(const Error& error) const {
    return search_timeout_ms >= 0 && error.kind == ErrorKind::timeout;
  }
  /// "delete-by-query [books]", without anything secret
  std::string description() const;
};

/// As it is kept in the record of a task.
Json record_of(const ByQuery& request);
/// Errors: corrupt.
Result<ByQuery> read_by_query(const Json& record);

}  // namespace cairn::tasks
