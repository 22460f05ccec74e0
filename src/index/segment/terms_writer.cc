// SPDX-License-Identifier: Apache-2.0
#include "index/segment/terms_writer.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/bytes.h"

namespace cairn::index {
namespace {

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min({a.size(), b.size(), std::size_t{255}});
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

bool has_freqs(TermsKind kind) {
  return kind == TermsKind::freqs || kind == TermsKind::positions || kind == TermsKind::weights;
}

}  // namespace

TermsWriter::TermsWriter(TermsKind kind, std::string_view norms, float average_length)
    : kind_(kind), norms_(norms), inverse_(inverse_lengths(std::max(average_length, 1e-6f))) {}

void TermsWriter::begin_term(std::string_view term) {
  end_term();
  CAIRN_ASSERT(term_count_ == 0 || previous_ < term);
  term_ = term;
  open_ = true;
  doc_freq_ = 0;
  total_freq_ = 0;
  filled_ = 0;
  last_doc_ = std::numeric_limits<std::uint32_t>::max();
  bound_ = 0;
  block_last_.clear();
  block_offset_.clear();
  block_positions_.clear();
  block_bound_.clear();
  body_.clear();
  positions_start_ = positions_.size();
}

float TermsWriter::bound_of(std::uint32_t doc, std::uint32_t freq) const {
  if (kind_ == TermsKind::weights) return decode_weight(freq);
  const std::size_t norm = norms_.empty() ? 1 : static_cast<unsigned char>(norms_[doc]);
  return bm25_share(static_cast<float>(freq), inverse_[norm]);
}

void TermsWriter::add(std::uint32_t doc, std::uint32_t freq,
                      std::span<const std::uint32_t> positions) {
  if (filled_ == 0 && kind_ == TermsKind::positions)
    block_positions_.push_back(positions_.size() - positions_start_);
  docs_[filled_] = doc - last_doc_ - 1;  // wraps at the start: UINT32_MAX stands before 0
  freqs_[filled_] = freq - 1;
  last_doc_ = doc;
  bound_ = std::max(bound_, bound_of(doc, freq));
  ++doc_freq_;
  total_freq_ += kind_ == TermsKind::weights ? 1 : freq;
  std::uint32_t before = 0;
  for (const std::uint32_t position : positions) {
    put_varint(positions_, position - before);
    before = position;
  }
  if (++filled_ == block_size) flush_block();
}

void TermsWriter::flush_block() {
  block_last_.push_back(last_doc_);
  block_offset_.push_back(static_cast<std::uint32_t>(body_.size()));
  block_bound_.push_back(bound_);
  if (filled_ == block_size) {
    std::uint32_t all_docs = 0, all_freqs = 0;
    for (const std::uint32_t v : docs_) all_docs |= v;
    for (const std::uint32_t v : freqs_) all_freqs |= v;
    const unsigned doc_bits = bits_for(all_docs);
    const unsigned freq_bits = has_freqs(kind_) ? bits_for(all_freqs) : 0;
    put_u8(body_, static_cast<std::uint8_t>(doc_bits));
    put_u8(body_, static_cast<std::uint8_t>(freq_bits));
    pack_block(body_, docs_, doc_bits);
    pack_block(body_, freqs_, freq_bits);
  } else {
    write_tail();
  }
  filled_ = 0;
  bound_ = 0;
}

// Fewer documents than a block: one varint each, and one more where the frequency is not 1.
void TermsWriter::write_tail() {
  for (std::size_t i = 0; i < filled_; ++i) {
    if (kind_ == TermsKind::plain) {
      put_varint(body_, docs_[i]);
    } else if (kind_ == TermsKind::weights) {
      put_varint(body_, docs_[i]);
      put_u16le(body_, static_cast<std::uint16_t>(freqs_[i] + 1));
    } else {
      put_varint(body_, std::uint64_t{docs_[i]} << 1 | (freqs_[i] > 0 ? 1 : 0));
      if (freqs_[i] > 0) put_varint(body_, freqs_[i]);
    }
  }
}

void TermsWriter::write_postings() {
  // Where there are whole blocks, what is needed to skip them stands before them.
  if (doc_freq_ >= block_size) {
    for (const std::uint32_t v : block_last_) put_u32le(postings_, v);
    for (const std::uint32_t v : block_offset_) put_u32le(postings_, v);
    for (const float v : block_bound_) put_f32le(postings_, v);
    for (const std::uint64_t v : block_positions_) put_u64le(postings_, v);
  }
  postings_ += body_;
}

void TermsWriter::end_term() {
  if (!open_) return;
  open_ = false;
  if (doc_freq_ == 0) return;
  if (filled_ > 0) flush_block();
  const std::uint64_t postings_start = postings_.size();
  write_postings();

  const bool first = term_count_ % terms_per_dictionary_block == 0;
  if (first) {
    block_starts_.push_back(dictionary_.size());
    put_string(first_terms_, term_);
    put_varint(dictionary_, postings_start);
    put_varint(dictionary_, positions_start_);
  }
  const std::size_t shared = first ? 0 : shared_prefix(previous_, term_);
  put_u8(dictionary_, static_cast<std::uint8_t>(shared));
  put_string(dictionary_, std::string_view(term_).substr(shared));
  put_varint(dictionary_, doc_freq_);
  if (has_freqs(kind_)) put_varint(dictionary_, total_freq_ - doc_freq_);
  put_varint(dictionary_, postings_.size() - postings_start);
  if (kind_ == TermsKind::positions) put_varint(dictionary_, positions_.size() - positions_start_);
  previous_ = term_;
  ++term_count_;
  sum_doc_freq_ += doc_freq_;
  sum_total_freq_ += has_freqs(kind_) ? total_freq_ : doc_freq_;
}

void TermsWriter::finish(SegmentOut& out, std::string_view field, FieldStatistics& statistics) {
  end_term();
  if (kind_ == TermsKind::positions) out.section(SectionKind::positions, field, positions_);
  out.section(SectionKind::postings, field, postings_);
  out.section(SectionKind::dictionary, field, dictionary_);
  std::string index;
  put_varint(index, block_starts_.size());
  for (const std::uint64_t start : block_starts_) put_varint(index, start);
  index += first_terms_;
  out.hot_section(SectionKind::dictionary_index, field, std::move(index));
  statistics.terms = kind_;
  statistics.term_count = term_count_;
  statistics.sum_doc_freq = sum_doc_freq_;
  statistics.sum_total_freq = sum_total_freq_;
}

}  // namespace cairn::index
