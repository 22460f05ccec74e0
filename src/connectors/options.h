// SPDX-License-Identifier: Apache-2.0
// Settings of the connector service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn::connectors {

struct Options {
  std::vector<std::string> directory_roots = {};  // folders that `directory` sources may read
  std::size_t workers = 2;                        // runs at a time
  std::size_t batch_documents = 128;              // documents a write
  std::size_t batch_bytes = 2u << 20;             // text a write, whichever comes first
  std::int64_t poll_ms = 5'000;                   // how often schedules and foreign jobs are looked at
  std::int64_t lost_worker_ms = 60'000;           // a job without a sign of life is taken over
};

}  // namespace cairn::connectors
