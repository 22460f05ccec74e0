// SPDX-License-Identifier: Apache-2.0
// Looking at documents one by one, after everything else has said which ones.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "index/query/scorer.h"
#include "os/steps.h"

namespace cairn::index {

/// Of one segment; one thread. Documents may come in any order.
class DocCheck {
 public:
  virtual ~DocCheck() = default;
  virtual bool fits(std::uint32_t doc) = 0;
};

struct WantedCheck {
  std::unique_ptr<DocCheck> check;
  bool wanted = true;  // false: documents that fit are left out
};

/// The documents of `inner` that are as the checks want them; each scores `more` more. A check sees
/// no document that is not one of `inner`.
ScorerPtr checked_scorer(ScorerPtr inner, std::vector<WantedCheck> checks, float more,
                         os::Steps& steps);

}  // namespace cairn::index
