// SPDX-License-Identifier: Apache-2.0
// The bytes of a large file, wherever they lie.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "os/files/mapped_file.h"

namespace cairn::inference {

/// In memory of its own or mapped from a disk, so that the system holds as much of it as there is
/// room for. Views stay good when this moves.
class FileBytes {
 public:
  FileBytes() = default;
  explicit FileBytes(std::string bytes) : bytes_(std::make_unique<std::string>(std::move(bytes))) {}
  explicit FileBytes(os::MappedFile mapped) : mapped_(std::move(mapped)) {}

  std::string_view view() const {
    return bytes_ != nullptr ? std::string_view(*bytes_) : mapped_.view();
  }
  /// Changes are for this object alone.
  std::span<char> bytes() { return bytes_ != nullptr ? std::span<char>(*bytes_) : mapped_.bytes(); }

 private:
  std::unique_ptr<std::string> bytes_;
  os::MappedFile mapped_;
};

}  // namespace cairn::inference
