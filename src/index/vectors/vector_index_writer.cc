// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_index_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/bytes.h"
#include "base/checksum.h"
#include "index/vectors/clusters.h"
#include "kernels/codes/codes.h"
#include "kernels/vector.h"

namespace cairn::index {
namespace {

constexpr std::size_t sample_bytes_max = 128u << 20;
constexpr std::size_t sample_rows_of_a_list = 32;
constexpr float squares_max = 1e30f;
// For the tail: queries of the sample, and lists beside each.
constexpr std::size_t tail_queries = 200;
constexpr std::size_t tail_lists = 32;

template <class Number>
void append(std::string& out, std::span<const Number> numbers) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

std::uint32_t lists_for(std::uint32_t rows) {
  return std::max<std::uint32_t>(1, rows / list_rows_mean);
}

float squares_of(const float* values, std::size_t count) {
  return kernels::dot_f32(values, values, count);
}

}  // namespace

VectorIndexWriter::VectorIndexWriter(const VectorRules& rules, std::size_t dims, std::uint32_t rows)
    : rules_(rules),
      rotation_(dims),
      row_bytes_(rules.bytes ? dims : dims * sizeof(float)),
      rows_(rows) {
  const std::size_t most = sample_bytes_max / (rotation_.padded() * sizeof(float));
  sample_rows_ = std::min<std::size_t>({rows, most, lists_for(rows) * sample_rows_of_a_list});
  sample_.reserve(sample_rows_ * rotation_.padded());
}

VectorIndexWriter::~VectorIndexWriter() = default;

void VectorIndexWriter::read_row(const char* row, float* out) const {
  const std::size_t dims = rotation_.dims();
  std::fill_n(out, rotation_.padded(), 0.0f);
  if (!rules_.bytes) {
    std::memcpy(out, row, row_bytes_);
  } else {
    for (std::size_t i = 0; i < dims; ++i) out[i] = static_cast<signed char>(row[i]);
  }
  if (rules_.unit) {
    const float squares = squares_of(out, dims);
    const float scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (std::size_t i = 0; i < dims; ++i) out[i] *= scale;
  }
  rotation_.apply(out);
}

void VectorIndexWriter::see(std::string_view rows) {
  for (; rows.size() >= row_bytes_ && usable_; rows.remove_prefix(row_bytes_), ++seen_) {
    if (!rules_.bytes) {
      std::vector<float> values(rotation_.dims());
      std::memcpy(values.data(), rows.data(), row_bytes_);
      if (!(squares_of(values.data(), values.size()) < squares_max)) usable_ = false;
    }
    // Rows at even distances.
    const std::size_t taken = sample_.size() / rotation_.padded();
    if (taken >= sample_rows_ || taken * rows_ > std::size_t{seen_} * sample_rows_) continue;
    sample_.resize(sample_.size() + rotation_.padded());
    read_row(rows.data(), sample_.data() + sample_.size() - rotation_.padded());
  }
}

Status VectorIndexWriter::train(std::span<const float> start, os::Steps& steps) {
  const std::size_t padded = rotation_.padded();
  const std::size_t count = std::min<std::size_t>(lists_for(rows_), sample_.size() / padded);
  // Of too many centroids to start from, some at even distances.
  std::vector<float> picked;
  const std::size_t known = start.size() / padded;
  for (std::size_t i = 0; i < std::min(known, count); ++i) {
    const float* const from = start.data() + i * known / std::min(known, count) * padded;
    picked.insert(picked.end(), from, from + padded);
  }
  CAIRN_TRY(centroids_, find_centroids(sample_, padded, count, picked, steps));
  center_.assign(padded, 0);
  const std::size_t centroids = centroids_.size() / padded;
  for (std::size_t i = 0; i < centroids_.size(); ++i)
    center_[i % padded] += centroids_[i] / static_cast<float>(centroids);
  assigner_ = std::make_unique<Assigner>(centroids_, padded);
  std::vector<std::uint32_t> nearest;
  assigner_->nearest(sample_, nearest);
  measure_tail(nearest);
  sample_ = {};
  nearest_.reserve(rows_);
  squares_.reserve(rows_);
  signs_.reserve(rows_);
  checks_.reserve(rows_);
  fine_.reserve(rows_ * fine_row_bytes(padded));
  coarse_.reserve(rows_ * coarse_row_bytes(padded));
  return ok_status();
}

// How much nearer rows are than their centroids say, seen from rows of other lists nearby.
void VectorIndexWriter::measure_tail(const std::vector<std::uint32_t>& nearest) {
  const std::size_t padded = rotation_.padded();
  const std::size_t lists = centroids_.size() / padded;
  std::vector<std::vector<std::uint32_t>> members(lists);
  std::vector<double> squares(lists, 0);
  for (std::uint32_t i = 0; i < nearest.size(); ++i) {
    const std::uint32_t c = nearest[i];
    members[c].push_back(i);
    squares[c] += static_cast<double>(
        kernels::l2_f32(sample_.data() + i * padded, centroids_.data() + c * padded, padded));
  }
  std::vector<std::uint64_t> counts(tail_steps, 0);
  std::uint64_t all = 0;
  std::vector<std::pair<float, std::uint32_t>> near(lists);
  const std::size_t queries = std::min<std::size_t>(tail_queries, nearest.size());
  for (std::size_t k = 0; k < queries; ++k) {
    const std::size_t query = k * nearest.size() / queries;
    const float* const q = sample_.data() + query * padded;
    const float length = std::sqrt(squares_of(q, padded));
    for (std::uint32_t c = 0; c < lists; ++c) {
      const float* const centroid = centroids_.data() + c * padded;
      near[c] = {rules_.nearness == Nearness::distance ? kernels::l2_f32(q, centroid, padded)
                                                       : -kernels::dot_f32(q, centroid, padded),
                 c};
    }
    const std::size_t some = std::min(tail_lists, lists);
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(some), near.end());
    for (std::size_t n = 0; n < some; ++n) {
      const auto [distance, c] = near[n];
      // A query's own list is always read where distances are compared; by products, any may lead.
      if (c == nearest[query] && rules_.nearness == Nearness::distance) continue;
      if (members[c].empty()) continue;
      const auto radius =
          static_cast<float>(std::sqrt(squares[c] / static_cast<double>(members[c].size())));
      for (const std::uint32_t row : members[c]) {
        if (row == query) continue;
        const float* const x = sample_.data() + row * padded;
        const bool apart = rules_.nearness == Nearness::distance;
        const float value = apart ? kernels::l2_f32(q, x, padded) : -kernels::dot_f32(q, x, padded);
        const float by = surprise(rules_.nearness, distance, radius,
                                  apart ? std::sqrt(distance) : length, value, padded);
        ++all;
        if (!(by > 0)) continue;
        // Rows that are all alike make a radius of 0, and any surprise infinite.
        const float step = std::min(by * tail_steps_of_one, static_cast<float>(tail_steps - 1));
        ++counts[static_cast<std::size_t>(step)];
      }
    }
  }
  // From counts to shares at or above each step; beyond what was seen they go on to fall by halves.
  tail_.assign(tail_steps, 0);
  std::uint64_t above = 0;
  for (std::size_t i = tail_steps; i-- > 0;) {
    above += counts[i];
    tail_[i] = all == 0 ? 1.0f : static_cast<float>(above) / static_cast<float>(all);
  }
  for (std::size_t i = 1; i < tail_steps; ++i) tail_[i] = std::max(tail_[i], tail_[i - 1] / 2);
}

