// SPDX-License-Identifier: Apache-2.0
#include "index/segment/postings.h"

#include <algorithm>

#include "base/bytes.h"
#include "kernels/postings/posting_blocks.h"

namespace cairn::index {
namespace {

constexpr std::size_t directory_entry = 4 + 4 + 4;

// A varint that is known to be small; leaves `at` behind it, or at the end of damaged bytes.
inline std::uint64_t quick_varint(const char*& at, const char* end) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    v |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return v;
  }
  return v;
}

}  // namespace

void PostingsCursor::open(TermsKind kind, const TermEntry& entry, Bytes postings) {
  kind_ = kind;
  doc_freq_ = entry.doc_freq;
  bytes_ = std::move(postings);
  damaged_ = freqs_loaded_ = false;
  loaded_ = only_last_ = no_more;
  count_ = 0;
  std::string_view all = bytes_.view;
  blocks_ = static_cast<std::uint32_t>((std::size_t{doc_freq_} + block_size - 1) / block_size);
  has_directory_ = doc_freq_ >= block_size;
  if (!has_directory_) {
    body_ = all;
    load_tail(all, no_more, doc_freq_);
    loaded_ = 0;
    only_last_ = count_ > 0 ? docs_[count_ - 1] : 0;
    return;
  }
  const std::size_t position_bytes = kind_ == TermsKind::positions ? 8 : 0;
  const std::size_t directory = blocks_ * (directory_entry + position_bytes);
  if (directory > all.size()) {
    fail();
    return;
  }
  last_docs_ = all.data();
  offsets_ = last_docs_ + 4 * blocks_;
  bounds_ = offsets_ + 4 * blocks_;
  positions_ = bounds_ + 4 * blocks_;
  body_ = all.substr(directory);
}

void PostingsCursor::close() {
  bytes_ = {};
  body_ = {};
  blocks_ = 0;
  doc_freq_ = 0;
  count_ = 0;
  has_directory_ = false;
}

void PostingsCursor::fail() {
  damaged_ = true;
  blocks_ = 0;
  doc_freq_ = 0;
  count_ = 0;
  has_directory_ = false;
}

void PostingsCursor::load(std::uint32_t b) {
  if (loaded_ == b || damaged_) return;
  const std::uint32_t offset = at<std::uint32_t>(offsets_, b);
  const std::uint32_t before = b == 0 ? no_more : last_doc(b - 1);
  const std::uint32_t rest = doc_freq_ - b * static_cast<std::uint32_t>(block_size);
  if (offset > body_.size()) return fail();
  loaded_ = b;
  // The last block may be as short as one byte.
  if (rest < block_size) {
    load_tail(body_.substr(offset), before, rest);
    if (!damaged_ && docs_[rest - 1] != last_doc(b)) fail();
    return;
  }
  if (offset + 2 > body_.size()) return fail();
  const unsigned doc_bits = static_cast<unsigned char>(body_[offset]);
  const unsigned freq_bits = static_cast<unsigned char>(body_[offset + 1]);
  if (doc_bits > 32 || freq_bits > 32 ||
      offset + 2 + 16 * std::size_t{doc_bits + freq_bits} > body_.size())
    return fail();
  unpack_block(body_.data() + offset + 2, doc_bits, docs_);
  // Whoever reads relies on ascending documents that end where the directory says.
  if (kernels::posting_kernels().add_up(docs_.data(), before) != last_doc(b) ||
      docs_[block_size - 1] != last_doc(b))
    return fail();
  count_ = block_size;
  freqs_loaded_ = false;
}

void PostingsCursor::load_freqs() {
  if (freqs_loaded_ || damaged_) return;
  freqs_loaded_ = true;
  const std::uint32_t offset = at<std::uint32_t>(offsets_, loaded_);
  const unsigned doc_bits = static_cast<unsigned char>(body_[offset]);
  const unsigned freq_bits = static_cast<unsigned char>(body_[offset + 1]);
  unpack_block(body_.data() + offset + 2 + 16 * std::size_t{doc_bits}, freq_bits, freqs_);
  for (std::uint32_t& v : freqs_) ++v;
}

std::uint32_t PostingsCursor::freq_at(std::uint32_t i) const {
  if (freqs_loaded_) return freqs_[i];
  if (damaged_) return 1;
  const char* in = body_.data() + at<std::uint32_t>(offsets_, loaded_);
  const unsigned doc_bits = static_cast<unsigned char>(in[0]);
  const unsigned freq_bits = static_cast<unsigned char>(in[1]);
  return unpack_one_of_block(in + 2 + 16 * std::size_t{doc_bits}, i, freq_bits) + 1;
}

