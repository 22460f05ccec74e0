// SPDX-License-Identifier: Apache-2.0
// What a View holds, and what one running query knows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "index/segment/bits.h"
#include "index/mapping/mapping.h"
#include "index/options.h"
#include "index/segment/segment.h"
#include "os/clock.h"
#include "os/deadline.h"

namespace cairn::index {

struct SegmentView {
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const BitSet> deleted;  // null: none
  std::uint32_t live = 0;

  bool is_live(std::uint32_t doc) const { return deleted == nullptr || !deleted->test(doc); }
};

struct ViewState {
  std::string index_name;
  std::shared_ptr<const Mapping> mapping;
  std::vector<SegmentView> segments;
  Options options;
  const os::Clock* clock = nullptr;
};

/// Of one call to View.
struct QueryContext {
  const ViewState& view;
  const os::Deadline& deadline;
  std::int64_t now_ms = 0;
};

}  // namespace cairn::index
