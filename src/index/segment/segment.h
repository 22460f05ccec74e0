// SPDX-License-Identifier: Apache-2.0
// Reading a segment: what is in memory once it is open, and the calls that bring the rest.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "index/segment/column.h"
#include "index/segment/postings.h"
#include "index/segment/segment_file.h"
#include "index/segment/segment_format.h"
#include "index/segment/stored.h"
#include "index/vectors/vector_index.h"
#include "os/deadline.h"

namespace cairn::index {

/// Of each block of a dictionary the greatest weight of its terms; found out when it is first asked
/// for, and kept.
struct BlockWeights {
  Mutex mutex;
  std::shared_ptr<const std::vector<std::uint32_t>> all CAIRN_GUARDED_BY(mutex);
};

/// The terms of one field.
class TermsReader {
 public:
  const FieldStatistics& statistics() const { return *statistics_; }
  TermsKind kind() const { return statistics_->terms; }
  float average_length() const;  // of the field in this segment
  std::uint64_t dictionary_bytes() const { return dictionary_->length; }

  Result<std::optional<TermEntry>> find(std::string_view term, const os::Deadline& deadline) const;
  /// The term with this ordinal (0 to term_count - 1, in order of bytes).
  Result<std::string> term_at(std::uint64_t ordinal, const os::Deadline& deadline) const;
  /// The number of terms that are less than `term`.
  Result<std::uint64_t> rank(std::string_view term, const os::Deadline& deadline) const;
  Result<PostingsCursor> postings(const TermEntry& entry, const os::Deadline& deadline) const;
  /// The same in place.
  Status open(const TermEntry& entry, PostingsCursor& cursor, const os::Deadline& deadline) const;
  Result<PositionsReader> positions(const TermEntry& entry, const os::Deadline& deadline) const;
  /// Kept here for terms of completion fields.
  BlockWeights& block_weights() const { return *block_weights_; }

 private:
  friend class Segment;
  friend class TermsWalk;
  std::size_t block_of(std::string_view term) const;  // SIZE_MAX: before the first
  std::string_view first_term(std::size_t block) const {
    return index_.substr(first_terms_[block].at, first_terms_[block].size);
  }
  Result<Bytes> block_bytes(std::size_t block, bool once, const os::Deadline& deadline) const;

  const SegmentFile* file_ = nullptr;
  const FieldStatistics* statistics_ = nullptr;
  const Section* dictionary_ = nullptr;
  const Section* postings_ = nullptr;
  const Section* positions_ = nullptr;
  struct Span {
    std::uint32_t at = 0, size = 0;
  };
  std::string_view index_;                   // lies in the segment's memory
  std::vector<Span> first_terms_;            // of each block, in `index_`
  std::vector<std::uint64_t> block_starts_;  // in the dictionary; one more than blocks
  std::shared_ptr<BlockWeights> block_weights_ = std::make_shared<BlockWeights>();
};

/// The terms of a field in order, from some term on.
class TermsWalk {
 public:
  /// `once`: the whole dictionary is read, so do not keep it in the cache.
  TermsWalk(const TermsReader& reader, bool once) : reader_(&reader), once_(once) {}
  /// To the first term that is not less than `term`. Then next() gives it.
  Status seek(std::string_view term, const os::Deadline& deadline);
  /// To the term with this ordinal: term() and entry() are its own. One after another in ascending
  /// order, they cost a block each at most.
  Status seek_ordinal(std::uint64_t ordinal, const os::Deadline& deadline);
  /// False at the end.
  Result<bool> next(const os::Deadline& deadline);
  const std::string& term() const { return term_; }
  const TermEntry& entry() const { return entry_; }

 private:
  Status open_block(std::size_t block, const os::Deadline& deadline);
  const TermsReader* reader_;
  bool once_;
  std::size_t block_ = SIZE_MAX;
  std::size_t left_ = 0;  // terms in the block still to come
  Bytes bytes_;
  std::size_t at_ = 0;
  std::string term_;
  TermEntry entry_;
  bool pending_ = false;  // seek has already moved to the next term
};

struct Column {
  Bytes bytes;
  ColumnReader reader;
};

/// The vectors of a field: row i belongs to document docs[i], or to chunk i of a semantic field.
struct Vectors {
  std::uint32_t rows = 0;
  std::uint32_t dims = 0;
  bool bytes = false;  // elements are 8-bit
  std::size_t row_bytes() const { return bytes ? dims : dims * sizeof(float); }
};

/// One embedded piece of a document.
struct ChunkRow {
  std::uint32_t doc = 0;
  std::uint32_t input = 0;
  std::uint32_t start = 0;
  std::uint32_t end = 0;
};

/// The row at a place of an array of rows, wherever its bytes lie.
template <class Row>
Row row_at(std::string_view bytes, std::size_t i) {
  Row row;
  std::memcpy(&row, bytes.data() + i * sizeof row, sizeof row);
  return row;
}

class Segment;

/// The objects of a nested field, as documents of a segment of their own: it has fields, but no
/// sources, ids, versions or sequence numbers.
struct NestedPart {
  std::string path;
  std::shared_ptr<const Segment> objects;
  std::string_view parents;  // u32 each, ascending: the documents that they are in

