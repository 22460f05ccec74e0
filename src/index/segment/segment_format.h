// SPDX-License-Identifier: Apache-2.0
// The parts of a segment object that its writer and its reader share. docs/internals/formats.md,
// section index, describes the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cairn::index {

inline constexpr std::string_view segment_magic = "CRNSEG01";
inline constexpr std::uint32_t segment_version = 3;
inline constexpr std::uint32_t segment_version_flat = 2;   // of those without nested objects
inline constexpr std::uint32_t segment_version_least = 1;  // that readers take
inline constexpr std::size_t page_bytes = 64u << 10;       // one checksum each
inline constexpr std::size_t section_alignment = 64;

/// What a section holds. The numbers are in the files: never change one.
enum class SectionKind : std::uint8_t {
  stored = 1,         // compressed blocks of _source
  stored_blocks = 2,  // where they start
  ids = 3,            // _id of each document
  id_blocks = 4,      // where every 128th starts
  id_table = 5,       // _id to document
  versions = 6,       // column
  seq_nos = 7,        // column
  postings = 8,       // of a field
  positions = 9,      // of a field
  dictionary = 10,    // of a field: terms
  dictionary_index = 11,
  norms = 12,           // of a field: one byte a document
  column = 13,          // of a field
  vectors = 14,         // of a field: one row a document or chunk
  vector_docs = 15,     // of a field: the document of each row
  chunks = 16,          // of a semantic field: document, input, start and end of each chunk
  vector_index = 17,    // of a field: lists of rows by their centroids, with codes of one bit
  vector_fine = 18,     // of a field: codes of four bits, list by list
  nested = 19,          // of a nested field: a segment of its objects
  nested_parents = 20,  // of a nested field: where that one's hot sections begin, whose each is
  vector_coarse = 21,   // of a field: codes of two bits, row by row; segments of before lack them
};

struct Section {
  SectionKind kind = SectionKind::stored;
  std::string field;  // empty where the section is of no field
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// How the terms of a field are kept.
enum class TermsKind : std::uint8_t {
  none = 0,
  plain = 1,      // documents only: keyword, boolean, names of fields
  freqs = 2,      // and how often
  positions = 3,  // and where
  weights = 4,    // documents (or chunks) and a weight: sparse vectors
};

/// What the numbers of a column are.
enum class ColumnKind : std::uint8_t { none = 0, numbers = 1, ordinals = 2 };

/// Numbers of one field over the whole segment.
struct FieldStatistics {
  std::string field;
  TermsKind terms = TermsKind::none;
  bool has_norms = false;
  std::uint64_t term_count = 0;
  std::uint64_t doc_count = 0;       // documents with at least one term
  std::uint64_t sum_total_freq = 0;  // all terms of all documents
  std::uint64_t sum_doc_freq = 0;
  std::uint32_t dims = 0;  // vectors
  bool byte_vectors = false;
  std::uint32_t rows = 0;   // vectors, or chunks of sparse lists
  float bound_average = 1;  // average length at which the bounds of blocks were taken
  ColumnKind column = ColumnKind::none;
};

/// The end of a segment object: what is where.
struct SegmentFooter {
  std::uint32_t doc_count = 0;
  std::int64_t min_seq_no = 0;
  std::int64_t max_seq_no = -1;
  std::vector<Section> sections;
  std::vector<FieldStatistics> fields;
  std::vector<std::uint32_t> page_checksums;  // CRC-32C of each page before the footer

  const Section* find(SectionKind kind, std::string_view field = {}) const;
  const FieldStatistics* field(std::string_view name) const;
};

std::string encode_footer(const SegmentFooter& footer);  // with length and magic
/// `tail` ends where the object ends. Errors: corrupt.
Result<SegmentFooter> decode_footer(std::string_view tail, std::string_view key);

/// A weight of a sparse vector as a whole number: the upper 16 bits below the sign of the float, so
/// that nine significant bits are kept, as the platform's engine keeps them. Never 0 for w > 0.
std::uint32_t encode_weight(float weight);
float decode_weight(std::uint32_t code);

}  // namespace cairn::index
