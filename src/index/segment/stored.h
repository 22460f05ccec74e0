// SPDX-License-Identifier: Apache-2.0
// Sources and ids of a segment's documents, as bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/segment/segment_out.h"

namespace cairn::index {

inline constexpr std::size_t stored_block_bytes = 16u << 10;  // before compression
inline constexpr std::size_t stored_block_limit = 1u << 30;   // that a reader takes
inline constexpr std::size_t ids_per_block = 128;

/// Sources, gathered in compressed blocks.
class StoredWriter {
 public:
  /// `write` receives the blocks as they fill.
  explicit StoredWriter(std::function<void(std::string_view)> write, int level);

  void add(std::string_view source);
  /// A block of another segment as it is; `documents` are in it. Ends the block being filled.
  void add_block(std::string_view compressed, std::uint32_t documents);
  /// Ends the last block. The table of blocks, for SectionKind::stored_blocks.
  std::string finish();
  /// The block being filled, and the document that it starts with. For reading before finish().
  const std::string& open_block() const { return raw_; }
  std::uint32_t open_block_start() const { return first_; }
  const std::vector<std::uint32_t>& first_documents() const { return firsts_; }
  const std::vector<std::uint64_t>& offsets() const { return offsets_; }
  std::uint64_t written() const { return written_; }

 private:
  void end_block();

  std::function<void(std::string_view)> write_;
  int level_;
  std::string raw_;
  std::uint32_t first_ = 0, next_ = 0;
  std::uint64_t written_ = 0;
  std::vector<std::uint32_t> firsts_;
  std::vector<std::uint64_t> offsets_;
};

/// The source at `index` of a decompressed block; nothing where the block is damaged.
std::optional<std::string_view> stored_at(std::string_view raw, std::uint32_t index);

/// Where blocks of sources start. Kept in memory while a segment is open.
struct StoredBlocks {
  std::vector<std::uint32_t> first_documents;
  std::vector<std::uint64_t> offsets;  // one more than blocks

  static std::optional<StoredBlocks> read(std::string_view bytes);
  std::size_t count() const { return first_documents.size(); }
  std::size_t block_of(std::uint32_t doc) const;
};

/// Ids in order of the documents, and the table that finds them.
class IdsWriter {
 public:
  void add(std::string_view id);
  void finish(SegmentOut& out);

 private:
  std::string ids_;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> hashes_;
};

/// The table from _id to document: open addressing over the hash, 16 bits of which are kept to tell
/// most strangers apart. Reads in place.
class IdTable {
 public:
  static std::optional<IdTable> read(std::string_view bytes);
  /// Calls `each` with documents that may have the id, until it returns true.
  template <class Each>
  void candidates(std::uint64_t hash, Each each) const {
    const auto print = static_cast<std::uint16_t>(hash >> 48);
    for (std::uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const std::uint32_t entry = at<std::uint32_t>(docs_, slot);
      if (entry == 0) return;
      if (at<std::uint16_t>(prints_, slot) == print && each(entry - 1)) return;
    }
  }

 private:
  template <class Number>
  static Number at(const char* from, std::uint64_t i) {
    Number v;
    __builtin_memcpy(&v, from + i * sizeof v, sizeof v);
    return v;
  }
  std::uint64_t mask_ = 0;
  const char* docs_ = nullptr;
  const char* prints_ = nullptr;
};

}  // namespace cairn::index
