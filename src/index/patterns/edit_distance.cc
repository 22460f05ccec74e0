// SPDX-License-Identifier: Apache-2.0
#include "index/patterns/edit_distance.h"

#include <algorithm>
#include <string>

#include "base/strings.h"
#include "index/errors.h"
#include "text/words.h"

namespace cairn::index {

std::vector<char32_t> letters_of(std::string_view text) {
  std::vector<char32_t> out;
  for (std::size_t at = 0; at < text.size();) out.push_back(text::next_code_point(text, at));
  return out;
}

std::size_t edit_distance(const std::vector<char32_t>& a, const std::vector<char32_t>& b,
                          std::size_t most, bool swaps) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > most) return most + 1;
  const std::size_t more = most + 1;
  std::vector<std::size_t> before2(b.size() + 1, more), before(b.size() + 1, more),
      row(b.size() + 1, more);
  for (std::size_t j = 0; j <= std::min(b.size(), most); ++j) before[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t first = i > most ? i - most : 0;
    const std::size_t last = std::min(b.size(), i + most);
    std::size_t least = more;
    // What stands beside the band belongs to an older row.
    if (first > 0) row[first - 1] = more;
    for (std::size_t j = first; j <= last; ++j) {
      if (j == 0) {
        row[0] = i;
        least = std::min(least, i);
        continue;
      }
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, before[j] + 1, row[j - 1] + 1, more});
      if (swaps && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before2[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (last < b.size()) row[last + 1] = more;
    if (least > most) return more;
    std::swap(before2, before);
    std::swap(before, row);
  }
  return std::min(before[b.size()], more);
}

Result<std::size_t> edits_for(std::string_view fuzziness, std::size_t length) {
  std::string_view spec = fuzziness;
  std::size_t low = 3, high = 6;
  if (equals_ignore_case(spec.substr(0, 4), "AUTO")) {
    if (spec.size() > 4) {
      const auto pieces = split(spec.substr(std::min<std::size_t>(5, spec.size())), ',');
      const auto first = parse_number<std::size_t>(pieces[0]);
      const auto second = pieces.size() == 2 ? parse_number<std::size_t>(pieces[1]) : std::nullopt;
      if (spec[4] != ':' || !first || !second || *first > *second)
        return illegal_argument("failed to find low and high distance values in [" +
                                std::string(fuzziness) + "]");
      low = *first;
      high = *second;
    }
    return length < low ? std::size_t{0} : length < high ? std::size_t{1} : std::size_t{2};
  }
  const auto number = parse_number<double>(spec);
  if (!number || *number < 0 || *number > 2)
    return illegal_argument("Invalid fuzziness value: " + std::string(fuzziness));
  return static_cast<std::size_t>(*number);
}

}  // namespace cairn::index
