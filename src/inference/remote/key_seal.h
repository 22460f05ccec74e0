// SPDX-License-Identifier: Apache-2.0
// Keeping keys of other servers, by whoever has the master key.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cairn::inference {

/// How keys of other servers are kept: sealed for one context, which opens them again.
struct KeySeal {
  std::function<std::string(std::string_view secret, std::string_view context)> seal = {};
  std::function<Result<std::string>(std::string_view sealed, std::string_view context)> open = {};
};

}  // namespace cairn::inference
