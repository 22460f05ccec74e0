// SPDX-License-Identifier: Apache-2.0
// Reading the postings of one term, block by block.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "index/segment/packing.h"
#include "index/segment/segment_file.h"
#include "index/segment/segment_format.h"

namespace cairn::index {

inline constexpr std::uint32_t no_more = UINT32_MAX;  // no document any more

/// Where the postings of a term are, and how many.
struct TermEntry {
  std::uint32_t doc_freq = 0;
  std::uint64_t total_freq = 0;
  std::uint64_t postings_offset = 0, postings_length = 0;    // in the field's section
  std::uint64_t positions_offset = 0, positions_length = 0;  // in the field's section
  std::uint64_t ordinal = 0;
};

/// Whole blocks of 128 documents, and the rest as a last block. Bytes that are damaged end the list
/// early (`damaged()`), they are never read beyond.
class PostingsCursor {
 public:
  PostingsCursor() = default;
  PostingsCursor(TermsKind kind, const TermEntry& entry, Bytes postings) {
    open(kind, entry, std::move(postings));
  }
  /// The same in place: what was open before is forgotten.
  void open(TermsKind kind, const TermEntry& entry, Bytes postings);
  /// Lets go of the bytes: there are no blocks any more.
  void close();

  std::uint32_t doc_freq() const { return doc_freq_; }
  std::uint32_t block_count() const { return blocks_; }
  bool has_blocks() const { return has_directory_; }
  /// Of block `b`. Without a directory the one block is loaded at construction.
  std::uint32_t last_doc(std::uint32_t b) const {
    return has_directory_ ? at<std::uint32_t>(last_docs_, b) : only_last_;
  }
  /// The greatest share (or weight) in block `b`; only with has_blocks().
  float bound(std::uint32_t b) const { return at<float>(bounds_, b); }
  /// The bounds from block `b` on, as bytes; only with has_blocks().
  const char* bounds(std::uint32_t b) const { return bounds_ + sizeof(float) * b; }
  std::uint64_t positions_start(std::uint32_t b) const {
    return has_directory_ ? at<std::uint64_t>(positions_, b) : 0;
  }

  /// Makes documents (and, when asked, frequencies) of block `b` current.
  void load(std::uint32_t b);
  void load_freqs();
  std::uint32_t loaded() const { return loaded_; }
  std::uint32_t count() const { return count_; }  // of the current block
  const Block& docs() const { return docs_; }     // filled up with no_more
  const Block& freqs() const { return freqs_; }   // after load_freqs()
  /// One frequency of the current block, without the others.
  std::uint32_t freq_at(std::uint32_t i) const;
  bool damaged() const { return damaged_; }

  /// The first block, not before `from`, whose last document is at least `doc`.
  std::uint32_t seek_block(std::uint32_t from, std::uint32_t doc) const;

 private:
  template <class Number>
  static Number at(const char* from, std::size_t i) {
    Number v;
    std::memcpy(&v, from + i * sizeof v, sizeof v);
    return v;
  }
  void load_tail(std::string_view bytes, std::uint32_t before, std::uint32_t count);
  void fail();

  TermsKind kind_ = TermsKind::plain;
  std::uint32_t doc_freq_ = 0;
  std::uint32_t blocks_ = 0;
  bool has_directory_ = false;
  bool damaged_ = false;
  bool freqs_loaded_ = false;
  std::uint32_t loaded_ = no_more;
  std::uint32_t count_ = 0;
  std::uint32_t only_last_ = no_more;
  const char* last_docs_ = nullptr;
  const char* offsets_ = nullptr;
  const char* bounds_ = nullptr;
  const char* positions_ = nullptr;
  std::string_view body_;
  Bytes bytes_;
  alignas(64) Block docs_;
  alignas(64) Block freqs_;
};

/// Document by document over a PostingsCursor. Starts on the first.
class PostingsIterator {
 public:
  PostingsIterator() = default;
  explicit PostingsIterator(PostingsCursor cursor) : cursor_(std::move(cursor)) { enter(0); }

  std::uint32_t doc() const { return doc_; }
  std::uint32_t next();
  /// To the first document at or after `target`; stays where that is doc().
  std::uint32_t seek(std::uint32_t target);
  std::uint32_t freq() {
    cursor_.load_freqs();
    return cursor_.freqs()[index_];
  }
  PostingsCursor& cursor() { return cursor_; }
  const PostingsCursor& cursor() const { return cursor_; }
  std::uint32_t index_in_block() const { return index_; }

 private:
  std::uint32_t enter(std::uint32_t block);
  PostingsCursor cursor_;
  std::uint32_t doc_ = no_more;
  std::uint32_t index_ = 0;
};

/// The positions of one term in the documents of a PostingsIterator.
class PositionsReader {
 public:
  PositionsReader() = default;
  explicit PositionsReader(Bytes positions) : bytes_(std::move(positions)) {}
  /// Positions in the iterator's current document, ascending.
  void read(PostingsIterator& at, std::vector<std::uint32_t>& out);

 private:
  Bytes bytes_;
  std::uint32_t block_ = no_more;
  std::uint32_t next_index_ = 0;  // of the document whose positions come next
  std::size_t next_byte_ = 0;
};

}  // namespace cairn::index
