// SPDX-License-Identifier: Apache-2.0
// Whole-buffer compression: gzip (RFC 1952) for the wire and for files, zstd for stored blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn {

std::string gzip(std::string_view bytes, int level = 6);
/// Accepts members one after another. Errors: corrupt; too_large past `limit_bytes` of output.
Result<std::string> gunzip(std::string_view bytes, std::size_t limit_bytes);

std::string zstd(std::string_view bytes, int level = 3);
/// Errors: corrupt; too_large past `limit_bytes` of output.
Result<std::string> unzstd(std::string_view bytes, std::size_t limit_bytes);

/// Streaming gzip or zlib ("deflate") decoder for bodies. Feed input, take output.
class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(Inflater&&) noexcept;
  Inflater& operator=(Inflater&&) noexcept;
  /// Appends at most `output_limit` bytes to `out` and drops what it used from `in`.
  /// Errors: corrupt.
  Status inflate(std::string_view& in, std::string& out, std::size_t output_limit);
  bool finished() const;  // at the end of a member and nothing of another one seen

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cairn
