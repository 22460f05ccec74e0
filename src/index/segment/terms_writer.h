// SPDX-License-Identifier: Apache-2.0
// Writing the terms of one field: dictionary, postings, positions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/segment/norms.h"
#include "index/segment/packing.h"
#include "index/segment/segment_format.h"
#include "index/segment/segment_out.h"

namespace cairn::index {

inline constexpr std::size_t terms_per_dictionary_block = 32;

/// Call begin_term, add for its documents in ascending order, and so on for terms in ascending
/// order of their bytes; then finish. Terms without documents are left out.
class TermsWriter {
 public:
  /// `norms`: one byte a document, or empty where the field has none; must outlive the writer.
  /// `average_length` of the field in this segment.
  TermsWriter(TermsKind kind, std::string_view norms, float average_length);

  void begin_term(std::string_view term);
  /// `freq` is an encoded weight for TermsKind::weights; positions only where they are kept.
  void add(std::uint32_t doc, std::uint32_t freq, std::span<const std::uint32_t> positions = {});

  /// Ends the last term, writes the sections, and fills in term_count, sum_doc_freq and
  /// sum_total_freq.
  void finish(SegmentOut& out, std::string_view field, FieldStatistics& statistics);

 private:
  void end_term();
  void flush_block();
  void write_postings();
  void write_tail();
  float bound_of(std::uint32_t doc, std::uint32_t freq) const;

  TermsKind kind_;
  std::string_view norms_;
  InverseLengths inverse_;

  std::string term_, previous_;
  bool open_ = false;
  std::uint32_t doc_freq_ = 0;
  std::uint64_t total_freq_ = 0;

  // The blocks of the current term.
  Block docs_, freqs_;
  std::size_t filled_ = 0;
  std::uint32_t last_doc_ = UINT32_MAX;
  float bound_ = 0;
  std::vector<std::uint32_t> block_last_, block_offset_;
  std::vector<std::uint64_t> block_positions_;
  std::vector<float> block_bound_;
  std::string body_;  // packed blocks

  std::string postings_, positions_;
  std::uint64_t positions_start_ = 0;
  std::string dictionary_;
  std::vector<std::uint64_t> block_starts_;  // of the dictionary
  std::string first_terms_;                  // of its blocks, each with its length
  std::uint64_t term_count_ = 0, sum_doc_freq_ = 0, sum_total_freq_ = 0;
};

}  // namespace cairn::index
