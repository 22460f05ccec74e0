// SPDX-License-Identifier: Apache-2.0
// Looking terms up in a dictionary, and walking over it.
#include <algorithm>

#include "base/bytes.h"
#include "index/errors.h"
#include "index/segment/segment.h"
#include "index/segment/terms_writer.h"

namespace cairn::index {
namespace {

// More of a common prefix is written again.
constexpr std::size_t shared_prefix_max = 255;

/// Reads what entries of a dictionary are made of, one behind the other.
class EntryReader {
 public:
  explicit EntryReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  bool failed() const { return failed_; }

  std::uint8_t byte() {
    if (at_ < end_) return static_cast<std::uint8_t>(*at_++);
    failed_ = true;
    return 0;
  }
  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; at_ < end_ && shift < 64; shift += 7) {
      const auto next = static_cast<unsigned char>(*at_++);
      out |= std::uint64_t{next & 0x7Fu} << shift;
      if (next < 0x80) return out;
    }
    failed_ = true;
    return 0;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > static_cast<std::uint64_t>(end_ - at_)) {
      failed_ = true;
      return {};
    }
    const std::string_view out(at_, size);
    at_ += size;
    return out;
  }

 private:
  const char* at_;
  const char* end_;
  bool failed_ = false;
};

}  // namespace

float TermsReader::average_length() const {
  if (statistics_->doc_count == 0) return 1;
  return static_cast<float>(static_cast<double>(statistics_->sum_total_freq) /
                            static_cast<double>(statistics_->doc_count));
}

std::size_t TermsReader::block_of(std::string_view term) const {
  std::size_t low = 0, high = first_terms_.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (first_term(middle) <= term)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;  // wraps where the term is before the first
}

Result<Bytes> TermsReader::block_bytes(std::size_t block, bool once,
                                       const os::Deadline& deadline) const {
  const std::uint64_t start = block_starts_[block];
  const std::uint64_t end = block_starts_[block + 1];
  if (end < start || end > dictionary_->length)
    return corrupt_object(file_->name(), "a dictionary is damaged");
  return once ? file_->read_once(dictionary_->offset + start, end - start, deadline)
              : file_->read(dictionary_->offset + start, end - start, deadline);
}

Result<std::optional<TermEntry>> TermsReader::find(std::string_view term,
                                                   const os::Deadline& deadline) const {
  const std::size_t block = first_terms_.empty() ? SIZE_MAX : block_of(term);
  if (block == SIZE_MAX) return std::optional<TermEntry>();
  CAIRN_TRY(const Bytes bytes, block_bytes(block, false, deadline));
  const auto damaged = [&] { return corrupt_object(file_->name(), "a dictionary is damaged"); };
  EntryReader in(bytes.view);
  TermEntry entry;
  entry.postings_offset = in.number();
  entry.positions_offset = in.number();
  entry.ordinal = block * terms_per_dictionary_block;
  const std::uint64_t end =
      std::min<std::uint64_t>(statistics_->term_count, entry.ordinal + terms_per_dictionary_block);
  // No term is put together: how far the one before agrees with the wanted one says enough.
  std::size_t agreed = 0, size = 0;
  for (; entry.ordinal < end; ++entry.ordinal) {
    const std::size_t shared = in.byte();
    const std::string_view rest = in.text();
    entry.doc_freq = static_cast<std::uint32_t>(std::min<std::uint64_t>(in.number(), no_more));
    entry.total_freq = entry.doc_freq + (kind() == TermsKind::plain ? 0 : in.number());
    entry.postings_length = in.number();
    entry.positions_length = kind() == TermsKind::positions ? in.number() : 0;
    if (in.failed() || shared > size || entry.doc_freq == 0 || entry.doc_freq == no_more)
      return damaged();
    size = shared + rest.size();
    if (shared < agreed && shared < shared_prefix_max) break;
    if (shared <= agreed) {
      const std::string_view wanted = term.substr(shared);
      const std::size_t same = static_cast<std::size_t>(
          std::mismatch(rest.begin(), rest.end(), wanted.begin(), wanted.end()).first -
          rest.begin());
      agreed = shared + same;
      if (rest == wanted) return std::optional(entry);
      if (rest > wanted) break;
    }
    entry.postings_offset += entry.postings_length;
    entry.positions_offset += entry.positions_length;
  }
  return std::optional<TermEntry>();
}

Result<std::string> TermsReader::term_at(std::uint64_t ordinal,
                                         const os::Deadline& deadline) const {
  TermsWalk walk(*this, false);
  CAIRN_CHECK(walk.seek_ordinal(ordinal, deadline));
  return walk.term();
}

Result<std::uint64_t> TermsReader::rank(std::string_view term, const os::Deadline& deadline) const {
  TermsWalk walk(*this, false);
  CAIRN_CHECK(walk.seek(term, deadline));
  CAIRN_TRY(const bool any, walk.next(deadline));
  return any ? walk.entry().ordinal : statistics_->term_count;
}

