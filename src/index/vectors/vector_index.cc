// SPDX-License-Identifier: Apache-2.0
#include "index/vectors/vector_index.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "index/errors.h"

namespace cairn::index {
namespace {

constexpr std::uint32_t dims_max = 4096;
constexpr std::uint32_t block_rows = 32;

// Takes arrays off the front of the bytes; null once they do not suffice.
class Cutter {
 public:
  explicit Cutter(std::string_view bytes) : rest_(bytes) {}
  template <class Number>
  const Number* take(std::uint64_t count) {
    if (failed_ || count > rest_.size() / sizeof(Number)) {
      failed_ = true;
      return nullptr;
    }
    const auto* const out = reinterpret_cast<const Number*>(rest_.data());
    rest_.remove_prefix(count * sizeof(Number));
    return out;
  }
  bool all_taken() const { return !failed_ && rest_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

bool all_below(const std::uint32_t* numbers, std::size_t count, std::uint32_t limit) {
  return std::all_of(numbers, numbers + count, [&](std::uint32_t n) { return n < limit; });
}

}  // namespace

Result<VectorIndex> VectorIndex::open(std::string_view bytes, std::uint32_t doc_count,
                                      std::uint64_t fine_length, std::string_view name) {
  const auto damaged = [&] { return corrupt_object(name, "an index of vectors is damaged"); };
  VectorIndex out;
  VectorIndexHeader& header = out.header_;
  // Sections begin at multiples of 64 bytes; what a damaged footer says may lie anywhere.
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(float) != 0) return damaged();
  if (bytes.size() < sizeof header) return damaged();
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != 1)
    return corrupt_object(name, "it has an index of vectors that this program does not know");
  if (header.nearness > 1 || header.dims == 0 || header.dims > dims_max || header.rows == 0 ||
      header.lists == 0 || header.lists > header.rows || header.blocks > header.rows ||
      header.has_docs > 1)
    return damaged();
  const std::size_t padded = out.padded_ = Rotation::padded(header.dims);
  const std::size_t centroid_blocks = (header.lists + block_rows - 1) / block_rows;
  const std::size_t places = std::size_t{header.blocks} * block_rows;
  Cutter in(bytes.substr(sizeof header));
  out.tail_ = in.take<float>(tail_steps);
  const auto* const list_rows = in.take<std::uint32_t>(header.lists);
  const auto* const fine_checks = in.take<std::uint32_t>(header.lists);
  out.radii_ = in.take<float>(header.lists);
  out.center_ = in.take<float>(padded);
  out.centroids_ = in.take<float>(header.lists * padded);
  out.centroid_blocks_ = in.take<std::uint8_t>(centroid_blocks * sign_block_bytes(padded));
  out.row_of_ = in.take<std::uint32_t>(places);
  out.place_of_ = in.take<std::uint32_t>(header.rows);
  out.row_checks_ = in.take<std::uint32_t>(header.rows);
  if (header.has_docs == 1) out.docs_ = in.take<std::uint32_t>(header.rows);
  out.blocks_ = in.take<std::uint8_t>(std::uint64_t{header.blocks} * sign_block_bytes(padded));
  if (!in.all_taken()) return damaged();

  std::uint64_t fine_offset = 0;
  std::uint32_t rows = 0;
  for (std::uint32_t i = 0; i < header.lists; ++i) {
    const std::uint32_t count = list_rows[i];
    if (count == 0 || count > header.rows - rows) return damaged();
    const auto first = static_cast<std::uint32_t>(out.list_of_block_.size());
    out.lists_.push_back({.rows = count,
                          .first_block = first,
                          .fine_offset = fine_offset,
                          .fine_check = fine_checks[i]});
    out.list_of_block_.resize(first + (count + block_rows - 1) / block_rows, i);
    fine_offset += count * fine_row_bytes(padded);
    out.mean_radius_ += out.radii_[i] / static_cast<float>(header.lists);
    rows += count;
    // Rows stand at the front of their blocks.
    if (out.list_of_block_.size() > header.blocks ||
        !all_below(out.row_of_ + std::size_t{first} * block_rows, count, header.rows))
      return damaged();
  }
  if (rows != header.rows || out.list_of_block_.size() != header.blocks ||
      fine_offset != fine_length)
    return damaged();
  for (std::uint32_t row = 0; row < header.rows; ++row)
    if (out.place_of_[row] >= places || out.row_of_[out.place_of_[row]] != row) return damaged();
  if (out.docs_ == nullptr ? header.rows != doc_count
                           : !all_below(out.docs_, header.rows, doc_count))
    return damaged();
  if (out.docs_ != nullptr && !std::is_sorted(out.docs_, out.docs_ + header.rows)) return damaged();
  return out;
}

std::uint32_t VectorIndex::first_row_of(std::uint32_t doc) const {
  if (docs_ == nullptr) return std::min(doc, header_.rows);
  return static_cast<std::uint32_t>(std::lower_bound(docs_, docs_ + header_.rows, doc) - docs_);
}

}  // namespace cairn::index
