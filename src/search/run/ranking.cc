// SPDX-License-Identifier: Apache-2.0
// Fusion and comparison.
#include "search/run/ranking.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn::search {
namespace {

using index::SortKey;
using index::SortValue;

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

void cut(std::vector<Candidate>& list, std::size_t window) {
  if (list.size() > window) list.resize(window);
}

/// Less than, equal to or greater than zero; neither is missing.
int compare(const SortValue& a, const SortValue& b) {
  const auto number = [](const SortValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return 0.0;
  };
  const auto* text_a = std::get_if<std::string>(&a);
  const auto* text_b = std::get_if<std::string>(&b);
  if (text_a != nullptr && text_b != nullptr) return text_a->compare(*text_b);
  if ((text_a != nullptr) != (text_b != nullptr)) return text_a != nullptr ? 1 : -1;
  const auto* whole_a = std::get_if<std::int64_t>(&a);
  const auto* whole_b = std::get_if<std::int64_t>(&b);
  if (whole_a != nullptr && whole_b != nullptr)
    return *whole_a < *whole_b ? -1 : static_cast<int>(*whole_a > *whole_b);
  return number(a) < number(b) ? -1 : static_cast<int>(number(a) > number(b));
}

}  // namespace

std::vector<Candidate> fuse_ranks(std::span<const std::vector<Candidate>> lists,
                                  std::span<const float> weights, double constant,
                                  std::size_t window, os::Steps* steps) {
  struct Entry {
    double score = 0;
    std::vector<std::size_t> ranks;
  };
  std::map<Place, Entry> entries;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (std::size_t rank = 1; rank <= lists[i].size(); ++rank) {
      if (steps != nullptr && !steps->go_on(16 + lists.size())) return {};
      Entry& entry = entries[lists[i][rank - 1].place];
      entry.ranks.resize(lists.size(), nowhere);
      entry.ranks[i] = rank;
      entry.score += weights[i] / (constant + static_cast<double>(rank));
    }
  std::vector<std::pair<Place, Entry>> order(entries.begin(), entries.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.second.score != b.second.score) return a.second.score > b.second.score;
    return a.second.ranks < b.second.ranks;
  });
  std::vector<Candidate> out;
  for (const auto& [place, entry] : order)
    out.push_back({.place = place, .score = static_cast<float>(entry.score)});
  cut(out, window);
  return out;
}

void normalize(std::vector<Candidate>& list, Normalizer normalizer) {
  if (normalizer == Normalizer::none || list.empty()) return;
  if (normalizer == Normalizer::minmax) {
    const auto [least, most] = std::minmax_element(
        list.begin(), list.end(),
        [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    const float low = least->score;
    const float range = most->score - low;
    for (Candidate& hit : list) hit.score = range > 0 ? (hit.score - low) / range : 1.0f;
    return;
  }
  double squares = 0;
  for (const Candidate& hit : list) squares += static_cast<double>(hit.score) * hit.score;
  const double length = std::sqrt(squares);
  if (length > 0)
    for (Candidate& hit : list) hit.score = static_cast<float>(hit.score / length);
}

std::vector<Candidate> fuse_scores(std::span<const std::vector<Candidate>> lists,
                                   std::span<const float> weights, std::size_t window,
                                   os::Steps* steps) {
  std::map<Place, double> scores;
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const Candidate& hit : lists[i]) {
      if (steps != nullptr && !steps->go_on(16)) return {};
      scores[hit.place] += static_cast<double>(weights[i]) * hit.score;
    }
  std::vector<Candidate> out;
  for (const auto& [place, score] : scores)
    out.push_back({.place = place, .score = static_cast<float>(score)});
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  cut(out, window);
  return out;
}

bool comes_before(const Candidate& a, const Candidate& b, std::span<const SortKey> keys) {
  if (keys.empty()) {
    if (a.score != b.score) return a.score > b.score;
    return a.place < b.place;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const SortValue& x = a.sort[i];
    const SortValue& y = b.sort[i];
    const bool no_x = std::holds_alternative<std::monostate>(x);
    const bool no_y = std::holds_alternative<std::monostate>(y);
    if (no_x && no_y) continue;
    if (no_x || no_y) return no_x == keys[i].missing_first;
    if (const int order = compare(x, y); order != 0) return (order < 0) != keys[i].descending;
  }
  return a.place < b.place;
}

}  // namespace cairn::search
