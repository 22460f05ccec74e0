// SPDX-License-Identifier: Apache-2.0
#include "index/patterns/regexp_interval.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/strings.h"

namespace cairn::index {
namespace {

using Kind = RegexpNode::Kind;

RegexpTree digit(char low, char high) {
  auto out = std::make_unique<RegexpNode>();
  out->kind = Kind::characters;
  out->ranges = {{static_cast<char32_t>(low), static_cast<char32_t>(high)}};
  return out;
}

RegexpTree digits(std::uint32_t least, std::uint32_t most, char high) {
  auto out = std::make_unique<RegexpNode>();
  out->kind = Kind::repeat;
  out->parts.push_back(digit('0', high));
  out->least = least;
  out->most = most;
  return out;
}

RegexpTree pair_of(RegexpTree first, RegexpTree second) {
  auto out = std::make_unique<RegexpNode>();
  out->parts.push_back(std::move(first));
  out->parts.push_back(std::move(second));
  return out;
}

RegexpTree any_of_parts() {
  auto out = std::make_unique<RegexpNode>();
  out->kind = Kind::any_of;
  return out;
}

/// Texts of one length between two others of that length.
RegexpTree between(std::string_view low, std::string_view high) {
  if (low.empty()) return std::make_unique<RegexpNode>();
  const auto length = static_cast<std::uint32_t>(low.size());
  const std::uint32_t rest = length - 1;
  // All there are: so that one of the two ends goes on, and the tree stays small.
  if (low.find_first_not_of('0') == std::string_view::npos &&
      high.find_first_not_of('9') == std::string_view::npos)
    return digits(length, length, '9');
  if (low[0] == high[0])
    return pair_of(digit(low[0], low[0]), between(low.substr(1), high.substr(1)));
  RegexpTree out = any_of_parts();
  out->parts.push_back(
      pair_of(digit(low[0], low[0]), between(low.substr(1), std::string(rest, '9'))));
  if (high[0] - low[0] > 1)
    out->parts.push_back(
        pair_of(digit(static_cast<char>(low[0] + 1), static_cast<char>(high[0] - 1)),
                digits(rest, rest, '9')));
  out->parts.push_back(
      pair_of(digit(high[0], high[0]), between(std::string(rest, '0'), high.substr(1))));
  return out;
}

}  // namespace

RegexpTree interval_tree(std::string_view bounds) {
  const auto dash = bounds.find('-');
  if (dash == std::string_view::npos) return nullptr;
  std::string low(bounds.substr(0, dash)), high(bounds.substr(dash + 1));
  const auto least = parse_number<std::uint32_t>(low), most = parse_number<std::uint32_t>(high);
  if (!least || !most || *least > INT32_MAX || *most > INT32_MAX || low.size() > 64 ||
      high.size() > 64)
    return nullptr;
  const bool fixed = low.size() == high.size();
  if (*least > *most) std::swap(low, high);
  if (fixed) return between(low, high);
  low = std::to_string(std::min(*least, *most));
  high = std::to_string(std::max(*least, *most));
  RegexpTree any = any_of_parts();
  for (std::size_t size = low.size(); size <= high.size(); ++size) {
    const std::string from = size == low.size() ? low : "1" + std::string(size - 1, '0');
    any->parts.push_back(between(from, size == high.size() ? high : std::string(size, '9')));
  }
  return pair_of(digits(0, RegexpNode::no_end, '0'), std::move(any));
}

}  // namespace cairn::index
