// SPDX-License-Identifier: Apache-2.0
// The objects of a nested field: a segment that lies in a section of the one whose documents they
// are in, and a list that says whose each is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/segment/segment_file.h"
#include "index/segment/segment_out.h"

namespace cairn::index {

/// Writes both sections: `write` gives the bytes of the inner segment and finishes it. `parents`
/// are the documents of `out` that the objects are in, ascending.
Status write_nested_section(SegmentOut& out, std::string_view path,
                            const std::vector<std::uint32_t>& parents,
                            const std::function<Status(SegmentOut& inner)>& write);

/// What the second section says.
struct NestedOwners {
  std::uint64_t hot_offset = 0;  // of the inner segment
  std::string_view parents;      // u32 each, in `bytes`

  /// Nothing where the bytes are not what was written: parents ascend, and are below `documents`.
  static std::optional<NestedOwners> read(std::string_view bytes, std::uint32_t documents);
};

/// The bytes [offset, offset + length) of another file, which checks them.
std::shared_ptr<SegmentFile> part_of_file(std::shared_ptr<SegmentFile> whole, std::string name,
                                          std::uint64_t offset, std::uint64_t length);

}  // namespace cairn::index
