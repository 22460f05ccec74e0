// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace cairn::index {
namespace {

// Estimates by signs may be so many deviations off before a row is missed.
constexpr float sign_slack = 2.0f;
// The share of the wanted rows that may be expected in lists that are left out.
// Products follow no neighbourhood.
constexpr double missed_share = 0.1;
constexpr double missed_share_of_products = 0.02;
// What lists held of late, beside what was expected of them, says how far expectations are to be
// trusted: so many lists are read at least, each weighs so much less than the next, and so many
// rows count as seen and expected before the first.
constexpr std::size_t lists_read_first = 4;
constexpr double earlier_weight = 0.7;
constexpr double rows_presumed = 0.5;
// Lists that are put in order at first; eight times as many whenever those do not suffice.
constexpr std::size_t lists_ordered_first = 64;
// Allowed documents are looked up one by one where that is sooner done than looking through lists
// for them, which takes the longer the fewer they are: so many rows, measured, divided by their
// share. The square of the number at which both take as long is this times the documents.
constexpr double few_squared = 1000;
// Estimates by coarse codes may be so many deviations off.
constexpr float coarse_slack = 1.5f;
// Bytes of coarse codes that are read at a time, rows that are looked at closely first, and
// rows that are fetched ahead.
constexpr std::size_t coarse_window_bytes = 256u << 10;
constexpr std::size_t looked_at_first = 64;
constexpr std::size_t rows_ahead = 8;

struct Near {
  float distance;
  std::uint32_t list;
  friend bool operator<(const Near& a, const Near& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.list < b.list;
  }
};

class Search {
 public:
  Search(const VectorIndex& index, const VectorQuery& query, const AllowedDocs& allowed,
         const SegmentPlace& place, const CodeReader& codes, NearestRows& nearest, os::Steps& steps)
      : index_(index),
        query_(query),
        allowed_(allowed),
        place_(place),
        codes_(codes),
        nearest_(nearest),
        steps_(steps) {}

  Status run() {
    if (allowed_.count == 0) return ok_status();
    const double count = allowed_.count;
    if (allowed_.passing != nullptr &&
        count * count < few_squared * static_cast<double>(allowed_.documents))
      return look_through();
    CAIRN_CHECK(estimate_lists());
    for (std::size_t wanted = lists_ordered_first;; wanted *= 8) {
      const bool all = order_lists(wanted);
      CAIRN_TRY(const bool enough, probe(all));
      if (enough || all) return ok_status();
    }
  }

 private:
  // Distances to the centroids by their signs.
  Status estimate_lists() {
    estimates_.resize((index_.lists() + 31) / 32 * 32);
    CAIRN_CHECK(steps_.take(1 + index_.lists() / 8));
    const auto signs = query_.signs(query_.distance(index_.center()), 0);
    for (std::size_t b = 0; b * 32 < index_.lists(); ++b) {
      const std::uint8_t* const block = index_.centroid_block(b);
      const auto* const factors = reinterpret_cast<const float*>(block + index_.padded() * 4);
      kernels::code_kernels().sign_block(signs, block, factors, factors + 32, 0,
                                         estimates_.data() + b * 32);
    }
    for (std::uint32_t i = 0; i < index_.lists(); ++i)
      if (std::isnan(estimates_[i])) estimates_[i] = std::numeric_limits<float>::infinity();
    return ok_status();
  }

