// SPDX-License-Identifier: Apache-2.0
#include "index/query/bool_check.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cairn::index {
namespace {

using Checks = std::vector<std::unique_ptr<DocCheck>>;

class EveryDocument final : public DocCheck {
 public:
  bool fits(std::uint32_t) override { return true; }
};

class BoolCheck final : public DocCheck {
 public:
  BoolCheck(Checks required, Checks excluded, Checks optional, std::size_t least)
      : required_(std::move(required)),
        excluded_(std::move(excluded)),
        optional_(std::move(optional)),
        least_(least) {}
  bool fits(std::uint32_t doc) override {
    const auto fits_it = [doc](const auto& check) { return check->fits(doc); };
    if (!std::all_of(required_.begin(), required_.end(), fits_it)) return false;
    if (std::any_of(excluded_.begin(), excluded_.end(), fits_it)) return false;
    std::size_t found = 0;
    for (std::size_t i = 0; i < optional_.size() && found < least_; ++i)
      found += optional_[i]->fits(doc) ? 1 : 0;
    return found >= least_;
  }

 private:
  Checks required_, excluded_, optional_;
  std::size_t least_;
};

}  // namespace

bool only_checks(const Plan& plan) {
  if (plan.is_check()) return true;
  const BoolPlan* const all = plan.as_bool();
  if (all == nullptr) return false;
  bool any = false;
  for (const auto* list : {&all->must, &all->filter, &all->should, &all->must_not})
    for (const PlanPtr& one : *list) {
      if (one->matches_everything()) continue;
      if (!only_checks(*one)) return false;
      any = true;
    }
  return any;
}

Result<std::unique_ptr<DocCheck>> joint_check(const QueryContext& context, const Plan& plan,
                                              std::size_t segment) {
  using Made = Result<std::unique_ptr<DocCheck>>;
  if (plan.is_check()) return plan.check(context, segment);
  const BoolPlan* const all = plan.as_bool();
  if (all == nullptr) return Made(std::make_unique<EveryDocument>());
  const auto add = [&](const std::vector<PlanPtr>& plans, Checks& out) -> Status {
    for (const PlanPtr& one : plans) {
      CAIRN_TRY(auto check, joint_check(context, *one, segment));
      out.push_back(std::move(check));
    }
    return ok_status();
  };
  Checks required, excluded, optional;
  CAIRN_CHECK(add(all->must, required));
  CAIRN_CHECK(add(all->filter, required));
  CAIRN_CHECK(add(all->must_not, excluded));
  CAIRN_CHECK(add(all->should, optional));
  // As BoolPlan::scorer has it: without a clause that is required one of the others is.
  const std::size_t least =
      required.empty() ? std::max<std::size_t>(all->least_should, 1) : all->least_should;
  return Made(std::make_unique<BoolCheck>(std::move(required), std::move(excluded),
                                          std::move(optional), least));
}

}  // namespace cairn::index
