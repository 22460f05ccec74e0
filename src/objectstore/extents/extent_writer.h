// SPDX-License-Identifier: Apache-2.0
// Writes extent files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/records.h"
#include "os/files/direct_memory.h"
#include "os/files/files.h"

namespace cairn::objectstore {

class Extents;

/// Writes one extent. For one thread. Dropped before finish() it leaves nothing behind.
///
/// One of more than cached_bytes_max goes around the page cache where the file system takes that:
/// without any copy where the bytes come as whole blocks in os::direct_memory.
class ExtentWriter {
 public:
  struct Params {
    std::unique_ptr<os::File> file;
    std::uint64_t id = 0;
    std::uint64_t expected_bytes = 0;  // 0: not known
    std::uint64_t reserved_bytes = 0;  // of the file, on the disk
    std::uint64_t cached_bytes_max = 0;
  };
  ExtentWriter(Extents& extents, Params params);
  Status write(std::string_view bytes);
  /// Makes the file whole and durable under its name: table, footer, sync, name, folder.
  Result<ExtentSpan> finish();
  std::uint64_t id() const { return id_; }

 private:
  void choose_way(std::uint64_t bytes);
  void gather(std::string_view& bytes);
  void sum(std::string_view blocks);
  Status put(std::string_view bytes);
  Status put_rest();
  Status append(std::string_view bytes);
  Status leave_direct();
  Status reserve(std::uint64_t end);
  void begin_to_write_back();

  Extents& extents_;
  std::unique_ptr<os::File> file_;
  std::uint64_t id_;
  std::uint64_t reserved_;
  std::uint64_t cached_bytes_max_;
  bool direct_ = false;
  std::uint64_t size_ = 0;       // bytes of the body that were handed to the file
  std::uint64_t going_out_ = 0;  // of them, what the disk was asked to take
  os::DirectMemory gathered_;    // bytes that were not handed over yet
  std::size_t filled_ = 0;       // of it
  std::string table_;            // checksums of the blocks, those of gathered_ included
};

}  // namespace cairn::objectstore
