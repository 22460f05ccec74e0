// SPDX-License-Identifier: Apache-2.0
// How far the parts of a task are, for those who look and for a restart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/json.h"
#include "tasks/by_query.h"

namespace cairn::tasks {

struct Counts {
  std::uint64_t total = 0;
  std::uint64_t updated = 0;
  std::uint64_t created = 0;
  std::uint64_t deleted = 0;
  std::uint64_t batches = 0;
  std::uint64_t version_conflicts = 0;
  std::uint64_t noops = 0;
  std::uint64_t write_retries = 0;
  std::uint64_t read_retries = 0;
  std::int64_t throttled_ms = 0;

  /// Documents that are done with, whatever came of them but failures.
  std::uint64_t done() const { return updated + created + deleted + version_conflicts + noops; }
  Counts& operator+=(const Counts& other);
};

/// A batch that is being written: documents of one index up to a sequence number; of a task that
/// sorts, those with `seq_nos`.
struct InFlight {
  std::size_t target = 0;
  std::int64_t to = -1;
  std::uint64_t count = 0;
  std::vector<std::int64_t> seq_nos = {};
};

/// One part of a task. Everything up to `after` of the index `target` is written, and what
/// `in_flight` says may be. One that sorts stays before the first document of the first index: what
/// it has done no longer has the number that it had.
struct SliceState {
  Counts counts = {};
  std::size_t target = 0;
  std::int64_t after = -1;
  std::optional<InFlight> in_flight = {};
  bool began = false;  // counts.total is known
  bool ended = false;
  double requests_per_second = 0;       // 0: as fast as it goes
  std::int64_t throttled_until_ns = 0;  // steady; 0: works
};

/// The members that status and answer share, from "total" to "throttled_until_millis". `slice`: the
/// number of a part, nothing for a whole.
Json status_of(Kind kind, const Counts& counts, double requests_per_second,
               std::int64_t throttled_until_ms, std::optional<std::size_t> slice,
               const std::optional<std::string>& cancelled);

Json record_of(const SliceState& state);
SliceState read_slice_state(const Json& record);

}  // namespace cairn::tasks
