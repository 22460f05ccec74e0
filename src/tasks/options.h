// SPDX-License-Identifier: Apache-2.0
// Limits of tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "remotesearch/remote_scroll.h"

namespace cairn::tasks {

struct Options {
  std::size_t running_max = 32;          // at once
  std::size_t running_of_one_max = 16;   // of one key
  std::size_t slice_threads = 4;         // slices of one task that work at once
  std::size_t slices_max = 128;          // of one task
  std::size_t scroll_size_max = 10'000;  // documents of a batch
  std::size_t batch_bytes = 8u << 20;    // sources of a batch, whichever comes first
  std::size_t failures_max = 1'000;      // that an answer lists
  std::size_t results_max = 1'000;       // of tasks in the background that have ended
  std::size_t results_of_one_max = 250;  // with one key
  std::int64_t results_kept_ms = 7LL * 24 * 60 * 60 * 1000;
  std::int64_t write_wait_ms = 60'000;  // for the record of a task to be kept
  std::size_t write_attempts = 12;      // of a batch that has no room for the moment
  std::int64_t first_wait_ms = 50;      // before the second attempt; doubles
  std::int64_t longest_wait_ms = 5'000;
  std::size_t searches_max = 32;                // async ones, at once
  std::size_t searches_of_one_max = 16;         // with one key
  std::size_t kept_searches_max = 1'000;        // that run or whose answers are kept
  std::size_t kept_searches_of_one_max = 250;   // with one key
  std::size_t search_answer_bytes = 10u << 20;  // of an answer that is kept
  std::int64_t least_keep_alive_ms = 1'000;     // of an async search
  /// Hosts that may be copied from, as net::OutboundRules reads them, with patterns.
  std::vector<std::string> remote_allowed_hosts = {};
  std::string remote_ca_file = {};              // PEM; empty: what the system trusts
  std::size_t remote_answer_bytes = 32u << 20;  // of a page

  Status validate() const;
};

/// Which servers may be copied from. Errors: invalid_argument, for an entry of
/// `remote_allowed_hosts` that is none.
Result<remotesearch::RemoteAccess> remote_access_of(const Options& options);

}  // namespace cairn::tasks