Status TermsReader::open(const TermEntry& entry, PostingsCursor& cursor,
                         const os::Deadline& deadline) const {
  if (entry.postings_offset + entry.postings_length > postings_->length)
    return corrupt_object(file_->name(), "postings are missing");
  CAIRN_TRY(Bytes bytes, file_->read(postings_->offset + entry.postings_offset,
                                     entry.postings_length, deadline));
  cursor.open(kind(), entry, std::move(bytes));
  if (cursor.damaged()) return corrupt_object(file_->name(), "postings are damaged");
  return ok_status();
}

Result<PostingsCursor> TermsReader::postings(const TermEntry& entry,
                                             const os::Deadline& deadline) const {
  PostingsCursor cursor;
  CAIRN_CHECK(open(entry, cursor, deadline));
  return cursor;
}

Result<PositionsReader> TermsReader::positions(const TermEntry& entry,
                                               const os::Deadline& deadline) const {
  if (positions_ == nullptr) return PositionsReader();
  if (entry.positions_offset + entry.positions_length > positions_->length)
    return corrupt_object(file_->name(), "positions are missing");
  CAIRN_TRY(Bytes bytes, file_->read(positions_->offset + entry.positions_offset,
                                     entry.positions_length, deadline));
  return PositionsReader(std::move(bytes));
}

Status TermsWalk::open_block(std::size_t block, const os::Deadline& deadline) {
  CAIRN_TRY(bytes_, reader_->block_bytes(block, once_, deadline));
  ByteReader in(bytes_.view);
  entry_ = {};
  entry_.postings_offset = in.varint().value_or(0);
  entry_.positions_offset = in.varint().value_or(0);
  if (in.failed()) return corrupt_object(reader_->file_->name(), "a dictionary is damaged");
  entry_.ordinal = block * terms_per_dictionary_block;
  block_ = block;
  at_ = in.position();
  left_ = std::min<std::size_t>(terms_per_dictionary_block,
                                reader_->statistics_->term_count - entry_.ordinal);
  term_.clear();
  // next() moves on by what the term before took: nothing yet.
  entry_.ordinal -= 1;
  return ok_status();
}

Status TermsWalk::seek(std::string_view term, const os::Deadline& deadline) {
  pending_ = false;
  if (reader_->first_terms_.empty()) {
    block_ = 0;
    left_ = 0;
    return ok_status();
  }
  const std::size_t block = reader_->block_of(term);
  CAIRN_CHECK(open_block(block == SIZE_MAX ? 0 : block, deadline));
  for (;;) {
    CAIRN_TRY(const bool any, next(deadline));
    if (!any) return ok_status();
    if (term_ >= term) break;
  }
  pending_ = true;
  return ok_status();
}

Status TermsWalk::seek_ordinal(std::uint64_t ordinal, const os::Deadline& deadline) {
  const auto missing = [&] { return corrupt_object(reader_->file_->name(), "a term is missing"); };
  const std::size_t block = ordinal / terms_per_dictionary_block;
  if (block >= reader_->first_terms_.size()) return missing();
  pending_ = false;
  // Before the first term of a dictionary the ordinal is one less than 0.
  if (block != block_ || entry_.ordinal + 1 > ordinal + 1) CAIRN_CHECK(open_block(block, deadline));
  while (entry_.ordinal != ordinal) {
    CAIRN_TRY(const bool any, next(deadline));
    if (!any) return missing();
  }
  return ok_status();
}

Result<bool> TermsWalk::next(const os::Deadline& deadline) {
  if (pending_) {
    pending_ = false;
    return true;
  }
  const TermsReader& r = *reader_;
  if (block_ == SIZE_MAX) {
    if (r.first_terms_.empty()) return false;
    CAIRN_CHECK(open_block(0, deadline));
  }
  if (left_ == 0) {
    if (block_ + 1 >= r.first_terms_.size()) return false;
    CAIRN_CHECK(open_block(block_ + 1, deadline));
  }
  ByteReader in(bytes_.view.substr(at_));
  const std::uint8_t shared = in.u8().value_or(0);
  const std::string_view suffix = in.string().value_or("");
  entry_.postings_offset += entry_.postings_length;
  entry_.positions_offset += entry_.positions_length;
  ++entry_.ordinal;
  const std::uint64_t doc_freq = in.varint().value_or(0);
  entry_.doc_freq = static_cast<std::uint32_t>(doc_freq);
  entry_.total_freq = doc_freq;
  if (r.kind() != TermsKind::plain) entry_.total_freq += in.varint().value_or(0);
  entry_.postings_length = in.varint().value_or(0);
  entry_.positions_length =
      r.kind() == TermsKind::positions ? in.varint().value_or(0) : std::uint64_t{0};
  if (in.failed() || shared > term_.size() || doc_freq == 0 || doc_freq >= no_more)
    return corrupt_object(r.file_->name(), "a dictionary is damaged");
  term_.resize(shared);
  term_ += suffix;
  at_ += in.position();
  --left_;
  return true;
}

}  // namespace cairn::index
