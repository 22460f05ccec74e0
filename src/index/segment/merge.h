// SPDX-License-Identifier: Apache-2.0
// Several segments into one, without the documents that were deleted.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "index/mapping/mapping.h"
#include "index/segment/bits.h"
#include "index/segment/segment.h"
#include "index/segment/segment_out.h"
#include "os/deadline.h"

namespace cairn::index {

struct MergeInput {
  std::shared_ptr<const Segment> segment;
  BitSet deleted;  // of the segment's size
};

/// For each input, the number of each document in the output; UINT32_MAX for deleted ones.
using DocumentMaps = std::vector<std::vector<std::uint32_t>>;

DocumentMaps map_documents(const std::vector<MergeInput>& inputs);

/// Writes the segment of all live documents of the inputs, in their order. Reads every input once,
/// past the cache, vectors twice. `mapping` says how vectors are compared. Looks at the deadline
/// now and then. Errors: those of reading and of the output's sink; timeout, cancelled.
Status merge_segments(const std::vector<MergeInput>& inputs, const DocumentMaps& maps,
                      const Mapping& mapping, SegmentOut& out, const os::Deadline& deadline);

}  // namespace cairn::index
