// SPDX-License-Identifier: Apache-2.0
// The nearest rows of one segment by its vector index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "index/vectors/vector_index.h"
#include "index/vectors/vector_query.h"
#include "os/steps.h"

namespace cairn::index {

/// Which documents may be found, as words of bits; null: all.
struct AllowedDocs {
  const std::uint64_t* passing = nullptr;  // what a filter lets pass; live ones alone
  const std::uint64_t* deleted = nullptr;
  std::uint32_t count = 0;      // that may be found
  std::uint32_t documents = 0;  // of the segment

  bool test(std::uint32_t doc) const {
    if (passing != nullptr) return (passing[doc / 64] >> (doc % 64) & 1) != 0;
    return deleted == nullptr || (deleted[doc / 64] >> (doc % 64) & 1) == 0;
  }
};

/// Bytes of codes that stay while a copy of `owner` lives.
struct CodeBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};
/// Where codes come from. Errors: reading's.
struct CodeReader {
  /// The fine codes of a list.
  std::function<Result<CodeBytes>(std::uint32_t list)> fine;
  /// The coarse codes of rows [first, first + count); null where the segment has none, or they are
  /// too many to stay in memory.
  std::function<Result<CodeBytes>(std::uint32_t first, std::uint32_t count)> coarse = {};
  /// How far a row is from the query, by its own numbers. Asked where `coarse` is null.
  std::function<Result<float>(std::uint32_t row)> distance = {};
};

/// A segment among those that are searched.
struct SegmentPlace {
  std::uint32_t segment = 0;  // its number, for the rows that are found
  double wanted = 10;         // how many of the wanted rows are its own, by its size
};

/// Adds to `nearest` the rows of the index that are near. Lists
/// are read from the nearest on, until those that are left hold hardly any of the rows that are
/// wanted, by what the segment knows of its own rows. Where few documents are allowed, their rows
/// alone are looked at: by their coarse codes, or by their signs and themselves. Errors: reading's;
/// timeout, cancelled.
Status search_vectors(const VectorIndex& index, const VectorQuery& query,
                      const AllowedDocs& allowed, const SegmentPlace& place,
                      const CodeReader& codes, NearestRows& nearest, os::Steps& steps);

}  // namespace cairn::index