  std::uint32_t parent(std::uint32_t object) const {
    return row_at<std::uint32_t>(parents, object);
  }
};

/// Immutable; safe from any thread.
class Segment {
 public:
  /// `hot_offset`: where the sections begin that are kept in memory.
  static Result<std::shared_ptr<const Segment>> open(std::shared_ptr<SegmentFile> file,
                                                     std::uint64_t hot_offset,
                                                     const os::Deadline& deadline);
  /// One without documents.
  static const std::shared_ptr<const Segment>& none();

  const std::string& name() const { return file_->name(); }
  std::uint32_t doc_count() const { return footer_.doc_count; }
  const SegmentFooter& footer() const { return footer_; }
  const SegmentFile& file() const { return *file_; }
  std::uint64_t hot_offset() const { return hot_offset_; }
  std::size_t memory_bytes() const;

  Result<std::string> source(std::uint32_t doc, const os::Deadline& deadline) const;
  Result<std::string> id(std::uint32_t doc, const os::Deadline& deadline) const;
  Result<std::int64_t> version(std::uint32_t doc, const os::Deadline& deadline) const;
  Result<std::int64_t> seq_no(std::uint32_t doc, const os::Deadline& deadline) const;
  /// Documents that have the id, deleted ones too.
  Result<std::vector<std::uint32_t>> find(std::string_view id, const os::Deadline& deadline) const;

  const TermsReader* terms(std::string_view field) const;  // null where there are none
  std::string_view norms(std::string_view field) const;    // empty where there are none
  /// Null where the field has no column here.
  Result<std::shared_ptr<const Column>> column(std::string_view field,
                                               const os::Deadline& deadline) const;
  /// `versions` and `seq_nos` by kind.
  Result<std::shared_ptr<const Column>> column(SectionKind kind,
                                               const os::Deadline& deadline) const;

  std::optional<Vectors> vectors(std::string_view field) const;
  Result<Bytes> vector_rows(std::string_view field, std::uint32_t first, std::uint32_t count,
                            bool once, const os::Deadline& deadline) const;
  /// One row of a field that has a vector index, read alone.
  Result<Bytes> vector_row(std::string_view field, const VectorIndex& index, std::uint32_t row,
                           const os::Deadline& deadline) const;
  /// Null where the field has none here: then every row is compared.
  const VectorIndex* vector_index(std::string_view field) const;
  /// The fine codes of a list of it.
  Result<Bytes> vector_fine(const VectorIndex& index, std::uint32_t list,
                            const os::Deadline& deadline) const;
  /// Whether the field has coarse codes, and all of them can stay in memory: a search that asks for
  /// some rows all over the segment would else read nearly all of them anew.
  bool keeps_coarse(const VectorIndex& index) const;
  /// The coarse codes of rows [first, first + count); it must have them
  /// (VectorIndex::coarse_section).
  Result<Bytes> vector_coarse(const VectorIndex& index, std::uint32_t first, std::uint32_t count,
                              const os::Deadline& deadline) const;
  /// The documents of the rows, ascending (u32 each).
  Result<Bytes> vector_docs(std::string_view field, const os::Deadline& deadline) const;
  /// The chunks of a semantic field, by document (ChunkRow each); empty where there are none.
  Result<Bytes> chunks(std::string_view field, const os::Deadline& deadline) const;

  /// The objects of a nested field; null where no document here has any.
  const NestedPart* nested(std::string_view path) const;
  const std::vector<NestedPart>& nested_parts() const { return nested_; }

  // For merging.
  const StoredBlocks& stored_blocks() const { return stored_blocks_; }
  Result<Bytes> stored_block(std::size_t block, bool once, const os::Deadline& deadline) const;
  Result<Bytes> section(SectionKind kind, std::string_view field, bool once,
                        const os::Deadline& deadline) const;

 private:
  Status open_parts(std::uint64_t hot_offset, const os::Deadline& deadline);
  Status read_hot(std::uint64_t hot_offset, const os::Deadline& deadline);
  Status read_documents();
  Status read_nested(const os::Deadline& deadline);
  Status read_terms();
  Status read_vector_indexes();
  std::string_view hot(SectionKind kind, std::string_view field) const;

  std::shared_ptr<SegmentFile> file_;
  SegmentFooter footer_;
  Bytes hot_;
  std::uint64_t hot_offset_ = 0;
  StoredBlocks stored_blocks_;
  std::string_view id_blocks_;
  IdTable id_table_;
  std::vector<TermsReader> terms_;  // by field name
  std::vector<std::pair<std::string, VectorIndex>> vector_indexes_;
  std::vector<NestedPart> nested_;
};

}  // namespace cairn::index
