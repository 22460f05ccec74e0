// SPDX-License-Identifier: Apache-2.0
// Documents of another scorer, whose scores are computed from its own.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "index/query/scorer.h"
#include "index/query/view_state.h"
#include "os/steps.h"

namespace cairn::index {

/// Where there is a least score, documents below it do not match, and those that match are computed
/// once. A derived class calls start() when it can compute.
class ComputedScorer : public Scorer {
 public:
  std::uint32_t next() final {
    doc_ = inner_->next();
    return pass_over_low();
  }
  std::uint32_t seek(std::uint32_t target) final {
    if (doc_ >= target) return doc_;
    doc_ = inner_->seek(target);
    return pass_over_low();
  }
  float score() final { return least_ ? score_ : computed(); }
  std::uint64_t cost() const final { return inner_->cost(); }

 protected:
  /// The view and the steps outlive the scorer.
  ComputedScorer(ScorerPtr inner, std::optional<float> least, const SegmentView& view,
                 os::Steps& steps)
      : inner_(std::move(inner)), least_(least), view_(view), steps_(steps) {}
  void start() {
    doc_ = inner_->doc();
    pass_over_low();
  }
  /// The score of doc().
  virtual float computed() = 0;

  Scorer& inner() { return *inner_; }
  os::Steps& steps() { return steps_; }

 private:
  std::uint32_t pass_over_low() {
    if (!least_) return doc_;
    for (; doc_ != no_more; doc_ = inner_->next()) {
      if (!steps_.go_on()) return doc_ = no_more;
      if (!view_.is_live(doc_)) continue;
      score_ = computed();
      if (score_ >= *least_) break;
    }
    return doc_;
  }

  ScorerPtr inner_;
  std::optional<float> least_;
  const SegmentView& view_;
  os::Steps& steps_;
  float score_ = 0;
};

}  // namespace cairn::index
