// SPDX-License-Identifier: Apache-2.0
// How the embedded engine runs.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "os/clock.h"
#include "os/files/files.h"

namespace cairn::objectstore {

class KeyRing;

struct EngineOptions {
  std::string data_dir;  // the data folder; made where it is missing

  /// Puts are refused with storage_full when less than this would stay free, so that deleting,
  /// compaction and recovery still find space. Deletes go on below it.
  std::uint64_t reserve_bytes = 256ull << 20;
  /// Space that is taken while there is some, and given to deletes, and to a start, when there is
  /// none. 0: none.
  std::uint64_t set_aside_bytes = 0;
  /// Bodies up to this size are kept in RocksDB, larger ones as extent files.
  std::uint64_t inline_bytes_max = 64 << 10;
  /// Extents up to this size are written through the page cache, so that who reads them next finds
  /// them in memory; larger ones around it.
  std::uint64_t cached_bytes_max = 4 << 20;
  std::uint64_t block_cache_bytes = 32ull << 20;   // of RocksDB; filled by use
  std::uint64_t row_cache_bytes = 64ull << 20;     // records and small bodies; filled by use
  std::uint64_t write_buffer_bytes = 32ull << 20;  // of one table of RocksDB; filled by use
  /// How old the known free space may be. 0: ask before every put.
  std::int64_t space_check_ms = 50;
  /// How long to wait between attempts to resume after a failed write.
  std::int64_t recovery_interval_ms = 1000;

  /// How long a verified extent is served before it is verified again (ObjectReader::file).
  std::int64_t verified_fresh_ms = 60'000;
  /// Seals the data keys of encrypted objects; outlives the engine. Null: only customers' keys.
  KeyRing* key_ring = nullptr;

  os::Files* files = &os::system_files();  // outlives the engine
  const os::Clock* clock = &os::system_clock();

  /// Errors: invalid_argument, with the option and what it may be.
  Status validate() const;
};

}  // namespace cairn::objectstore
