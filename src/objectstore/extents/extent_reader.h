// SPDX-License-Identifier: Apache-2.0
// Reads extent files, and lets out what verifies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objectstore/extents/verified_extents.h"
#include "objectstore/records.h"
#include "os/files/files.h"

namespace cairn::objectstore {

/// Reads one extent and lets nothing out that does not verify. For one thread.
class ExtentReader {
 public:
  ExtentReader(std::unique_ptr<os::File> file, const ExtentSpan& span, std::string path,
               VerifiedExtents* verified = nullptr);
  /// The verified bytes from `offset`: at least one, at most `most` and about 256 KiB; nothing at
  /// the end. Valid until the next call. Errors: corrupt.
  Result<std::string_view> read(std::uint64_t offset, std::uint64_t most = UINT64_MAX);
  int descriptor() const { return file_->descriptor(); }

 private:
  Error corrupt(std::string_view what) const;
  void note_verified(std::uint64_t end);

  std::unique_ptr<os::File> file_;
  ExtentSpan span_;
  std::string path_;
  VerifiedExtents* verified_;
  std::uint64_t verified_to_ = 0;  // all before it was verified by this reader
  std::int64_t verified_since_ns_ = 0;
  std::string blocks_;
  std::string table_;
  std::uint64_t table_first_ = 0;  // block of the first checksum in table_
};

/// Told of bytes that were just read; may wait. An error ends the reading.
using Pace = std::function<Status(std::uint64_t bytes)>;

/// Reads all of an extent file, footer and table included. Errors: corrupt.
Status verify_extent(os::Files& files, const std::string& path, const ExtentSpan& span,
                     const Pace& pace = {});

}  // namespace cairn::objectstore
