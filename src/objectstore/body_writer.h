// SPDX-License-Identifier: Apache-2.0
// Takes a body in pieces and finds its place: memory while it is small, an extent file beyond.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "objectstore/core/core.h"

namespace cairn::objectstore {

struct BodyParams {
  std::optional<std::uint64_t> expected_bytes = {};
  std::optional<DataKey> key = {};  // encrypts under it
  bool never_in_row = false;        // an extent, however small
  bool own = false;                 // what the program itself keeps (Core::check_space)
};

/// For one thread. Dropped before stored() was committed it leaves nothing behind, unless finish()
/// was called: then the caller commits the body or removes its extents.
class BodyWriter {
 public:
  BodyWriter(Core& core, BodyParams params);
  /// Errors: storage_full.
  Status write(std::string_view bytes);
  std::uint64_t size_bytes() const { return size_; }
  /// The body as commit() takes it; its views live as long as this writer.
  Result<StoredBody> finish();

 private:
  Status spill();
  Status write_extent(std::string_view bytes);
  Status seal_chunk(std::string_view plain);
  Result<StoredBody> finish_row();

  Core& core_;
  BodyParams params_;
  std::optional<BodyCipher> cipher_;
  std::uint64_t size_ = 0;
  std::string small_;  // a body that may become a row; later the chunk that is not full yet
  std::string sealed_;
  std::uint64_t chunk_ = 0;
  std::unique_ptr<ExtentWriter> extent_;
};

/// The same for a body that is all there; `body` lives until the commit.
Result<StoredBody> store_body(Core& core, std::string_view body, bool own = false);

}  // namespace cairn::objectstore
