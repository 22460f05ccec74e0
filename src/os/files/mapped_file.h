// SPDX-License-Identifier: Apache-2.0
// A file as memory that the system reads when it is touched, and takes back when it needs room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "os/files/files.h"

namespace cairn::os {

/// The bytes of a file. What is written to them is for this mapping alone, and stays in memory.
/// Nobody may shorten the file meanwhile, and a disk that fails to read ends the process: for files
/// of one's own. The File need not stay open.
class MappedFile {
 public:
  MappedFile() = default;
  /// Maps the first `size` bytes, which must be there. Errors: unsupported where the file has no
  /// descriptor or its file system no mappings; rate_limited where address space ends.
  static Result<MappedFile> of(const File& file, std::uint64_t size);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::string_view view() const { return {static_cast<const char*>(data_), size_}; }
  std::span<char> bytes() { return {static_cast<char*>(data_), size_}; }

 private:
  MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cairn::os
