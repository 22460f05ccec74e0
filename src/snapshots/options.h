// SPDX-License-Identifier: Apache-2.0
// Settings of the snapshot service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cairn::snapshots {

struct Options {
  std::string owner = "cairn";               // names this installation in leases
  std::string node_name = "cairn-1";         // in answers
  std::string node_id = "cairn-1";           // in answers
  std::string version = "9.1.0";             // of the platform, in answers
  std::size_t copy_bytes = 4u << 20;         // read and written at a time
  std::int64_t lease_renew_ms = 20'000;
  std::int64_t lease_lost_ms = 120'000;      // another installation's lease older than this is dead
  std::size_t delete_batch = 1'000;
};

}  // namespace cairn::snapshots
