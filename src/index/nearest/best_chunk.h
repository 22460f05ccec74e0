// SPDX-License-Identifier: Apache-2.0
// The best row of each document: of a semantic field's chunks, or of a document's objects.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cairn::index {

/// Rows of one document stand together: hands on the best of each document.
class BestChunk {
 public:
  template <class Each>
  void add(std::uint32_t doc, float score, Each each) {
    add(doc, doc, score, each);
  }
  /// `doc` is an object of the document `group`: the best of its objects is handed on.
  template <class Each>
  void add(std::uint32_t group, std::uint32_t doc, float score, Each each) {
    if (open_ && group_ == group) {
      if (score > score_) doc_ = doc;
      score_ = std::max(score_, score);
      return;
    }
    finish(each);
    open_ = true;
    group_ = group;
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
  std::uint32_t group_ = 0;
  std::uint32_t doc_ = 0;
  float score_ = 0;
};

}  // namespace cairn::index
