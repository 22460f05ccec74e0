// SPDX-License-Identifier: Apache-2.0
// Making the vector index of one field of one segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/vectors/row_codes.h"
#include "index/vectors/vector_layout.h"
#include "os/steps.h"

namespace cairn::index {

class Assigner;

/// Takes all rows twice, in their order: first to see what they are like, then to code them.
/// Memory: six bits a dimension of every row, and 128 MiB at most for a sample. One thread.
class VectorIndexWriter {
 public:
  /// `rows` is 1 at least.
  VectorIndexWriter(const VectorRules& rules, std::size_t dims, std::uint32_t rows);
  ~VectorIndexWriter();

  /// Rows as a segment keeps them, one after the other.
  void see(std::string_view rows);
  /// Once all were seen. `start`: centroids of indices that these rows were in before (rotated, of
  /// padded() numbers), or nothing. Errors: timeout, cancelled.
  Status train(std::span<const float> start, os::Steps& steps);
  /// The same rows again, after train().
  Status add(std::string_view rows, os::Steps& steps);
  /// Whether the numbers can be coded at all: not where squares of them would not fit a float.
  bool usable() const { return usable_; }

  /// The part that a reader keeps in memory. `docs`: the document of each row where it is not its
  /// own number, else empty.
  std::string index(std::span<const std::uint32_t> docs) const;
  /// The part that a reader reads list by list.
  void fine(const std::function<void(std::string_view bytes)>& sink) const;
  /// The part that a reader reads where few rows are asked about.
  const std::string& coarse() const { return coarse_; }
  std::size_t padded() const { return rotation_.padded(); }

 private:
  struct List {
    std::uint32_t centroid = 0;
    std::uint32_t first = 0;  // in `order_`
    std::uint32_t rows = 0;
  };
  void read_row(const char* row, float* out) const;
  void measure_tail(const std::vector<std::uint32_t>& nearest);
  void append_coarse(const RowCoder& coder);
  void make_lists();
  std::string fine_list(const List& list) const;
  void append_blocks(std::string& out) const;

  VectorRules rules_;
  Rotation rotation_;
  std::size_t row_bytes_;
  std::uint32_t rows_;
  bool usable_ = true;

  std::uint32_t seen_ = 0;
  std::size_t sample_rows_ = 0;
  std::vector<float> sample_;  // rotated
  std::vector<float> centroids_;
  std::vector<float> center_;  // the mean of them
  std::vector<float> tail_;
  std::unique_ptr<Assigner> assigner_;

  // Of each row, in the order of rows.
  std::vector<std::uint32_t> nearest_;
  std::vector<float> squares_;
  std::vector<CodeFactors> signs_;
  std::string fine_;
  std::string coarse_;
  std::vector<std::uint32_t> checks_;
  // Once all were added.
  std::vector<std::uint32_t> order_;  // rows by list
  std::vector<List> lists_;
};

}  // namespace cairn::index
