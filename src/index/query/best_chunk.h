// SPDX-License-Identifier: Apache-2.0
// The best chunk of each document of a semantic field.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cairn::index {

/// Chunk rows of one document stand together: hands on the best of each document.
class BestChunk {
 public:
  template <class Each>
  void add(std::uint32_t doc, float score, Each each) {
    if (open_ && doc_ == doc) {
      score_ = std::max(score_, score);
      return;
    }
    finish(each);
    open_ = true;
    doc_ = doc;
    score_ = score;
  }
  template <class Each>
  void finish(Each each) {
    if (open_) each(doc_, score_);
    open_ = false;
  }

 private:
  bool open_ = false;
  std::uint32_t doc_ = 0;
  float score_ = 0;
};

}  // namespace cairn::index
