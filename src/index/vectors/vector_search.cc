// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace cairn::index {
namespace {

// Estimates by signs may be so many deviations off before a row is missed.
constexpr float sign_slack = 2.0f;
// The share of the wanted rows that may be expected in lists that are left out.
// Products follow no neighbourhood, and few documents may all lie where no others do.
constexpr double missed_share = 0.1;
constexpr double missed_share_of_products = 0.02;
constexpr double missed_share_of_few = 0.02;
// Lists that are put in order at first; eight times as many whenever those do not suffice.
constexpr std::size_t lists_ordered_first = 64;
// Allowed documents are looked up one by one where that is sooner done than looking through lists
// for them, which takes the longer the fewer they are: so many rows, measured, divided by their
// share. The square of the number at which both take as long is this times the documents.
constexpr double few_squared = 500;

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
         const SegmentPlace& place, const ReadFine& read_fine, NearestRows& nearest,
         os::Steps& steps)
      : index_(index),
        query_(query),
        allowed_(allowed),
        place_(place),
        read_fine_(read_fine),
        nearest_(nearest),
        steps_(steps) {}

  Status run() {
    if (allowed_.count == 0) return ok_status();
    CAIRN_CHECK(estimate_lists());
    const double count = allowed_.count;
    const bool few =
        allowed_.passing != nullptr && count * count < few_squared * allowed_.documents;
    if (few) gather_few();
    for (std::size_t wanted = lists_ordered_first;; wanted *= 8) {
      const bool all = order_lists(wanted);
      CAIRN_TRY(const bool enough, few ? look_up(all) : probe(all));
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
      for (std::uint32_t i = 0; i < index_.lists(); ++i)
        if (counts_.empty() || counts_[i] > 0) rest_.push_back({estimates_[i], i});
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
    const auto rows =
        static_cast<float>(counts_.empty() ? index_.list(near.list).rows : counts_[near.list]);
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
    std::size_t check = 1;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i >= check && nearest_.has_wanted()) {
        if (hardly_any_left(i, most / allowed_share())) return true;
        check = i + std::max<std::size_t>(1, i / 3);
      }
      CAIRN_CHECK(probe_list(order_[i]));
    }
    return all || (nearest_.has_wanted() && hardly_any_left(order_.size(), most / allowed_share()));
  }

  Status probe_list(const Near& near) {
    const VectorIndex::List& list = index_.list(near.list);
    CAIRN_CHECK(steps_.take(1 + list.rows / 8));
    nearest_.count_compared(list.rows);
    const float distance = near.distance;
    const auto signs = query_.signs(std::max(distance, lowest()), sign_slack);
    FineCodes fine;
    float values[kernels::sign_block_rows];
    std::uint32_t met = 0, passed = 0;
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
          CAIRN_TRY(fine, read_fine_(near.list));
        }
        add(fine, first + i, distance, row, doc);
      }
    }
    if (met > 0)
      recent_share_ =
          0.7 * recent_share_ + 0.3 * static_cast<double>(passed) / static_cast<double>(met);
    return ok_status();
  }

  float lowest() const {
    return index_.nearness() == Nearness::distance ? 0.0f : -std::numeric_limits<float>::infinity();
  }

  void add(const FineCodes& fine, std::uint32_t at, float distance, std::uint32_t row,
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
  }

  // The places of the allowed rows, list by list.
  void gather_few() {
    counts_.assign(index_.lists(), 0);
    std::vector<std::uint32_t> places;
    const std::size_t words = (std::size_t{allowed_.documents} + 63) / 64;
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t word = allowed_.passing[w]; word != 0; word &= word - 1) {
        const auto doc =
            static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(word)));
        for (std::uint32_t row = index_.first_row_of(doc);
             row < index_.rows() && index_.doc_of(row) == doc; ++row) {
          places.push_back(index_.place_of(row));
          ++counts_[index_.list_of_block(places.back() / 32)];
        }
      }
    }
    starts_.assign(index_.lists() + 1, 0);
    std::partial_sum(counts_.begin(), counts_.end(), starts_.begin() + 1);
    places_.resize(places.size());
    std::vector<std::uint32_t> at(starts_.begin(), starts_.end() - 1);
    for (const std::uint32_t place : places)
      places_[at[index_.list_of_block(place / 32)]++] = place;
  }

  Result<bool> look_up(bool all) {
    const double most = may_miss(missed_share_of_few);
    std::size_t check = 1;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i >= check && nearest_.has_wanted()) {
        if (hardly_any_left(i, most)) return true;
        check = i + std::max<std::size_t>(1, i / 3);
      }
      const Near& near = order_[i];
      CAIRN_CHECK(steps_.take(1 + counts_[near.list]));
      nearest_.count_compared(counts_[near.list]);
      CAIRN_TRY(const FineCodes fine, read_fine_(near.list));
      for (std::uint32_t p = starts_[near.list]; p < starts_[near.list + 1]; ++p) {
        const std::uint32_t row = index_.row_at(places_[p]);
        add(fine, places_[p] - index_.list(near.list).first_block * 32, near.distance, row,
            index_.doc_of(row));
      }
    }
    return all || (nearest_.has_wanted() && hardly_any_left(order_.size(), most));
  }

  const VectorIndex& index_;
  const VectorQuery& query_;
  const AllowedDocs& allowed_;
  const SegmentPlace& place_;
  const ReadFine& read_fine_;
  NearestRows& nearest_;
  os::Steps& steps_;
  std::vector<float> estimates_;  // of lists
  std::vector<Near> order_;       // by true distance
  std::vector<Near> rest_;        // by estimate, in no order
  float rest_nearest_ = 0;        // no estimate in `rest_` is less
  double recent_share_ = 0;
  // Where few documents are allowed: how many rows of each list, and which places.
  std::vector<std::uint32_t> counts_, starts_, places_;
};

}  // namespace

Status search_vectors(const VectorIndex& index, const VectorQuery& query,
                      const AllowedDocs& allowed, const SegmentPlace& place,
                      const ReadFine& read_fine, NearestRows& nearest, os::Steps& steps) {
  return Search(index, query, allowed, place, read_fine, nearest, steps).run();
}

}  // namespace cairn::index
