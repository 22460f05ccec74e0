// SPDX-License-Identifier: Apache-2.0
// What can be set about the indices of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace cairn::os {
class ComputePool;
}

namespace cairn::index {

class LiveSettings;

struct Options {
  // Pages of segments kept in memory, all indices; an eighth is for what filters select.
  std::size_t cache_bytes = 64u << 20;
  std::size_t builder_bytes = 16u << 20;         // of an index: made searchable early beyond this
  std::size_t flush_bytes = 64u << 20;           // of log since the last flush of an index
  std::size_t flush_log_objects = 512;           // log objects since the last flush of an index
  std::int64_t flush_age_ms = 5 * 60'000;        // of the oldest change that is only in the log
  std::size_t log_object_bytes = 8u << 20;       // a group commit gathers up to this
  std::uint64_t segment_bytes_max = 1u << 30;    // merges make none larger
  std::uint64_t segment_bytes_floor = 2u << 20;  // smaller ones count as this size
  std::size_t merge_factor = 8;                  // segments of one size that are merged together
  std::uint64_t merge_bytes_per_second = 0;      // of merges that nobody waits for; 0: no limit
  std::int64_t search_idle_ms = 30'000;          // without a search for so long: refresh on demand
  std::int64_t tombstone_ms = 60'000;            // how long a deleted id keeps its version
  std::int64_t keep_replaced_ms = 0;             // merged segments stay in the store, for replicas
  std::size_t total_fields_limit = 1000;         // of a mapping; index.mapping.total_fields.limit
  std::size_t document_bytes_max = 100u << 20;
  std::size_t max_terms = 65'536;                  // of a terms query
  std::size_t max_clauses = 4096;                  // of a query, after expansion
  std::size_t max_regex_length = 1000;             // characters of a regexp query
  std::size_t max_regexp_states = 1'000'000;       // of all regular expressions of a query
  std::size_t max_expansions = 1024;               // of prefix and wildcard over text, when scored
  std::size_t max_buckets = 65'536;                // that a search answers with
  std::size_t aggregation_bytes_max = 128u << 20;  // that the buckets of a search take on the way
  /// What changes while the process runs, with `max_buckets` at first; a catalogue makes it.
  std::shared_ptr<LiveSettings> live = {};
  /// Where searches find cores that are free; null: each takes one.
  os::ComputePool* compute = nullptr;
  // Of a search: about so many postings or documents, that others may take parts of it.
  std::size_t shared_work_min = 256u << 10;
  // No request makes an index whose name begins so: such come by Indices::attach. Empty: any may.
  std::string reserved_prefix = {};
  /// False: no log. What Index::follow took and no flush has kept is lost with the process, and its
  /// owner, who has it elsewhere, brings it again.
  bool logged = true;
  bool background = true;  // refresh, flush and merge by themselves; tests call maintain()

  /// Errors: illegal_argument_exception, naming the value that cannot be.
  Status validate() const;
};

}  // namespace cairn::index
