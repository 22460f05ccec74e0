// SPDX-License-Identifier: Apache-2.0
// Takes a body in pieces and finds its place: memory while it is small, an extent file beyond.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "objectstore/core.h"

namespace cairn::objectstore {

/// For one thread. Dropped before stored() was committed it leaves nothing behind, unless finish()
/// was called: then the caller commits the body or removes its extents.
class BodyWriter {
 public:
  BodyWriter(Core& core, std::optional<std::uint64_t> expected_bytes)
      : core_(core), expected_bytes_(expected_bytes) {}
  /// Errors: storage_full.
  Status write(std::string_view bytes);
  std::uint64_t size_bytes() const { return size_; }
  /// The body as commit() takes it; its views live as long as this writer.
  Result<StoredBody> finish();

 private:
  Status spill();

  Core& core_;
  std::optional<std::uint64_t> expected_bytes_;
  std::uint64_t size_ = 0;
  std::string small_;
  std::unique_ptr<ExtentWriter> extent_;
};

/// The same for a body that is all there; `body` lives until the commit.
Result<StoredBody> store_body(Core& core, std::string_view body);

}  // namespace cairn::objectstore
