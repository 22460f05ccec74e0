// SPDX-License-Identifier: Apache-2.0
// Reads the log of a RocksDB database, or its MANIFEST, as bytes, and judges what ends it. RocksDB
// stops at the first record that does not verify and takes it for the end, so that one flipped bit
// would lose all that stands behind it.
// Form: https://github.com/facebook/rocksdb/wiki/Write-Ahead-Log-File-Format
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::objectstore {

enum class LogKind {
  writes,    // each group of records begins with its sequence number
  manifest,  // groups say nothing of their order
};

/// What a log ends with.
enum class LogEnd {
  whole,   // behind the last group are zeros alone, or nothing
  torn,    // behind it is a piece of one group that was never written to its end
  rotten,  // a group that was whole once does not verify
};

struct LogScan {
  LogEnd end = LogEnd::whole;
  std::uint64_t groups = 0;       // that verify, from the beginning on
  std::uint64_t whole_bytes = 0;  // up to the end of the last of them
  std::uint64_t before_last = 0;  // up to its beginning: a sync has covered all of this
  std::uint64_t file_bytes = 0;
  std::uint64_t fault_at = 0;  // where the first record stands that does not verify
  std::string reason = {};     // what is wrong there
};

/// Reads the whole file, in pieces of 32 KiB. A group is torn where nothing whole stands behind it,
/// and where a piece of it, a sector of 512 bytes or its end, was never written: a disk writes a
/// sector or leaves it. One flipped bit is rot wherever it is. Blocks. Errors: those of the file.
Result<LogScan> scan_log(os::Files& files, const std::string& path, LogKind kind);

}  // namespace cairn::objectstore
