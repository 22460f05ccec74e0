// SPDX-License-Identifier: Apache-2.0
#include "index/query/doc_check.h"

#include <algorithm>
#include <utility>

namespace cairn::index {
namespace {

class CheckedScorer final : public Scorer {
 public:
  CheckedScorer(ScorerPtr inner, std::vector<WantedCheck> checks, float more, os::Steps& steps)
      : inner_(std::move(inner)), checks_(std::move(checks)), more_(more), steps_(steps) {
    doc_ = inner_->doc();
    pass_over();
  }
  std::uint32_t next() override {
    doc_ = inner_->next();
    return pass_over();
  }
  std::uint32_t seek(std::uint32_t target) override {
    if (doc_ >= target) return doc_;
    doc_ = inner_->seek(target);
    return pass_over();
  }
  float score() override { return inner_->score() + more_; }
  std::uint64_t cost() const override { return inner_->cost(); }

 private:
  std::uint32_t pass_over() {
    for (; doc_ != no_more; doc_ = inner_->next()) {
      if (!steps_.go_on()) return doc_ = no_more;
      const bool fits = std::all_of(checks_.begin(), checks_.end(), [&](const WantedCheck& one) {
        return one.check->fits(doc_) == one.wanted;
      });
      if (fits) break;
    }
    return doc_;
  }
  ScorerPtr inner_;
  std::vector<WantedCheck> checks_;
  float more_;
  os::Steps& steps_;
};

}  // namespace

ScorerPtr checked_scorer(ScorerPtr inner, std::vector<WantedCheck> checks, float more,
                         os::Steps& steps) {
  if (inner == nullptr || inner->doc() == no_more || checks.empty()) return inner;
  auto out = std::make_unique<CheckedScorer>(std::move(inner), std::move(checks), more, steps);
  return out->doc() == no_more ? ScorerPtr() : ScorerPtr(std::move(out));
}

}  // namespace cairn::index
