// SPDX-License-Identifier: Apache-2.0
// How many optional clauses must match: numbers, percentages and conditions.
#include <algorithm>
#include <cmath>

#include "base/strings.h"
#include "index/errors.h"
#include "index/query/plan.h"

namespace cairn::index {

Result<std::size_t> minimum_should_match(std::string_view spec, std::size_t optional) {
  const auto wrong = [&] {
    return illegal_argument("Failed to parse minimum_should_match [" + std::string(spec) + "]");
  };
  const auto simple = [&](std::string_view text) -> Result<std::size_t> {
    text = trim(text);
    const bool percent = text.ends_with('%');
    const auto number = parse_number<int>(percent ? text.substr(0, text.size() - 1) : text);
    if (!number) return wrong();
    const auto all = static_cast<double>(optional);
    double result = *number;
    // Percentages round down; a negative one says how many may be missing.
    if (percent) result = std::trunc(all * *number / 100.0);
    if (*number < 0) result = all + result;
    return static_cast<std::size_t>(std::clamp(result, 0.0, 1e9));
  };
  if (spec.find('<') == std::string_view::npos) return simple(spec);
  Result<std::size_t> chosen = optional;  // with few clauses all are needed
  for (const auto piece : split(trim(spec), ' ')) {
    if (piece.empty()) continue;
    const auto sign = piece.find('<');
    const auto bound = parse_number<std::size_t>(piece.substr(0, sign));
    if (sign == std::string_view::npos || !bound) return wrong();
    if (optional <= *bound) break;
    chosen = simple(piece.substr(sign + 1));
    if (!chosen) return chosen;
  }
  return chosen;
}

}  // namespace cairn::index