void PostingsCursor::load_tail(std::string_view bytes, std::uint32_t before, std::uint32_t count) {
  const char* in = bytes.data();
  const char* end = in + bytes.size();
  std::uint32_t doc = before;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (in >= end) return fail();
    const std::uint64_t code = quick_varint(in, end);
    std::uint32_t freq = 1;
    std::uint64_t gap = code;
    if (kind_ == TermsKind::weights) {
      if (end - in < 2) return fail();
      std::uint16_t weight;
      std::memcpy(&weight, in, sizeof weight);
      in += sizeof weight;
      freq = weight;
    } else if (kind_ != TermsKind::plain) {
      gap = code >> 1;
      if ((code & 1) != 0) freq = static_cast<std::uint32_t>(quick_varint(in, end)) + 1;
    }
    const std::uint32_t next = doc + static_cast<std::uint32_t>(gap) + 1;
    if (gap >= no_more || next == no_more || (i > 0 && next <= doc)) return fail();
    doc = next;
    docs_[i] = doc;
    freqs_[i] = freq;
  }
  for (std::size_t i = count; i < block_size; ++i) docs_[i] = no_more;
  count_ = count;
  freqs_loaded_ = true;
}

std::uint32_t PostingsCursor::seek_block(std::uint32_t from, std::uint32_t doc) const {
  if (!has_directory_) return from < blocks_ && only_last_ < doc ? blocks_ : from;
  if (from >= blocks_ || last_doc(from) >= doc) return from;
  std::uint32_t step = 1;
  while (from + step < blocks_ && last_doc(from + step) < doc) step <<= 1;
  std::uint32_t low = from + (step >> 1) + 1;
  std::uint32_t high = std::min(blocks_, from + step);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (last_doc(middle) < doc)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::uint32_t PostingsIterator::enter(std::uint32_t block) {
  if (block >= cursor_.block_count()) return doc_ = no_more;
  cursor_.load(block);
  if (cursor_.damaged()) return doc_ = no_more;
  index_ = 0;
  return doc_ = cursor_.docs()[0];
}

std::uint32_t PostingsIterator::next() {
  if (doc_ == no_more) return no_more;
  if (++index_ < cursor_.count()) return doc_ = cursor_.docs()[index_];
  return enter(cursor_.loaded() + 1);
}

std::uint32_t PostingsIterator::seek(std::uint32_t target) {
  if (doc_ >= target) return doc_;  // the end, too
  const std::uint32_t from = cursor_.loaded();
  const std::uint32_t block = cursor_.seek_block(from, target);
  if (block != from && enter(block) == no_more) return no_more;
  if (doc_ >= target) return doc_;
  // Branch-free count of what is below the target within the block.
  const Block& docs = cursor_.docs();
  std::uint32_t below = index_;
  if (target - doc_ < 16) {
    while (below + 1 < block_size && docs[below] < target) ++below;
  } else {
    std::uint32_t step = static_cast<std::uint32_t>(block_size) / 2;
    std::uint32_t low = 0;
    for (; step > 0; step /= 2)
      if (docs[low + step - 1] < target) low += step;
    below = std::max(low, below);
  }
  // The block's last document is at or after the target, so `below` lies inside.
  index_ = below;
  return doc_ = docs[below];
}

void PositionsReader::read(PostingsIterator& at, std::vector<std::uint32_t>& out) {
  out.clear();
  PostingsCursor& cursor = at.cursor();
  cursor.load_freqs();
  const std::uint32_t index = at.index_in_block();
  if (block_ != cursor.loaded() || index < next_index_) {
    block_ = cursor.loaded();
    next_index_ = 0;
    next_byte_ = cursor.positions_start(block_);
  }
  if (next_byte_ > bytes_.view.size()) return;
  const char* in = bytes_.view.data() + next_byte_;
  const char* end = bytes_.view.data() + bytes_.view.size();
  std::uint64_t skip = 0;
  for (; next_index_ < index; ++next_index_) skip += cursor.freqs()[next_index_];
  for (; skip > 0 && in < end; ++in)
    if (static_cast<unsigned char>(*in) < 0x80) --skip;
  std::uint32_t position = 0;
  for (std::uint32_t i = cursor.freqs()[index]; i > 0 && in < end; --i) {
    position += static_cast<std::uint32_t>(quick_varint(in, end));
    out.push_back(position);
  }
  next_index_ = index + 1;
  next_byte_ = static_cast<std::size_t>(in - bytes_.view.data());
}

}  // namespace cairn::index
