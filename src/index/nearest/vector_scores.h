// SPDX-License-Identifier: Apache-2.0
// How near a stored vector is to the one that is asked for, as the platform's scores.
#pragma once

#include <cstdint>
#include <vector>

#include "index/mapping/mapping.h"

namespace cairn::index {

/// One query vector against rows of a segment.
class VectorScoring {
 public:
  /// `query` is checked and, for cosine over floats, of unit length, as the rows are. `bits`: bytes
  /// that have eight dimensions each, of which those that differ are counted.
  VectorScoring(Similarity similarity, bool bytes, std::vector<float> query, bool bits = false);

  /// A row of as many elements as the query, floats or 8-bit.
  float score(const char* row) const { return to_score(raw(row)); }
  /// The raw similarity of a row: a product, or a squared distance for l2_norm, which for bits is
  /// how many differ.
  float raw(const char* row) const;
  /// A raw similarity as vector indices order it (Nearness): less is nearer.
  float distance(float raw) const;
  /// The query as vector indices compare it: of unit length where rows are.
  std::vector<float> compared() const;
  /// The score of a raw similarity: a product, or a squared distance for l2_norm.
  float to_score(float raw) const;
  /// The score that corresponds to the `similarity` of a request (a distance for l2_norm).
  float least_score(float similarity) const;
  /// Numbers of a row.
  std::size_t dims() const { return query_.size(); }

 private:
  Similarity similarity_;
  bool bytes_;
  bool bits_;
  std::vector<float> query_;
  std::vector<std::int8_t> byte_query_;
  float squares_ = 0;
};

}  // namespace cairn::index