Status VectorIndexWriter::add(std::string_view rows, os::Steps& steps) {
  const std::size_t padded = rotation_.padded();
  constexpr std::size_t at_once = 64;
  std::vector<float> values(at_once * padded);
  std::vector<std::uint32_t> part;
  RowCoder coder(padded, rules_.nearness);
  while (rows.size() >= row_bytes_) {
    const std::size_t count = std::min(at_once, rows.size() / row_bytes_);
    CAIRN_CHECK(steps.take(count * (1 + centroids_.size() / padded / 64)));
    for (std::size_t i = 0; i < count; ++i) {
      read_row(rows.data() + i * row_bytes_, values.data() + i * padded);
      checks_.push_back(crc32c(rows.substr(i * row_bytes_, row_bytes_)));
    }
    assigner_->nearest(std::span(values).first(count * padded), part);
    for (std::size_t i = 0; i < count; ++i) {
      coder.encode(values.data() + i * padded, centroids_.data() + part[i] * padded);
      nearest_.push_back(part[i]);
      squares_.push_back(coder.squares());
      signs_.push_back(coder.sign_factors());
      const std::size_t at = fine_.size();
      fine_.resize(at + fine_row_bytes(padded));
      coder.put_fine(reinterpret_cast<std::uint8_t*>(fine_.data() + at));
      const CodeFactors factors = coder.fine_factors();
      std::memcpy(fine_.data() + at + padded / 2, &factors, sizeof factors);
      coder.encode(values.data() + i * padded, center_.data());
      append_coarse(coder);
    }
    rows.remove_prefix(count * row_bytes_);
  }
  if (nearest_.size() == rows_) make_lists();
  return ok_status();
}

void VectorIndexWriter::append_coarse(const RowCoder& coder) {
  const std::size_t padded = rotation_.padded();
  const std::size_t at = coarse_.size();
  coarse_.resize(at + coarse_row_bytes(padded));
  coder.put_coarse(reinterpret_cast<std::uint8_t*>(coarse_.data() + at));
  const CodeFactors factors = coder.coarse_factors();
  std::memcpy(coarse_.data() + at + padded / 4, &factors, sizeof factors);
}

