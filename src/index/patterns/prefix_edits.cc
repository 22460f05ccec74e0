// SPDX-License-Identifier: Apache-2.0
#include "index/patterns/prefix_edits.h"

#include <algorithm>

#include "text/words.h"

namespace cairn::index {
namespace {

/// The units of a text, and where each begins.
void take_apart(std::string_view text, bool code_points, std::vector<char32_t>& units,
                std::vector<std::size_t>& starts) {
  units.clear();
  starts.clear();
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    units.push_back(code_points ? text::next_code_point(text, at)
                                : static_cast<unsigned char>(text[at++]));
  }
  starts.push_back(text.size());
}

}  // namespace

PrefixEdits::PrefixEdits(std::string_view wanted, const EditRules& rules)
    : rules_(rules), far_(static_cast<std::uint8_t>(rules.edits + 1)) {
  take_apart(wanted, rules.code_points, wanted_, bytes_);
  const std::size_t exact = std::min(rules.exact, wanted_.size());
  exact_.assign(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(exact));
  wanted_.erase(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(exact));
  Row first(wanted_.size() + 1);
  for (std::size_t i = 0; i < first.size(); ++i)
    first[i] = static_cast<std::uint8_t>(std::min<std::size_t>(i, far_));
  rows_.push_back(std::move(first));
  bytes_.assign(1, 0);
}

Beginning PrefixEdits::at(std::size_t units, Beginning::Kind kind) const {
  return {.kind = kind, .bytes = bytes_[std::min(units, text_.size())]};
}

std::size_t PrefixEdits::agreed(std::string_view text) const {
  std::vector<char32_t> units;
  std::vector<std::size_t> starts;
  take_apart(text, rules_.code_points, units, starts);
  std::size_t count = 0;
  const auto wanted = [&](std::size_t i) {
    return i < exact_.size() ? exact_[i] : wanted_[i - exact_.size()];
  };
  const std::size_t most = std::min(units.size(), exact_.size() + wanted_.size());
  while (count < most && units[count] == wanted(count)) ++count;
  return count;
}

/// The row behind `depth` units that may be edited.
PrefixEdits::Row PrefixEdits::next_row(std::size_t depth) const {
  const Row& before = rows_[depth];
  const std::size_t at = exact_.size() + depth;
  const char32_t unit = text_[at];
  Row out(before.size());
  out[0] = static_cast<std::uint8_t>(std::min<std::size_t>(depth + 1, far_));
  for (std::size_t i = 1; i < out.size(); ++i) {
    unsigned least = before[i - 1] + (wanted_[i - 1] == unit ? 0u : 1u);
    least = std::min({least, before[i] + 1u, out[i - 1] + 1u});
    const bool swapped = rules_.swaps && depth > 0 && i > 1 && wanted_[i - 2] == unit &&
                         wanted_[i - 1] == text_[at - 1];
    if (swapped) least = std::min(least, rows_[depth - 1][i - 2] + 1u);
    out[i] = static_cast<std::uint8_t>(std::min<unsigned>(least, far_));
  }
  return out;
}

Beginning PrefixEdits::beginning(std::string_view text) {
  std::vector<char32_t> units;
  std::vector<std::size_t> starts;
  take_apart(text, rules_.code_points, units, starts);
  const auto differs = std::mismatch(units.begin(), units.end(), text_.begin(), text_.end());
  const auto common = static_cast<std::size_t>(differs.first - units.begin());
  text_.swap(units);
  bytes_.swap(starts);
  for (std::size_t i = 0; i < exact_.size(); ++i) {
    if (i >= text_.size()) return {};
    if (text_[i] != exact_[i]) return at(i + 1, Beginning::Kind::never);
  }
  // Rows behind what is common are of another text.
  const std::size_t kept = common > exact_.size() ? common - exact_.size() : 0;
  if (rows_.size() > kept + 1) rows_.resize(kept + 1);
  for (std::size_t depth = 0;; ++depth) {
    if (depth >= rows_.size()) rows_.push_back(next_row(depth - 1));
    const Row& row = rows_[depth];
    const std::size_t at_unit = exact_.size() + depth;
    if (row.back() < far_) return at(at_unit, Beginning::Kind::fits);
    if (*std::min_element(row.begin(), row.end()) >= far_)
      return at(at_unit, Beginning::Kind::never);
    if (at_unit >= text_.size()) return {};
  }
}

}  // namespace cairn::index
