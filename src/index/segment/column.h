// SPDX-License-Identifier: Apache-2.0
// A column: the whole-number values of a field, document by document, in few bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/segment/packing.h"

namespace cairn::index {

inline constexpr std::size_t column_chunk = 4096;  // values with one base and one width

/// Documents come in order, each once; their values in any order (they are kept ascending).
class ColumnWriter {
 public:
  void add(std::span<const std::int64_t> values);  // of the next document; may be empty
  std::uint32_t documents() const { return static_cast<std::uint32_t>(counts_.size()); }
  std::string finish() const;

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::int64_t> values_;
};

/// Reads a column in place: `bytes` must outlive it.
class ColumnReader {
 public:
  /// Errors: corrupt.
  static Result<ColumnReader> open(std::string_view bytes, std::string_view name);

  std::uint32_t documents() const { return documents_; }
  bool is_single() const { return starts_.count == 0; }
  std::int64_t least() const { return least_; }  // over all values; 0 where there are none
  std::int64_t greatest() const { return greatest_; }
  std::uint32_t documents_with_values() const { return present_count_; }

  bool has(std::uint32_t doc) const {
    if (present_ == nullptr) return present_count_ > 0;
    return (static_cast<unsigned char>(present_[doc / 8]) >> (doc % 8) & 1) != 0;
  }
  /// [first, second) of value(i), ascending. Empty for a document without.
  std::pair<std::uint32_t, std::uint32_t> range(std::uint32_t doc) const {
    if (!has(doc)) return {0, 0};
    if (is_single()) return {doc, doc + 1};
    return {static_cast<std::uint32_t>(starts_.get(doc)),
            static_cast<std::uint32_t>(starts_.get(doc + 1))};
  }
  std::int64_t value(std::uint32_t i) const { return values_.get(i); }
  bool has_all() const { return present_ == nullptr && present_count_ > 0; }
  /// Clears the bits of documents without a value. `words`: a bit for each document.
  void keep_present(std::vector<std::uint64_t>& words) const;
  /// False where no value of the documents [first, last] lies in [low, high]. Looks at the bounds
  /// of chunks only.
  bool may_have(std::uint32_t first, std::uint32_t last, std::int64_t low, std::int64_t high) const;
  /// Brings the values [chunk * column_chunk, ...) to `out`, which has room for column_chunk, and
  /// says how many they are. Many times as fast as one by one.
  std::size_t decode(std::size_t chunk, std::int64_t* out) const;
  /// Least and greatest of the values [chunk * column_chunk, ...).
  std::pair<std::int64_t, std::int64_t> chunk_bounds(std::size_t chunk) const {
    return {values_.base(chunk), values_.top(chunk)};
  }

 private:
  // Chunks of numbers: base, greatest, width and place of each, then the packed numbers.
  struct Packed {
    std::uint32_t count = 0;
    const char* directory = nullptr;
    const char* data = nullptr;
    static constexpr std::size_t entry = 8 + 8 + 8 + 1;
    std::int64_t base(std::size_t chunk) const { return at<std::int64_t>(chunk, 0); }
    std::int64_t top(std::size_t chunk) const { return at<std::int64_t>(chunk, 8); }
    std::int64_t get(std::size_t i) const {
      const std::size_t chunk = i / column_chunk;
      const unsigned bits = at<std::uint8_t>(chunk, 24);
      const std::int64_t low = base(chunk);
      if (bits == 0) return low;
      const char* from = data + at<std::uint64_t>(chunk, 16);
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) +
                                       unpack_one(from, i % column_chunk, bits));
    }
    template <class Number>
    Number at(std::size_t chunk, std::size_t offset) const {
      Number v;
      std::memcpy(&v, directory + chunk * entry + offset, sizeof v);
      return v;
    }
  };
  static std::optional<Packed> open_packed(std::string_view& bytes);

  std::uint32_t documents_ = 0;
  std::uint32_t present_count_ = 0;
  std::int64_t least_ = 0, greatest_ = 0;
  const char* present_ = nullptr;  // a bit a document; null: all alike (present_count_ says)
  Packed starts_;                  // of multi-valued columns
  Packed values_;
};

}  // namespace cairn::index
