// SPDX-License-Identifier: Apache-2.0
// How backups are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cairn::backup {

struct Options {
  std::string owner = "cairn";         // names this installation in leases and manifests
  std::string program = {};            // version of the program, in manifests
  std::size_t piece_bytes = 8 << 20;   // of a file, read, sealed and put at a time
  std::size_t workers = 4;             // extents that are copied at a time
  std::uint64_t bytes_per_second = 0;  // read from the data folder; 0: as fast as it goes
  std::int64_t lease_renew_ms = 20'000;
  std::int64_t lease_lost_ms = 120'000;  // who did not renew a lease so long is dead
};

}  // namespace cairn::backup