void VectorIndexWriter::make_lists() {
  const std::size_t centroids = centroids_.size() / rotation_.padded();
  std::vector<std::uint32_t> starts(centroids + 1, 0);
  for (const std::uint32_t c : nearest_) ++starts[c + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  order_.resize(rows_);
  std::vector<std::uint32_t> at(starts.begin(), starts.end() - 1);
  for (std::uint32_t row = 0; row < rows_; ++row) order_[at[nearest_[row]]++] = row;
  for (std::uint32_t c = 0; c < centroids; ++c) {
    // A list that came out too large becomes several with one centroid.
    for (std::uint32_t first = starts[c]; first < starts[c + 1];) {
      const std::uint32_t rows = std::min(list_rows_max, starts[c + 1] - first);
      lists_.push_back({.centroid = c, .first = first, .rows = rows});
      first += rows;
    }
  }
}

std::string VectorIndexWriter::fine_list(const List& list) const {
  const std::size_t bytes = fine_row_bytes(rotation_.padded());
  std::string out;
  out.reserve(list.rows * bytes);
  for (std::uint32_t i = 0; i < list.rows; ++i)
    out += std::string_view(fine_).substr(order_[list.first + i] * bytes, bytes);
  return out;
}

void VectorIndexWriter::fine(const std::function<void(std::string_view bytes)>& sink) const {
  for (const List& list : lists_) sink(fine_list(list));
}

void VectorIndexWriter::append_blocks(std::string& out) const {
  const std::size_t padded = rotation_.padded();
  const std::size_t fine_bytes = fine_row_bytes(padded);
  std::string block;
  for (const List& list : lists_) {
    for (std::uint32_t first = 0; first < list.rows; first += kernels::sign_block_rows) {
      block.assign(sign_block_bytes(padded), '\0');
      auto* const bytes = reinterpret_cast<std::uint8_t*>(block.data());
      auto* const factors = block.data() + padded * 4;
      for (std::uint32_t i = 0; i < std::min<std::uint32_t>(32, list.rows - first); ++i) {
        const std::uint32_t row = order_[list.first + first + i];
        const auto* const fine =
            reinterpret_cast<const std::uint8_t*>(fine_.data()) + row * fine_bytes;
        put_signs_of_fine(fine, padded, bytes, i);
        std::memcpy(factors + i * 4, &signs_[row].add, 4);
        std::memcpy(factors + 128 + i * 4, &signs_[row].factor, 4);
      }
      out += block;
    }
  }
}

std::string VectorIndexWriter::index(std::span<const std::uint32_t> docs) const {
  const std::size_t padded = rotation_.padded();
  std::vector<std::uint32_t> list_rows, fine_checks, row_of, place_of(rows_);
  std::vector<float> radii, centroids;
  for (const List& list : lists_) {
    list_rows.push_back(list.rows);
    fine_checks.push_back(crc32c(fine_list(list)));
    double squares = 0;
    for (std::uint32_t i = 0; i < list.rows; ++i) {
      const std::uint32_t row = order_[list.first + i];
      squares += static_cast<double>(squares_[row]);
      place_of[row] = static_cast<std::uint32_t>(row_of.size());
      row_of.push_back(row);
    }
    row_of.resize((row_of.size() + 31) / 32 * 32, UINT32_MAX);
    radii.push_back(static_cast<float>(std::sqrt(squares / list.rows)));
    const float* const centroid = centroids_.data() + list.centroid * padded;
    centroids.insert(centroids.end(), centroid, centroid + padded);
  }
  VectorIndexHeader header;
  header.nearness = static_cast<std::uint32_t>(rules_.nearness);
  header.rows = rows_;
  header.dims = static_cast<std::uint32_t>(rotation_.dims());
  header.lists = static_cast<std::uint32_t>(lists_.size());
  header.blocks = static_cast<std::uint32_t>(row_of.size() / 32);
  header.has_docs = docs.empty() ? 0 : 1;
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  append<float>(out, tail_);
  append<std::uint32_t>(out, list_rows);
  append<std::uint32_t>(out, fine_checks);
  append<float>(out, radii);
  append<float>(out, center_);
  append<float>(out, centroids);
  // The centroids are coded too, so that the nearest of many are found as rows are.
  RowCoder coder(padded, rules_.nearness);
  for (std::size_t first = 0; first < lists_.size(); first += 32) {
    std::string block(sign_block_bytes(padded), '\0');
    for (std::size_t i = 0; i < std::min<std::size_t>(32, lists_.size() - first); ++i) {
      coder.encode(centroids.data() + (first + i) * padded, center_.data());
      coder.put_signs(reinterpret_cast<std::uint8_t*>(block.data()), i);
      const CodeFactors factors = coder.sign_factors();
      std::memcpy(block.data() + padded * 4 + i * 4, &factors.add, 4);
      std::memcpy(block.data() + padded * 4 + 128 + i * 4, &factors.factor, 4);
    }
    out += block;
  }
  append<std::uint32_t>(out, row_of);
  append<std::uint32_t>(out, place_of);
  append<std::uint32_t>(out, checks_);
  append<std::uint32_t>(out, docs);
  append_blocks(out);
  return out;
}

}  // namespace cairn::index
