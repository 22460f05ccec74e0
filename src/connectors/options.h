// SPDX-License-Identifier: Apache-2.0
// Settings of the connector service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn::connectors {

struct Options {
  std::vector<std::string> directory_roots = {};  // folders that sources may read
  std::vector<std::string> allowed_hosts = {};    // hosts that sources may connect to
  std::string cluster_ca_file = {};      // PEM; authorities of clusters; empty: the system's
  std::string work_folder = {};          // for what sources keep between runs
  std::size_t workers = 2;               // runs at a time
  std::size_t batch_documents = 1000;    // documents a write
  std::size_t batch_bytes = 512u << 10;  // text a write, whichever comes first
  std::int64_t poll_ms = 5'000;          // how often schedules and foreign jobs are looked at
  std::int64_t silence_ms = 10'000;      // the longest between signs of life of a run
  std::int64_t place_ms = 10'000;        // the shortest between two records of a walk's place
  std::int64_t lost_worker_ms = 60'000;  // a job without a sign of life is taken over
};

}  // namespace cairn::connectors