  // Puts the next lists in order by their true distances, after those that were probed. True where
  // none is left behind them.
  bool order_lists(std::size_t wanted) {
    if (rest_.empty() && order_.empty()) {
      rest_.reserve(index_.lists());
      for (std::uint32_t i = 0; i < index_.lists(); ++i) rest_.push_back({estimates_[i], i});
    }
    const std::size_t count = std::min(wanted, rest_.size());
    if (count < rest_.size())
      std::nth_element(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count),
                       rest_.end());
    order_.assign(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count));
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count));
    rest_nearest_ = order_.empty() ? 0 : std::max_element(order_.begin(), order_.end())->distance;
    for (Near& near : order_) near.distance = query_.distance(index_.centroid(near.list));
    std::sort(order_.begin(), order_.end());
    return rest_.empty();
  }

  float expected_in(const Near& near, float limit) const {
    const float length = query_.length(std::max(near.distance, 0.0f));
    const auto rows = static_cast<float>(index_.list(near.list).rows);
    return rows * index_.tail(surprise(index_.nearness(), near.distance, index_.radius(near.list),
                                       length, limit, index_.padded()));
  }

  // The same of all lists that are not in order, as if they were as near as the nearest of them.
  double expected_behind(float limit) const {
    const float length = query_.length(std::max(rest_nearest_, 0.0f));
    return static_cast<double>(
        static_cast<float>(index_.rows()) *
        index_.tail(surprise(index_.nearness(), rest_nearest_, index_.mean_radius(), length, limit,
                             index_.padded())));
  }

  // Whether the lists from `next` on, and those not yet in order, hold fewer than `most` rows below
  // the limit, by expectation.
  bool hardly_any_left(std::size_t next, double most) const {
    const float limit = nearest_.wanted_limit();
    double sum = 0;
    for (std::size_t i = next; i < order_.size(); ++i) {
      sum += static_cast<double>(expected_in(order_[i], limit));
      if (sum > most) return false;
    }
    if (rest_.empty() || sum + expected_behind(limit) <= most) return true;
    for (const Near& near : rest_) {
      sum += static_cast<double>(expected_in(near, limit));
      if (sum > most) return false;
    }
    return true;
  }

  // The share of rows in the lists probed last that are allowed, and of all.
  double allowed_share() const {
    const double of_all = static_cast<double>(allowed_.count) /
                          static_cast<double>(std::max<std::uint32_t>(allowed_.documents, 1));
    return std::clamp(2 * std::max(of_all, recent_share_), 1e-6, 1.0);
  }

  // How many rows may be missed here, where so large a share of the wanted may be in all.
  double may_miss(double share) const { return share * place_.wanted; }

  Result<bool> probe(bool all) {
    const double most =
        may_miss(index_.nearness() == Nearness::product ? missed_share_of_products : missed_share);
    std::size_t check = lists_read_first;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i >= check && nearest_.has_wanted()) {
        if (hardly_any_left(i, most / allowed_share() / surplus())) return true;
        check = i + std::max<std::size_t>(1, i / 3);
      }
      const bool judged = nearest_.has_wanted();
      const float expected = judged ? expected_in(order_[i], nearest_.wanted_limit()) : 0;
      CAIRN_TRY(const std::uint32_t found, probe_list(order_[i]));
      if (!judged) continue;
      seen_ = earlier_weight * seen_ + found;
      expected_ = earlier_weight * expected_ + static_cast<double>(expected) * allowed_share();
    }
    return all || (nearest_.has_wanted() &&
                   hardly_any_left(order_.size(), most / allowed_share() / surplus()));
  }

  // How many times as many rows were found as was expected. Neighbours of a crowd that has several
  // lists share its directions, and lie nearer to each other than most lists' rows do.
  double surplus() const {
    return std::max(1.0, (seen_ + rows_presumed) / (expected_ + rows_presumed));
  }

  // The rows of the list that are nearer than the last of the wanted ones was before.
  Result<std::uint32_t> probe_list(const Near& near) {
    const VectorIndex::List& list = index_.list(near.list);
    CAIRN_CHECK(steps_.take(1 + list.rows / 8));
    nearest_.count_compared(list.rows);
    const float distance = near.distance;
    const auto signs = query_.signs(std::max(distance, lowest()), sign_slack);
    CodeBytes fine;
    float values[kernels::sign_block_rows];
    const float limit = nearest_.wanted_limit();
    std::uint32_t met = 0, passed = 0, found = 0;
    for (std::uint32_t first = 0; first < list.rows; first += 32) {
      const std::size_t at = list.first_block + first / 32;
      const std::uint8_t* const block = index_.block(at);
      const auto* const factors = reinterpret_cast<const float*>(block + index_.padded() * 4);
      std::uint32_t below = kernels::code_kernels().sign_block(signs, block, factors, factors + 32,
                                                               nearest_.limit(), values);
      if (list.rows - first < 32) below &= (std::uint32_t{1} << (list.rows - first)) - 1;
      for (; below != 0; below &= below - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(below));
        if (!(values[i] < nearest_.limit())) continue;
        const std::uint32_t row = index_.row_at(at * 32 + i);
        const std::uint32_t doc = index_.doc_of(row);
        ++met;
        if (!allowed_.test(doc)) continue;
        ++passed;
        CAIRN_CHECK(steps_.take(1));
        if (fine.bytes.empty()) {
          CAIRN_TRY(fine, codes_.fine(near.list));
        }
        if (add(fine, first + i, distance, row, doc) < limit) ++found;
      }
    }
    if (met > 0)
      recent_share_ =
          0.7 * recent_share_ + 0.3 * static_cast<double>(passed) / static_cast<double>(met);
    return found;
  }

  float lowest() const {
    return index_.nearness() == Nearness::distance ? 0.0f : -std::numeric_limits<float>::infinity();
  }

  // Gives the row's estimate.
  float add(const CodeBytes& fine, std::uint32_t at, float distance, std::uint32_t row,
            std::uint32_t doc) {
    const auto* const code = reinterpret_cast<const std::uint8_t*>(fine.bytes.data()) +
                             at * fine_row_bytes(index_.padded());
    const auto estimate = query_.estimate(distance, code);
    if (estimate.distance <= nearest_.limit())
      nearest_.add({.distance = estimate.distance,
                    .error = estimate.error,
                    .segment = place_.segment,
                    .row = row,
                    .doc = doc});
    return estimate.distance;
  }

  // Calls `each(row)` for the rows of the allowed documents, in order.
  template <class Each>
  void for_allowed_rows(Each each) const {
    const std::size_t words = (std::size_t{allowed_.documents} + 63) / 64;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t word = allowed_.passing[w]; word != 0; word &= word - 1) {
        const auto doc =
            static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
        for (std::uint32_t row = index_.first_row_of(doc);
             row < index_.rows() && index_.doc_of(row) == doc; ++row)
          each(row);
      }
    }
  }

  // A row, and how near it may be by its code.
  struct Candidate {
    float least;
    std::uint32_t row;
    friend bool operator<(const Candidate& a, const Candidate& b) {
      return a.least != b.least ? a.least < b.least : a.row < b.row;
    }
  };

  // The allowed rows by their coarse codes, and the fine ones of those that may be near; neither
  // asks for lists in order, and hardly any for a centroid. Without coarse codes by their signs,
  // which are in memory, and by the rows themselves: the fine codes of a whole list are more to
  // read than one row is.
  Status look_through() {
    std::vector<std::uint32_t> rows;
    rows.reserve(allowed_.count);
    for_allowed_rows([&](std::uint32_t row) { rows.push_back(row); });
    if (rows.empty()) return ok_status();
    nearest_.count_compared(rows.size());
    std::vector<Candidate> near(rows.size());
    distances_.assign(index_.lists(), std::numeric_limits<float>::quiet_NaN());
    CAIRN_CHECK(codes_.coarse ? estimate_by_coarse(rows, near) : estimate_by_signs(rows, near));
    const auto first = least_of(near);
    CAIRN_CHECK(add_rows(first));
    std::vector<Candidate> others;
    for (const Candidate& candidate : near)
      if (candidate.least < nearest_.limit() && first.back() < candidate)
        others.push_back(candidate);
    std::sort(others.begin(), others.end());
    return add_rows(others);
  }

  // The first of them, in order: they bring the limit down.
  static std::vector<Candidate> least_of(const std::vector<Candidate>& near) {
    std::vector<Candidate> out;
    for (const Candidate& candidate : near) {
      if (out.size() == looked_at_first) {
        if (!(candidate < out.front())) continue;
        std::pop_heap(out.begin(), out.end());
        out.pop_back();
      }
      out.push_back(candidate);
      std::push_heap(out.begin(), out.end());
    }
    std::sort_heap(out.begin(), out.end());
    return out;
  }

  // Of rows in order, until none may be near.
  Status add_rows(const std::vector<Candidate>& rows) {
    for (const Candidate& row : rows) {
      if (!(row.least < nearest_.limit())) break;
      CAIRN_CHECK(add_row(row.row));
    }
    return ok_status();
  }

  float distance_of_list(std::uint32_t list) {
    float& distance = distances_[list];
    if (std::isnan(distance)) distance = query_.distance(index_.centroid(list));
    return distance;
  }

  Status estimate_by_signs(const std::vector<std::uint32_t>& rows, std::vector<Candidate>& near) {
    float values[kernels::sign_block_rows];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r % 32 == 0) CAIRN_CHECK(steps_.take(32));
      const std::uint32_t place = index_.place_of(rows[r]);
      const float distance = distance_of_list(index_.list_of_block(place / 32));
      const auto signs = query_.signs(std::max(distance, lowest()), sign_slack);
      const std::uint8_t* const block = index_.block(place / 32);
      const auto* const factors = reinterpret_cast<const float*>(block + index_.padded() * 4);
      kernels::code_kernels().sign_block(signs, block, factors, factors + 32, 0, values);
      const float least = values[place % 32];
      near[r] = {std::isnan(least) ? std::numeric_limits<float>::infinity() : least, rows[r]};
    }
    return ok_status();
  }

  Status estimate_by_coarse(const std::vector<std::uint32_t>& rows, std::vector<Candidate>& near) {
    const float center = query_.distance(index_.center());
    const std::size_t bytes = coarse_row_bytes(index_.padded());
    const auto window =
        static_cast<std::uint32_t>(std::max<std::size_t>(1, coarse_window_bytes / bytes));
    for (std::size_t i = 0; i < rows.size();) {
      const std::uint32_t first = rows[i] / window * window;
      const std::uint32_t count = std::min(window, index_.rows() - first);
      CAIRN_TRY(const CodeBytes codes, codes_.coarse(first, count));
      const auto* const base = reinterpret_cast<const std::uint8_t*>(codes.bytes.data());
      const std::size_t begin = i;
      while (i < rows.size() && rows[i] - first < count) ++i;
      CAIRN_CHECK(steps_.take(1 + (i - begin) / 4));
      for (std::size_t r = begin; r < i; ++r) {
        if (r + rows_ahead < i) {
          const std::uint8_t* const ahead = base + (rows[r + rows_ahead] - first) * bytes;
          __builtin_prefetch(ahead);
          __builtin_prefetch(ahead + bytes - 1);
        }
        const auto estimate = query_.estimate_coarse(center, base + (rows[r] - first) * bytes);
        const float least = estimate.distance - coarse_slack * estimate.error;
        // Damaged numbers compare as far away.
        near[r] = {std::isnan(least) ? std::numeric_limits<float>::infinity() : least, rows[r]};
      }
    }
    return ok_status();
  }

  Status add_row(std::uint32_t row) {
    CAIRN_CHECK(steps_.take(2));
    const std::uint32_t doc = index_.doc_of(row);
    if (!codes_.coarse) {
      CAIRN_TRY(const float distance, codes_.distance(row));
      if (distance <= nearest_.limit())
        nearest_.add({.distance = distance, .segment = place_.segment, .row = row, .doc = doc});
      return ok_status();
    }
    const std::uint32_t place = index_.place_of(row);
    const std::uint32_t list = index_.list_of_block(place / 32);
    CAIRN_TRY(const CodeBytes fine, codes_.fine(list));
    add(fine, place - index_.list(list).first_block * 32, distance_of_list(list), row, doc);
    return ok_status();
  }

  const VectorIndex& index_;
  const VectorQuery& query_;
  const AllowedDocs& allowed_;
  const SegmentPlace& place_;
  const CodeReader& codes_;
  NearestRows& nearest_;
  os::Steps& steps_;
  std::vector<float> estimates_;  // of lists
  std::vector<Near> order_;       // by true distance
  std::vector<Near> rest_;        // by estimate, in no order
  float rest_nearest_ = 0;        // no estimate in `rest_` is less
  double recent_share_ = 0;
  double seen_ = 0, expected_ = 0;  // rows of the lists read of late
  std::vector<float> distances_;    // of lists that were asked for; else no number
};

}  // namespace

Status search_vectors(const VectorIndex& index, const VectorQuery& query,
                      const AllowedDocs& allowed, const SegmentPlace& place,
                      const CodeReader& codes, NearestRows& nearest, os::Steps& steps) {
  return Search(index, query, allowed, place, codes, nearest, steps).run();
}

}  // namespace cairn::index
