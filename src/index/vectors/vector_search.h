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

/// Bytes of fine codes that stay while a copy of `owner` lives.
struct FineCodes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};
/// Brings the fine codes of a list. Errors: reading's.
using ReadFine = std::function<Result<FineCodes>(std::uint32_t list)>;

/// A segment among those that are searched.
struct SegmentPlace {
  std::uint32_t segment = 0;  // its number, for the rows that are found
  double wanted = 10;         // how many of the wanted rows are its own, by its size
};

/// Adds to `nearest` the rows of the index that are near. Lists
/// are read from the nearest on, until those that are left hold hardly any of the rows that are
/// wanted, by what the segment knows of its own rows. Where few documents are allowed, their lists
/// alone are looked into. Errors: reading's; timeout, cancelled.
Status search_vectors(const VectorIndex& index, const VectorQuery& query,
                      const AllowedDocs& allowed, const SegmentPlace& place,
                      const ReadFine& read_fine, NearestRows& nearest, os::Steps& steps);

}  // namespace cairn::index
