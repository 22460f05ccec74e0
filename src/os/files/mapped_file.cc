// SPDX-License-Identifier: Apache-2.0
#include "os/files/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace cairn::os {

Result<MappedFile> MappedFile::of(const File& file, std::uint64_t size) {
  if (file.descriptor() < 0)
    return Error{.kind = ErrorKind::unsupported, .message = "the file cannot be mapped"};
  if (size == 0) return MappedFile();
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
                          file.descriptor(), 0);
  if (data != MAP_FAILED) return MappedFile(data, size);
  if (errno == ENOMEM || errno == EAGAIN)
    return Error{.kind = ErrorKind::rate_limited, .message = "there is no room to map the file"};
  return Error{.kind = ErrorKind::unsupported, .message = "the file system maps no files"};
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace cairn::os
