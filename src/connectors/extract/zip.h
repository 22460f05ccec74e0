// SPDX-License-Identifier: Apache-2.0
// Reading members of a ZIP file that lies in memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::connectors {

/// The bytes outlive it. Used by one thread. What it unpacks is bounded over all members together,
/// so that a small file cannot become a large one.
class ZipFile {
 public:
  /// Errors: invalid_argument: no ZIP file, or one that is cut off; too_large: too many members.
  static Result<ZipFile> open(std::string_view bytes, std::size_t unpacked_bytes_max);
  ZipFile(ZipFile&&) noexcept;
  ZipFile& operator=(ZipFile&&) noexcept;
  ~ZipFile();

  /// Names in ascending order.
  std::vector<std::string> names() const;
  bool has(std::string_view name) const;
  /// Errors: not_found; invalid_argument: damaged; unsupported: encrypted, or packed in a way that
  /// is not known; too_large: past the bound of all members.
  Result<std::string> read(std::string_view name);

 private:
  struct Impl;
  explicit ZipFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn::connectors
